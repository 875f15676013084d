//! Why a command has no reply: [`Fault`].

/// Why a command failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It was not sent.
    #[error("{0}")]
    NotSent(String),
    /// It may have been sent, and no reply arrived.
    #[error("{0}")]
    Lost(String),
    /// Redis replied with this error.
    #[error("{0}")]
    Redis(String),
}

impl Fault {
    /// Returns the message.
    #[must_use]
    pub fn message(&self) -> &str {
        match self {
            Self::NotSent(words) | Self::Lost(words) | Self::Redis(words) => words,
        }
    }
}
