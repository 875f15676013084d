//! [`Window`]: a segment as recovery reads it, forward, with a part of it in memory at a time.
//!
//! It knows nothing about groups.

use std::io;

use super::segment::{Segment, ZEROS_STEP_BYTES};

/// Minimum bytes of a read. Zeros were written in steps of this size.
pub(super) const WINDOW_BYTES: usize = ZEROS_STEP_BYTES;

/// A range of a segment, which moves as bytes are requested.
#[derive(Debug)]
pub(super) struct Window {
    segment: Segment,
    size: u64,
    start: u64,
    bytes: Vec<u8>,
}

impl Window {
    pub(super) fn new(segment: Segment) -> io::Result<Self> {
        Ok(Self {
            size: segment.size()?,
            segment,
            start: 0,
            bytes: Vec::new(),
        })
    }

    pub(super) const fn segment(&self) -> &Segment {
        &self.segment
    }

    pub(super) fn into_segment(self) -> Segment {
        self.segment
    }

    /// Returns `length` bytes from `offset` on, fewer only where the file ends.
    pub(super) fn get(&mut self, offset: u64, length: usize) -> io::Result<&[u8]> {
        if self.position_of(offset, length).is_none() {
            let rest = self.size.saturating_sub(offset);
            let most = usize::try_from(rest).unwrap_or(usize::MAX);
            self.bytes.resize(length.max(WINDOW_BYTES).min(most), 0);
            let read = self.segment.read_at(&mut self.bytes, offset)?;
            self.bytes.truncate(read);
            self.start = offset;
        }
        let position = self.position_of(offset, length).unwrap_or(0);
        let rest = &self.bytes[position..];
        Ok(&rest[..length.min(rest.len())])
    }

    /// Returns the same, or `None` if the file ends before.
    pub(super) fn whole(&mut self, offset: u64, length: usize) -> io::Result<Option<&[u8]>> {
        let bytes = self.get(offset, length)?;
        Ok((bytes.len() == length).then_some(bytes))
    }

    /// Returns the position of a range in memory, if all of it is there.
    fn position_of(&self, offset: u64, length: usize) -> Option<usize> {
        let position = usize::try_from(offset.checked_sub(self.start)?).ok()?;
        (position.checked_add(length)? <= self.bytes.len()).then_some(position)
    }
}
