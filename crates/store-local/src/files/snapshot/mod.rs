//! A snapshot: the contents of all boards as one file, each part at a moment of its own.
//!
//! [`SnapshotWriter`] writes part after part and makes the file appear whole or not at all; [`SnapshotReader`] checks a
//! file and passes its parts to a [`PartVisitor`], on several threads if needed. A part is one shard of a board, or all
//! of a board that is not split, with the sequence from which on the journal has its later changes. The data structures
//! in memory, and when a snapshot is taken, are not known here.
//!
//! `snapshot-<sequence, 20 digits>.snap` contains everything in the journal before that sequence.
//! While it is written its name ends in `.tmp`. Little endian; varints, signed numbers, names and
//! windows are those of the journal's records (see `record`). Version 1.
//!
//! ```text
//! header   magic "mbsnapsh", version u32, sequence u64, checksum u32 of what is before it
//! units    one after the other: each some frames, and in them whole parts and profiles
//! table    frames; their payloads are one text, which may be cut anywhere
//! footer   where the table begins u64, checksum u32 of the header's bytes and this number, magic
//!
//! frame    length u32 (1 to 1 MiB), checksum u32, so many bytes of payload
//!          the checksum covers the sequence u64, the frame's offset in the file u64, the length and
//!          the payload: a frame of another file or offset is invalid
//!
//! part     one of each, in this order; no element reaches over the end of a frame
//!   head        1, incarnation u64, sequence u64, last write u64, created u8, shards u16, parts u16,
//!               part u16, kind varint (an index among the definitions), subject name, activity
//!   watermarks  2, bits varint, and for each bit set (0 hour, 1 day, 2 week, 3 month, and so on as `Period::number`)
//!               a time, signed (none where no window was dropped)
//!   ids         3, began u64, number varint, so many of 4 u32 (none to two of these)
//!   window      4, window (from 1970 on), counter varint, digest u64, number varint, so many rows
//!               (any number of these, sorted)
//!     row       member name, words u64 (as many as a standing of the kind has)
//!   end         5
//!
//! profiles 6, kind name, number varint, so many:
//!   profile     member name, length u16, JSON
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

use board::{Activity, BoardName, Incarnation, KindName, Period, ShardCount, Timestamp, Window};
use shard_store::ProfileChange;

use super::bytes::Malformed;

pub use folder::{SnapshotName, list, remove_before, remove_unfinished};
pub use read::SnapshotReader;
pub use write::SnapshotWriter;

/// The board and the position of a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartHead {
    /// The board's name.
    pub name: BoardName,
    /// Its incarnation.
    pub incarnation: Incarnation,
    /// Its number of shards.
    pub shards: ShardCount,
    /// Its time.
    pub activity: Activity,
    /// Whether it has had a contribution.
    pub created: bool,
    /// The last write, or when the settings were made if nothing was ever applied.
    pub last_write: Timestamp,
    /// The board's kind: its index among the snapshot's definitions.
    pub kind: u32,
    /// The number of parts of the board: 1, or one for each shard.
    pub parts: u16,
    /// The index of this part, from 0.
    pub part: u16,
    /// The journal's records from here on are not in this part.
    pub sequence: u64,
}

/// The latest start of a window that was dropped, by the number of its period.
pub type Watermarks = [Option<Timestamp>; Period::BOUNDED.len()];

/// The head of a window, before its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowHead {
    /// The window.
    pub window: Window,
    /// The counter of its version.
    pub counter: u64,
    /// The digest of its version.
    pub digest: u64,
    /// Number of rows that follow.
    pub rows: u64,
}

/// Receives the contents of a unit, in the order in which they were written: for each part its
/// head, then its watermarks, ids and windows, then its end. Announced numbers have been checked
/// against the length of the file, so capacity may be reserved for them.
pub trait PartVisitor {
    /// A part begins.
    fn head(&mut self, head: &PartHead) -> Result<(), Refusal>;

    /// The windows that the part has dropped.
    fn watermarks(&mut self, watermarks: &Watermarks) -> Result<(), Refusal>;

    /// A generation of remembered ids, the younger first; `count` ids follow.
    fn ids_generation(&mut self, began: Timestamp, count: u64) -> Result<(), Refusal>;

    /// A remembered id.
    fn id(&mut self, id: [u32; 4]) -> Result<(), Refusal>;

    /// A window; its rows follow.
    fn window(&mut self, window: &WindowHead) -> Result<(), Refusal>;

    /// A member of 1 to 128 bytes of UTF-8, and its standing.
    fn row(&mut self, member: &[u8], words: &[u64]) -> Result<(), Refusal>;

    /// The part ends.
    fn end(&mut self) -> Result<(), Refusal>;

    /// A profile, which is in no part.
    fn profile(&mut self, kind: &KindName, change: ProfileChange) -> Result<(), Refusal>;
}

/// Why a visitor rejects what it receives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal(pub String);

/// Numbers of elements. Some profiles of a kind count as a part, and each of them as a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// Parts.
    pub parts: u64,
    /// Rows of all windows.
    pub rows: u64,
    /// Remembered ids.
    pub ids: u64,
}

/// A snapshot could not be written, or is damaged.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "messages and types say what the fields are")]
pub enum SnapshotError {
    /// The file system failed.
    #[error("{}: {error}", file.display())]
    Io { file: PathBuf, error: io::Error },
    /// It is of another format.
    #[error(
        "{}: is not of format {}, the only one that this server supports",
        file.display(),
        format::VERSION
    )]
    Foreign { file: PathBuf },
    /// It has changed since it was written.
    #[error("{}: damaged at byte {offset}: {what}", file.display())]
    Damaged {
        file: PathBuf,
        offset: u64,
        what: Malformed,
    },
    /// The visitor rejected it.
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

    fn damaged(file: &Path, offset: u64) -> impl FnOnce(Malformed) -> Self {
        move |what| Self::Damaged {
            file: file.to_owned(),
            offset,
            what,
        }
    }
}
