//! Records of the journal: events as bytes and back.
//!
//! [`encode()`] writes an event of the engine; [`decode()`] reads it as a [`Record`], which owns
//! its contents. How records are stored in files, and their checksums, is up to the journal.
//!
//! A record begins with a byte for its type. Numbers are little endian; "varint" and "signed" are LEB128 numbers of up
//! to 10 bytes, the latter in zigzag. A name is a byte for its length and its UTF-8. A window is a byte for its period
//! (0 without bounds, 1 hour, 2 day, 3 week, 4 month, 5 to 10 of 2, 3, 4, 6, 8 and 12 hours, 11
//! quarter, 12 year, 13 to 18 of 2, 3, 4, 6, 8 and 12 weeks, 19 season) and, unless it has no bounds, its start: signed, in microseconds relative to a time that is given
//! for each.
//!
//! ```text
//! 1  kind written    alone u8 (0 or 1), the kind's record as JSON (see `kind_text`)
//! 2  board made      incarnation u64, at u64, created u8, shards u16, meaning u64, kind name, subject,
//!                    the activity
//! 3  board created   incarnation u64, at u64
//! 4  applied         incarnation u64, shard u16, now u64, dedupe varint (ms), items u32, the items
//! 5  windows dropped incarnation u64, shard u16, number varint, windows (from 1970 on)
//! 6  board emptied   incarnation u64
//! 7  board split     incarnation u64
//! 8  board ended     incarnation u64
//! 9  profile put     kind name, member, length u16, the profile as JSON
//! 10 profile deleted kind name, member
//! 11 activity changed  incarnation u64, the activity
//!
//! an item   flags u8: bits 0-1  0 fold, 1 set, 2 remove
//!                     bit  2    has an id
//!                     bit  3    counts in other windows than the item before
//!                     bits 4-7  the fields that it names
//!           windows   (bit 3)   number u8, windows (from `now` on); all items on count in them
//!           member    name
//!           at        signed, from `now` on
//!           values    signed, one for each field named
//!           id        (bit 2)   11 bytes of its digest
//! ```
//!
//! An activity is bits u8 (1 starts, 2 ends, 4 expires, 8 idle), then, for each
//! bit that is set, the start u64, the end u64, how long the board is kept after its end, varint (ms), and after how
//! long without a write it is deleted, varint (ms).
//!
//! Times (`at`, `now`) are microseconds since 1970, as two's complement. A new type, flag or
//! setting requires a new version of the journal's format: unknown ones are not skipped.

mod applied;
mod decode;
mod encode;
mod size;
#[cfg(test)]
pub(super) mod tests;

use std::time::Duration;

use board::limits::SHARDS_MAX;
use board::{Activity, Incarnation, KindName, Timestamp, Window};
use shard_store::{BoardRecord, Item, KindRecord, ProfileChange};

use super::bytes::{Bytes, Malformed};

pub use decode::decode;
pub use encode::encode;
pub use size::{
    BOARD_BYTES_MAX, batch_bytes_max, kind_bytes_max, profiles_bytes_max, sweep_bytes_max,
};

/// One event, as [`Event`](engine::Event) has it.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "those of the events say it")]
pub enum Record {
    KindWritten {
        record: KindRecord,
        without_boards: bool,
    },
    BoardMade {
        record: BoardRecord,
        at: Timestamp,
    },
    BoardCreated {
        incarnation: Incarnation,
        at: Timestamp,
    },
    Applied(Applied),
    WindowsDropped {
        incarnation: Incarnation,
        shard: u16,
        windows: Vec<Window>,
    },
    ActivityChanged {
        incarnation: Incarnation,
        activity: Activity,
    },
    BoardEmptied {
        incarnation: Incarnation,
    },
    BoardSplit {
        incarnation: Incarnation,
    },
    BoardEnded {
        incarnation: Incarnation,
    },
    ProfileChanged {
        kind: KindName,
        change: ProfileChange,
    },
}

/// A batch that was applied to one shard.
#[derive(Debug, Clone, PartialEq)]
pub struct Applied {
    /// Of the board.
    pub incarnation: Incarnation,
    /// Below 4096. Whether the board has this shard is checked later.
    pub shard: u16,
    /// When it was applied.
    pub now: Timestamp,
    /// How long its ids are remembered.
    pub dedupe: Duration,
    /// All were applied, in this order. Neighbours with the same windows share them; a removal has those of the
    /// previous item, which are meaningless. A digest has only the bits that are remembered.
    pub items: Vec<Item>,
}

/// A record's type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Type {
    KindWritten = 1,
    BoardMade = 2,
    BoardCreated = 3,
    Applied = 4,
    WindowsDropped = 5,
    BoardEmptied = 6,
    BoardSplit = 7,
    BoardEnded = 8,
    ProfilePut = 9,
    ProfileDeleted = 10,
    ActivityChanged = 11,
}

impl Type {
    const ALL: [Self; 11] = [
        Self::KindWritten,
        Self::BoardMade,
        Self::BoardCreated,
        Self::Applied,
        Self::WindowsDropped,
        Self::BoardEmptied,
        Self::BoardSplit,
        Self::BoardEnded,
        Self::ProfilePut,
        Self::ProfileDeleted,
        Self::ActivityChanged,
    ];
}

/// Reads a shard's number: below the maximum of any board.
fn take_shard(bytes: &mut Bytes<'_>) -> Result<u16, Malformed> {
    const WHAT: &str = "a shard";
    match bytes.u16(WHAT)? {
        shard if shard < SHARDS_MAX => Ok(shard),
        other => Err(Malformed::OutOfRange(WHAT, u64::from(other))),
    }
}
