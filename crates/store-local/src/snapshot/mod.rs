//! A snapshot: what all boards held, each part at a moment of its own, as one file.
//!
//! [`SnapshotWriter`] is told part after part and makes the file appear whole or not at all;
//! [`SnapshotReader`] checks one and tells its parts to a [`PartVisitor`], from several threads if
//! need be. A part is one shard of a board, or all of a board that is not split, with the sequence
//! from which on the journal tells what became of it. What is held in memory, and when a snapshot is
//! made, is not known here.
//!
//! `snapshot-<sequence, 20 digits>.snap` says all that the journal tells before that sequence. While
//! it is written its name ends in `.tmp`. Little endian; varints, signed numbers, names and windows
//! are those of the journal's records (see `record`). Version 2;
//! version 1 has no element 6.
//!
//! ```text
//! header   magic "megasnap", version u32, sequence u64, checksum u32 of what is before it
//! units    one after the other: each some frames, and in them whole parts
//! table    frames; their payloads are one text, which may be cut anywhere
//! footer   where the table begins u64, checksum u32 of the header's bytes and this number, magic
//!
//! frame    length u32 (1 to 1 MiB), checksum u32, so many bytes of payload
//!          the checksum is of the sequence u64, the frame's place in the file u64, the length and
//!          the payload: a frame of another file, or another place, is none
//!
//! part     one of each, in this order; no element reaches over the end of a frame
//!   head        1, incarnation u64, sequence u64, last write u64, created u8, shards u16, parts u16,
//!               part u16, kind varint (a place among the definitions), subject name
//!   head        6, in place of 1 where the board's time is bounded: as 1, and the activity behind it
//!   watermarks  2, bits u8, and for each bit set (0 hour, 1 day, 2 week, 3 month) a time, signed
//!               (none where no window was dropped)
//!   ids         3, began u64, number varint, so many of 4 u32 (none to two of these)
//!   window      4, window (from 1970 on), counter varint, digest u64, number varint, so many rows
//!               (any number of these, sorted)
//!     row       member name, words u64 (as many as a standing of the kind has)
//!   end         5
//!
//! table    number varint of units, for each: bytes, parts, rows, ids varint
//!          number varint of definitions, for each: length varint, a kind as JSON
//!          number varint of kinds, for each: length varint, a kind's record as JSON
//! ```
//!
//! Every byte belongs to the header, a unit, the table or the footer, and each is under a checksum:
//! a file that is cut, longer or changed is refused.

mod folder;
mod format;
mod frames;
mod part;
mod read;
mod table;
#[cfg(test)]
mod tests;
mod write;

use std::io;
use std::path::{Path, PathBuf};

use board::{Activity, BoardName, Incarnation, ShardCount, Timestamp, Window};

use super::bytes::Malformed;

pub(crate) use folder::{SnapshotName, list, remove_before, remove_unfinished};
pub(crate) use read::SnapshotReader;
pub(crate) use write::SnapshotWriter;

/// What a part is a part of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PartHead {
    pub(crate) name: BoardName,
    pub(crate) incarnation: Incarnation,
    pub(crate) shards: ShardCount,
    pub(crate) activity: Activity,
    pub(crate) created: bool,
    /// Or when it was settled, while nothing was ever applied to it.
    pub(crate) last_write: Timestamp,
    /// The board's kind: its place among the snapshot's definitions.
    pub(crate) kind: u32,
    /// Into how many parts the board was written: 1, or one for each shard.
    pub(crate) parts: u16,
    /// Which of them this is, counted from 0.
    pub(crate) part: u16,
    /// What the journal tells from there on is not in this part yet.
    pub(crate) sequence: u64,
}

/// The latest start of a window that was dropped: by the hour, the day, the week, the month.
pub(crate) type Watermarks = [Option<Timestamp>; 4];

/// What is told of a window before its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WindowHead {
    pub(crate) window: Window,
    pub(crate) counter: u64,
    pub(crate) digest: u64,
    /// How many rows follow.
    pub(crate) rows: u64,
}

/// Hears what a unit holds, in the order in which it was written: a head, then what the part has of
/// watermarks, ids and windows, then its end. Numbers told ahead were held against the bytes that
/// are there, so room may be made for them.
pub(crate) trait PartVisitor {
    fn head(&mut self, head: &PartHead) -> Result<(), Refusal>;

    fn watermarks(&mut self, watermarks: &Watermarks) -> Result<(), Refusal>;

    /// A generation of remembered ids, the younger first; so many follow.
    fn ids_generation(&mut self, began: Timestamp, count: u64) -> Result<(), Refusal>;

    fn id(&mut self, id: [u32; 4]) -> Result<(), Refusal>;

    fn window(&mut self, window: &WindowHead) -> Result<(), Refusal>;

    /// A member of 1 to 128 bytes of UTF-8, and its standing.
    fn row(&mut self, member: &[u8], words: &[u64]) -> Result<(), Refusal>;

    fn end(&mut self) -> Result<(), Refusal>;
}

/// Why a visitor does not take what it hears.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal(pub(crate) String);

/// How much there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Totals {
    pub(crate) parts: u64,
    pub(crate) rows: u64,
    pub(crate) ids: u64,
}

/// A snapshot was not written, or is not to be trusted.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SnapshotError {
    /// The file system failed.
    #[error("{}: {error}", file.display())]
    Io { file: PathBuf, error: io::Error },
    /// A newer server wrote it.
    #[error(
        "{}: of format version {version}; this server knows versions up to {known}",
        file.display()
    )]
    Newer {
        file: PathBuf,
        version: u32,
        known: u32,
    },
    /// It is not as it was written.
    #[error("{}: damaged at byte {offset}: {what}", file.display())]
    Damaged {
        file: PathBuf,
        offset: u64,
        what: Malformed,
    },
    /// The visitor did not take it.
    #[error("{}: at byte {offset}: {}", file.display(), why.0)]
    Refused {
        file: PathBuf,
        offset: u64,
        why: Refusal,
    },
}

impl SnapshotError {
    fn io(file: &Path) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::Io {
            file: file.to_owned(),
            error,
        }
    }

    fn newer(file: &Path, version: u32) -> Self {
        Self::Newer {
            file: file.to_owned(),
            version,
            known: format::VERSION,
        }
    }

    fn damaged(file: &Path, offset: u64) -> impl FnOnce(Malformed) -> Self {
        move |what| Self::Damaged {
            file: file.to_owned(),
            offset,
            what,
        }
    }
}
