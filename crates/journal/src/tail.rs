//! [`resume_log`]: prepares a recovered log for writing. Truncates its end, and makes it durable.
//!
//! No other code truncates a log.

use std::io;
use std::sync::Arc;

use disk::Disk;

use crate::end::{DurableEnd, EndMark};
use crate::format::{SEGMENT_HEADER_BYTES, SegmentHeader};
use crate::log::{Log, Segments, random_salt};
use crate::read::{Recovered, Tail};
use crate::segment::{self, CreateError, Segment, ZEROS_STEP_BYTES};
use crate::window::{WINDOW_BYTES, Window};

/// Truncates the bytes past the end of the log, and makes the remaining log durable. Creates the log if it does not
/// exist.
pub(super) fn resume_log(disk: Arc<dyn Disk>, recovered: &Recovered) -> io::Result<Log> {
    segment::remove_unfinished(&*disk)?;
    match (&recovered.tail, recovered.segments.last()) {
        (Some(tail), Some(&first)) => {
            let header = SegmentHeader {
                first,
                chain: tail.chain,
                salt: tail.salt,
            };
            resume(disk, recovered, tail, header)
        }
        _ => begin(disk, recovered),
    }
}

fn begin(disk: Arc<dyn Disk>, recovered: &Recovered) -> io::Result<Log> {
    let header = SegmentHeader {
        first: recovered.next,
        chain: 0,
        salt: random_salt()?,
    };
    let zeros = ZEROS_STEP_BYTES as u64;
    let segment = Segment::create(&*disk, header, zeros).map_err(CreateError::into_error)?;
    let durable = DurableEnd {
        segment: header.first,
        offset: SEGMENT_HEADER_BYTES as u64,
        next: header.first,
        chain: header.chain,
        segment_bytes: SEGMENT_HEADER_BYTES as u64 + zeros,
    };
    let segments = Segments::new([header.first]);
    let mark = EndMark::open(Arc::clone(&disk))?;
    Ok(marked(Log::durable_until(
        durable, header, segment, segments, mark, disk,
    )))
}

fn resume(
    disk: Arc<dyn Disk>,
    recovered: &Recovered,
    tail: &Tail,
    header: SegmentHeader,
) -> io::Result<Log> {
    let segment = Segment::open(&*disk, header.first)?;
    let mut mark = EndMark::open(Arc::clone(&disk))?;
    if recovered.cut_bytes > 0 {
        // A crash after the truncation must not look like damage.
        if let Some(recorded) = mark.recorded() {
            mark.write(DurableEnd {
                segment_bytes: 0,
                ..recorded
            })?;
        }
        segment.set_size(tail.offset)?;
    }
    let zeros_end = segment.size()?.max(tail.offset);
    let segment = rewrite(segment, tail)?;
    segment.sync()?;
    segment::sync_folder(&*disk)?;
    let durable = DurableEnd {
        segment: header.first,
        offset: tail.offset,
        next: recovered.next,
        chain: tail.chain,
        segment_bytes: zeros_end,
    };
    let segments = Segments::new(recovered.segments.iter().copied());
    Ok(marked(Log::durable_until(
        durable, header, segment, segments, mark, disk,
    )))
}

/// Records that the log is durable.
fn marked(mut log: Log) -> Log {
    log.mark();
    log
}

/// Writes all groups again, unchanged, that are not recorded as synced by a later group.
///
/// After a failed sync, the operating system may keep bytes in its cache that are not on the disk, treat them as clean,
/// return them to readers, and let the next sync succeed without writing them.
fn rewrite(segment: Segment, tail: &Tail) -> io::Result<Segment> {
    let mut window = Window::new(segment)?;
    let mut at = tail.synced_offset;
    while at < tail.offset {
        let length = usize::try_from(tail.offset - at).unwrap_or(WINDOW_BYTES);
        let bytes = window.get(at, length.min(WINDOW_BYTES))?.to_vec();
        if bytes.is_empty() {
            return Err(io::Error::other(format!(
                "{}: the file has shrunk since it was read",
                tail.file.display()
            )));
        }
        window.segment().write_at(&bytes, at)?;
        at += bytes.len() as u64;
    }
    Ok(window.into_segment())
}
