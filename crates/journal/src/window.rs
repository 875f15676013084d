//! [`Window`]: reads a segment forward during recovery, with a part of it in memory. It does not know groups.

use std::io;

use crate::segment::{Segment, ZEROS_STEP_BYTES};

/// The minimum length of a read: the step in which zeros are written.
pub(super) const WINDOW_BYTES: usize = ZEROS_STEP_BYTES;

/// A range of a segment, which moves to the requested bytes.
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

    pub(super) const fn size(&self) -> u64 {
        self.size
    }

    pub(super) fn into_segment(self) -> Segment {
        self.segment
    }

    /// Returns `length` bytes from `offset` on, or fewer at the end of the file.
    pub(super) fn get(&mut self, offset: u64, length: usize) -> io::Result<&[u8]> {
        if self.position_of(offset, length).is_none() {
            let left = self.size.saturating_sub(offset);
            let left = usize::try_from(left).unwrap_or(usize::MAX);
            self.bytes.resize(length.max(WINDOW_BYTES).min(left), 0);
            let read = self.segment.read_at(&mut self.bytes, offset)?;
            self.bytes.truncate(read);
            self.start = offset;
        }
        let position = self.position_of(offset, length).unwrap_or(0);
        let bytes = &self.bytes[position..];
        Ok(&bytes[..length.min(bytes.len())])
    }

    /// Returns `length` bytes from `offset` on, or `None` if the file ends before.
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
