//! [`Log`]: the operations on the disk, and their order. Groups overwrite zeros, one segment after another.
//!
//! The committer decides when they are done, and how errors are handled.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Instant;

use disk::Disk;
use parking_lot::Mutex;

use crate::end::{DurableEnd, EndMark};
use crate::format::{
    GROUP_HEADER_BYTES, GroupHeader, PAYLOAD_BYTES_MAX, SEGMENT_HEADER_BYTES, SegmentHeader,
};
use crate::inbox::Group;
use crate::metrics::JournalMetrics;
use crate::segment::{self, CreateError, Segment};
use crate::sequence::Sequence;

/// The first sequence of each segment of the folder, in order; the last is the current segment.
#[derive(Debug, Default)]
pub(super) struct Segments(Mutex<VecDeque<Sequence>>);

impl Segments {
    pub(super) fn new(firsts: impl IntoIterator<Item = Sequence>) -> Self {
        Self(Mutex::new(firsts.into_iter().collect()))
    }

    /// Removes the segments whose records are all before `sequence`, the oldest first.
    pub(super) fn remove_before(&self, disk: &dyn Disk, sequence: Sequence) -> io::Result<()> {
        let mut removed = false;
        while let Some(first) = self.take_before(sequence) {
            if let Err(error) = segment::remove(disk, &segment::name_of(first)) {
                self.0.lock().push_front(first);
                return Err(error);
            }
            removed = true;
        }
        if removed {
            segment::sync_folder(disk)?;
        }
        Ok(())
    }

    fn take_before(&self, sequence: Sequence) -> Option<Sequence> {
        let mut firsts = self.0.lock();
        // The records of the first segment end where the second begins.
        match firsts.get(1) {
            Some(&second) if second <= sequence => firsts.pop_front(),
            _ => None,
        }
    }
}

/// The end of the log.
#[derive(Debug)]
pub(super) struct Log {
    pub(super) disk: Arc<dyn Disk>,
    pub(super) segments: Arc<Segments>,
    pub(super) segment: Segment,
    pub(super) header: SegmentHeader,
    /// The offset of the next group.
    pub(super) offset: u64,
    /// The end of the zeros.
    pub(super) zeros_end: u64,
    /// The checksum of the last group.
    pub(super) chain: u32,
    pub(super) written: Sequence,
    pub(super) synced: Sequence,
    /// The end of what is synced.
    pub(super) durable: DurableEnd,
    pub(super) mark: EndMark,
    pub(super) metrics: JournalMetrics,
}

impl Log {
    /// Returns a log that is durable, and ends there.
    pub(super) fn durable_until(
        end: DurableEnd,
        header: SegmentHeader,
        segment: Segment,
        segments: Segments,
        mark: EndMark,
        disk: Arc<dyn Disk>,
    ) -> Self {
        Self {
            disk,
            segments: Arc::new(segments),
            segment,
            header,
            offset: end.offset,
            zeros_end: end.segment_bytes,
            chain: end.chain,
            written: end.next,
            synced: end.next,
            durable: end,
            mark,
            metrics: JournalMetrics::default(),
        }
    }

    /// Writes a group with one call, and returns its length. After an error the write may be retried.
    pub(super) fn write(&mut self, group: &mut Group) -> io::Result<usize> {
        debug_assert_eq!(group.first, self.written);
        let bytes = group.bytes.len();
        let payload_bytes = bytes - GROUP_HEADER_BYTES;
        // The last check: a group that readers reject would make everything after it unreadable.
        let payload_bytes = u32::try_from(payload_bytes)
            .ok()
            .filter(|_| payload_bytes <= PAYLOAD_BYTES_MAX)
            .ok_or_else(|| {
                let what = format!(
                    "a group of {payload_bytes} bytes is larger than the {PAYLOAD_BYTES_MAX} of the format"
                );
                io::Error::new(io::ErrorKind::InvalidInput, what)
            })?;
        let header = GroupHeader {
            payload_bytes,
            records: group.records,
            first: group.first,
            synced: self.synced,
            chain: self.chain,
        };
        let checksum = header.seal(&mut group.bytes, self.header.salt);
        self.segment.write_at(&group.bytes, self.offset)?;
        self.offset += bytes as u64;
        self.zeros_end = self.zeros_end.max(self.offset);
        self.chain = checksum;
        self.written = group.end();
        self.metrics.groups.inc();
        self.metrics.records.inc_by(u64::from(group.records));
        self.metrics.bytes.inc_by(bytes as u64);
        Ok(bytes)
    }

    /// Makes all writes durable. After an error, the contents of the disk are unknown.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        let began = Instant::now();
        self.segment.sync()?;
        self.metrics.syncs.observe(began.elapsed());
        self.synced = self.written;
        self.durable = self.end();
        Ok(())
    }

    /// Returns the end of what is written.
    pub(super) const fn end(&self) -> DurableEnd {
        DurableEnd {
            segment: self.header.first,
            offset: self.offset,
            next: self.written,
            chain: self.chain,
            segment_bytes: self.zeros_end,
        }
    }

    /// Returns whether the mark records all that is synced.
    pub(super) fn is_marked(&self) -> bool {
        let position = |end: DurableEnd| (end.segment, end.offset);
        self.mark.recorded().map(position) == Some(position(self.durable))
    }

    /// Records in the mark how far the log is synced. If this fails, the log continues.
    pub(super) fn mark(&mut self) -> bool {
        self.mark.try_write(self.durable)
    }

    /// Returns the number of zeros that are left.
    pub(super) const fn zeros(&self) -> u64 {
        self.zeros_end - self.offset
    }

    /// Adds at most `ZEROS_STEP_BYTES` zeros after the existing ones.
    pub(super) fn add_zeros(&mut self, bytes: usize) -> io::Result<()> {
        self.segment.write_zeros(bytes, self.zeros_end)?;
        self.zeros_end += bytes as u64;
        Ok(())
    }

    /// Returns whether a new segment has to begin, and would have another name.
    pub(super) fn is_past(&self, segment_bytes: u64) -> bool {
        self.offset >= segment_bytes && self.written > self.header.first
    }

    /// Continues in a new segment with this many zeros. The current one must be synced.
    pub(super) fn roll(&mut self, zeros: u64) -> Result<(), CreateError> {
        debug_assert_eq!(self.synced, self.written);
        let header = SegmentHeader {
            first: self.written,
            chain: self.chain,
            salt: random_salt().map_err(CreateError::Absent)?,
        };
        let segment = Segment::create(&*self.disk, header, zeros)?;
        self.segments.0.lock().push_back(header.first);
        let previous = std::mem::replace(&mut self.segment, segment);
        let previous_end = std::mem::replace(&mut self.offset, SEGMENT_HEADER_BYTES as u64);
        self.header = header;
        self.zeros_end = self.offset + zeros;
        self.durable = self.end();
        // No mark may say that the previous segment is longer. If this fails, only the disk space of its zeros is lost.
        if self.mark() {
            let _ = previous.set_size(previous_end);
        }
        Ok(())
    }
}

/// Returns a random number that clients cannot predict.
pub(super) fn random_salt() -> io::Result<u32> {
    getrandom::u32()
        .map_err(|error| io::Error::other(format!("no random number is available: {error}")))
}
