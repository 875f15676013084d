//! [`past_the_end`]: searches past the end of the log for evidence that more of it was synced.
//!
//! Bytes there may be truncated, since a crash may have interrupted a write, unless an intact group among them records
//! that the log was durable past its end: then the log is damaged.

use std::io;

use crate::format::{GROUP_HEADER_BYTES, GROUP_MAGIC, GroupHeader, intact_checksum};
use crate::segment::ZEROS;
use crate::sequence::Sequence;
use crate::window::{WINDOW_BYTES, Window};

/// The bytes past the end of the log.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Remains {
    /// The number of bytes up to the last one that is not zero.
    pub(super) bytes: u64,
    /// The offset of a group that records that the log was synced past its end.
    pub(super) evidence: Option<u64>,
}

/// Reads everything past `offset`, where the log ends with sequence `end`.
pub(super) fn past_the_end(
    window: &mut Window,
    offset: u64,
    salt: u32,
    end: Sequence,
) -> io::Result<Remains> {
    let mut remains = Remains::default();
    let mut at = offset;
    loop {
        let bytes = window.get(at, WINDOW_BYTES)?;
        // Nearly always all bytes are zeros, and a comparison is many times faster than a search.
        let used = if *bytes == ZEROS[..bytes.len()] {
            0
        } else {
            let last = bytes.iter().rposition(|&byte| byte != 0);
            last.map_or(0, |last| last + 1)
        };
        if used > 0 {
            remains.bytes = at + used as u64 - offset;
        }
        let candidates: Vec<usize> = bytes[..used]
            .windows(GROUP_MAGIC.len())
            .enumerate()
            .filter(|(_, window)| *window == GROUP_MAGIC)
            .map(|(position, _)| position)
            .collect();
        let length = bytes.len();
        for candidate in candidates {
            let candidate = at + candidate as u64;
            if is_evidence(window, candidate, salt, end)? {
                remains.evidence = Some(candidate);
                return Ok(remains);
            }
        }
        if length < WINDOW_BYTES {
            return Ok(remains);
        }
        // The magic may cross the end of the bytes that were read.
        at += (length - (GROUP_MAGIC.len() - 1)) as u64;
    }
}

/// Returns whether an intact group begins here that records that the log was synced past `end`.
fn is_evidence(window: &mut Window, offset: u64, salt: u32, end: Sequence) -> io::Result<bool> {
    let header = window
        .get(offset, GROUP_HEADER_BYTES)?
        .first_chunk()
        .and_then(GroupHeader::decode);
    let Some(header) = header else {
        return Ok(false);
    };
    if header.first < end || header.synced <= end {
        return Ok(false);
    }
    let group = window.whole(offset, header.group_bytes())?;
    Ok(group.is_some_and(|group| intact_checksum(group, salt).is_some()))
}
