//! How a read fails.

use shard_store::{Overload, StoreError};

/// Why a read has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The store has more to do than it can do in time.
    #[error("the store is overloaded: {0}")]
    Overloaded(Overload),
    /// The store cannot be reached.
    #[error("the store is unavailable: {0}")]
    Unavailable(String),
    /// The window has been dropped: it is past its retention.
    #[error("the window is past its retention")]
    WindowGone,
    /// Another kind has taken the place of the one that the board was to be read by.
    #[error("the kind has just changed: ask again")]
    KindChanged,
}

impl From<StoreError> for ReadError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Dead => {
                Self::Unavailable("the board is deleted again and again".to_owned())
            }
            StoreError::WindowDropped => Self::WindowGone,
            StoreError::StaleKind => Self::KindChanged,
            error @ StoreError::Late => Self::Unavailable(error.to_string()),
            StoreError::Overloaded(overload) => Self::Overloaded(overload),
            StoreError::Unavailable(why) | StoreError::Unknown(why) => Self::Unavailable(why),
        }
    }
}
