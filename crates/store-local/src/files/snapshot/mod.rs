//! A snapshot: the contents of all boards as one file, each part at a moment of its own.
//!
//! [`SnapshotWriter`] writes part after part and makes the file appear whole or not at all; [`SnapshotReader`] checks a
//! file and passes its parts to a [`PartVisitor`], on several threads if needed. A part is one shard of a board, or all
//! of a board that is not split, with the sequence from which on the journal has its later changes. The data structures
//! in memory, and when a snapshot is taken, are not known here.
//!
//! `snapshot-<sequence, 20 digits>.snap` contains everything in the journal before that sequence. While it is written
//! its name ends in `.tmp`. Numbers of the framing are little endian; everything in frames is in the format of
//! [`postcard`]. Version 1.
//!
//! ```text
//! header   magic "mbsnapsh", version u32, sequence u64, checksum u32 of what is before it
//! units    one after the other: each some frames, and in them whole parts and profiles
//! table    frames; their payloads are one [`Table`], which may be cut anywhere
//! footer   where the table begins u64, checksum u32 of the header's bytes and this number, magic
//!
//! frame    length u32 (1 to 1 MiB), checksum u32, so many bytes of payload
//!          the checksum covers the sequence u64, the frame's offset in the file u64, the length and
//!          the payload: a frame of another file or offset is invalid
//!
//! part     [`Element`]s: its head, the windows that were dropped (none where there are none), ids (none to two
//!          generations, each before its ids), windows (each before its rows, sorted), its end
//! row      a member, and the words of its standing: as many as a standing of the kind has
//! profiles an [`Element`], and so many changes of profiles
//! ```
//!
//! No element, id, row or profile reaches over the end of a frame. Every byte belongs to the header, a unit, the table
//! or the footer, and each is under a checksum: a file that is cut, longer or changed is refused.

mod folder;
mod format;
mod frames;
mod read;
#[cfg(test)]
mod tests;
mod write;

use std::io;
use std::path::{Path, PathBuf};

use board::{Activity, Incarnation, KindName, Period, ShardCount, Subject, Timestamp, Window};
use serde::{Deserialize, Serialize};
use shard_store::ProfileChange;

use super::Malformed;

pub use folder::{SnapshotName, list, remove_before, remove_unfinished};
pub use read::SnapshotReader;
pub use write::SnapshotWriter;

/// The board and the position of a part.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct PartHead {
    /// The board's subject.
    pub subject: Subject,
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

/// The head of a window, before its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
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

/// An element of a unit. What is counted follows it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub enum Element {
    /// A part begins.
    Head(PartHead),
    /// The latest start of a window that was dropped, by its period.
    Dropped(Vec<(Period, Timestamp)>),
    /// A generation of remembered ids, the younger first.
    Ids {
        /// When it began.
        began: Timestamp,
        /// Number of ids that follow.
        count: u64,
    },
    /// A window.
    Window(WindowHead),
    /// The part ends.
    End,
    /// Profiles of a kind, which are in no part.
    Profiles {
        /// The kind.
        kind: KindName,
        /// Number of profiles that follow.
        count: u64,
    },
}

/// The end of a snapshot.
#[derive(Debug, Default, Deserialize, Serialize)]
struct Table {
    /// The bytes of each unit. The first begins after the header.
    units: Vec<u64>,
    /// The kinds that parts refer to, as JSON.
    definitions: Vec<String>,
    /// The records of all kinds, as JSON.
    kinds: Vec<String>,
}

/// Receives the contents of a unit, in the order in which they were written. Announced numbers have been checked
/// against the length of the file, so capacity may be reserved for them.
pub trait PartVisitor {
    /// An element.
    fn element(&mut self, element: &Element) -> Result<(), Refusal>;
    /// A remembered id.
    fn id(&mut self, id: [u32; 4]) -> Result<(), Refusal>;
    /// A member, of 1 to 128 bytes of UTF-8, and its standing.
    fn row(&mut self, member: &[u8], words: &[u64]) -> Result<(), Refusal>;
    /// A profile.
    fn profile(&mut self, kind: &KindName, change: ProfileChange) -> Result<(), Refusal>;
}

/// Why a visitor rejects what it receives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal(pub String);

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

    #[expect(clippy::needless_pass_by_value, reason = "callers pass an error")]
    fn damaged(file: &Path, offset: u64, what: impl ToString) -> Self {
        Self::Damaged {
            file: file.to_owned(),
            offset,
            what: Malformed(what.to_string()),
        }
    }
}
