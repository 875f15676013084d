//! How a read fails.

use shard_store::StoreError;

/// Why a read has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The store cannot be reached.
    #[error("the store is unavailable: {0}")]
    Unavailable(String),
    /// The window has been dropped: it is past its retention.
    #[error("the window is past its retention")]
    WindowGone,
}

impl From<StoreError> for ReadError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Dead => {
                Self::Unavailable("the board is deleted again and again".to_owned())
            }
            StoreError::WindowDropped => Self::WindowGone,
            StoreError::Unavailable(why) | StoreError::Unknown(why) => Self::Unavailable(why),
        }
    }
}
