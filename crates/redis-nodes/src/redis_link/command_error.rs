//! Why a command has no reply: [`CommandError`].

use shard_store::Overload;

/// Why a command failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// It was not sent.
    #[error("{0}")]
    NotSent(String),
    /// It was not sent, since it would be late after what waits before it.
    #[error(transparent)]
    Overloaded(Overload),
    /// It may have been sent, and no reply arrived.
    #[error("{0}")]
    Lost(String),
    /// Redis replied with this error.
    #[error("{0}")]
    Redis(String),
}
