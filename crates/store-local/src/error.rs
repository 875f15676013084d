//! Why an embedded store did not open, or a snapshot was not taken.

use std::io;
use std::path::PathBuf;

use super::snapshot::SnapshotError;

/// An embedded store did not open.
#[derive(Debug, thiserror::Error)]
pub enum EmbeddedError {
    /// A file could not be read or written; the message names it.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The journal is damaged, or of a later version; the message names file and offset.
    #[error("{0}")]
    Journal(String),
    /// The snapshot is damaged, or of a later version, or could not be written; the message names
    /// the file.
    #[error("{0}")]
    Snapshot(String),
    /// A record did not do what it did before: snapshot and journal do not belong together.
    #[error("record {0} of the journal does not fit what is there: files are mixed up or missing")]
    Differs(u64),
    /// The journal speaks of boards that are not there.
    #[error("the journal speaks of {0} boards that are not there: files are mixed up or missing")]
    Missing(usize),
    /// There is no journal: nothing was ever kept here, or it is gone.
    #[error("{}: no journal is here", .0.display())]
    Nothing(PathBuf),
    /// The journal takes nothing any more.
    #[error("{0}")]
    Lost(String),
    /// The store was closed meanwhile.
    #[error("the store is closed")]
    Closed,
}

impl From<SnapshotError> for EmbeddedError {
    fn from(error: SnapshotError) -> Self {
        Self::Snapshot(error.to_string())
    }
}
