//! [`ReadError`]: how a read fails.

use shard_store::{Overload, StoreError};

/// Why a read failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The store cannot keep up with its load.
    #[error("the store is overloaded: {0}")]
    Overloaded(Overload),
    /// The store cannot be reached.
    #[error("the store is unavailable: {0}")]
    Unavailable(String),
    /// The window has been dropped: it is past its retention.
    #[error("the window is past its retention")]
    WindowGone,
    /// The kind was changed after the caller read it.
    #[error("the kind has just changed: retry the request")]
    KindChanged,
}

impl From<StoreError> for ReadError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::IncarnationEnded => {
                Self::Unavailable("the board was deleted repeatedly during the read".to_owned())
            }
            StoreError::WindowDropped => Self::WindowGone,
            StoreError::SettingsChanged => Self::Unavailable(
                "the board's settings were changed repeatedly during the read".to_owned(),
            ),
            StoreError::StaleKind => Self::KindChanged,
            error @ StoreError::DeadlinePassed => Self::Unavailable(error.to_string()),
            StoreError::Overloaded(overload) => Self::Overloaded(overload),
            StoreError::Unavailable(why) | StoreError::Unknown(why) => Self::Unavailable(why),
        }
    }
}
