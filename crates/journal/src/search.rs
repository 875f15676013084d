//! Past the end of the log: whether something says that more of it was once synced.
//!
//! Whatever stands there may be cut as the rest of a write that a crash tore, unless a whole group
//! behind it says that its own beginning was durable: then the log is damaged, and [`past_the_end`]
//! is what tells the two apart.

use std::io;

use super::Sequence;
use super::format::{GROUP_HEADER_BYTES, GROUP_MAGIC, GroupHeader, checksum_of_whole};
use super::segment::ZEROS;
use super::window::{WINDOW_BYTES, Window};

/// What stands past the end of the log.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Rest {
    /// Bytes up to the last one that is not zero.
    pub(super) bytes: u64,
    /// Where a group begins that says that the log was synced past its end.
    pub(super) evidence: Option<u64>,
}

/// Looks at all that stands past `offset`, where the log ends with sequence `end`.
pub(super) fn past_the_end(
    window: &mut Window,
    offset: u64,
    salt: u32,
    end: Sequence,
) -> io::Result<Rest> {
    let mut rest = Rest::default();
    let mut at = offset;
    loop {
        let bytes = window.get(at, WINDOW_BYTES)?;
        // Nearly always: a comparison is many times faster than a search.
        let used = if *bytes == ZEROS[..bytes.len()] {
            0
        } else {
            let last = bytes.iter().rposition(|&byte| byte != 0);
            last.map_or(0, |last| last + 1)
        };
        if used > 0 {
            rest.bytes = at + used as u64 - offset;
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
            if says_more(window, candidate, salt, end)? {
                rest.evidence = Some(candidate);
                return Ok(rest);
            }
        }
        if length < WINDOW_BYTES {
            return Ok(rest);
        }
        // A magic may lie across two looks.
        at += (length - (GROUP_MAGIC.len() - 1)) as u64;
    }
}

/// Whether a whole group begins here that says that the log was synced past `end`.
fn says_more(window: &mut Window, offset: u64, salt: u32, end: Sequence) -> io::Result<bool> {
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
    Ok(group.is_some_and(|group| checksum_of_whole(group, salt).is_some()))
}
