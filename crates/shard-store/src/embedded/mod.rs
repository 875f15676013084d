//! The store that keeps everything in this process, durable in one folder.
//!
//! ```text
//! disk       all operations on the file system: tests fail, tear and fill here
//! journal    numbered opaque records: groups, segments, room, one committer thread, recovery
//! record     events as records and back; own: records that the store writes for itself
//! snapshot   the file that replaces old records; snapshotter takes one, snapshots decides when
//! recovery   load: a snapshot; replay: the journal behind it; crew: the threads that do both
//! bytes      what the formats share
//! ```
//!
//! The store itself is the same one as in memory (`local`): what the engine reports is written here.

mod bytes;
mod disk;
mod error;
pub(crate) mod journal;
mod own;
pub(crate) mod record;
pub(crate) mod recovery;
mod settings;
pub(crate) mod snapshot;
mod snapshots;
mod snapshotter;

pub use disk::{Disk, DiskFile, LocalDisk, OpenError};
pub use error::EmbeddedError;
pub(crate) use own::Own;
pub(crate) use recovery::Recovery;
pub use settings::{Durability, EmbeddedSettings};
pub(crate) use snapshots::Snapshots;
