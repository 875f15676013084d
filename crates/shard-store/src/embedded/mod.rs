//! The store that keeps everything in this process, durable in one folder.
//!
//! `disk` is all that is asked of a file system, so that tests can stand in its way; `journal` keeps
//! records on it, in order; `record` has what happened as records, `own` what the store says for
//! itself; `snapshot` is the file that stands in for old records, `snapshotter` takes one and
//! `snapshots` decides when; `recovery` brings a folder back into memory. `bytes` is what formats share. The store
//! itself is the same one as in memory: what the engine tells goes here.

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
