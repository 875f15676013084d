//! [`LocalError`]: why a local store could not be opened, or a snapshot could not be taken.

use std::io;
use std::path::PathBuf;

use crate::files::snapshot::SnapshotError;

/// A local store could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum LocalError {
    /// A file could not be read or written; the message names it.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The journal is damaged, or of another format; the message names file and offset.
    #[error("{0}")]
    Journal(String),
    /// The snapshot is damaged, or of another format, or could not be written; the message names the file.
    #[error("{0}")]
    Snapshot(String),
    /// A replayed record did not have the effect it had before: snapshot and journal do not belong together.
    #[error("record {0} of the journal does not match the data: files are mixed up or missing")]
    Differs(u64),
    /// The journal refers to boards that do not exist.
    #[error("the journal refers to {0} boards that do not exist: files are mixed up or missing")]
    Missing(usize),
    /// There is no journal: the folder was never used, or its files are gone.
    #[error("{}: there is no journal here", .0.display())]
    Nothing(PathBuf),
    /// The journal no longer accepts records.
    #[error("{0}")]
    Lost(String),
    /// The store was closed in the meantime.
    #[error("the store is closed")]
    Closed,
}

impl From<SnapshotError> for LocalError {
    fn from(error: SnapshotError) -> Self {
        Self::Snapshot(error.to_string())
    }
}
