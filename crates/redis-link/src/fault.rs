//! Why a command has no answer: [`Fault`].

/// A command without the answer that was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It was never sent.
    #[error("{0}")]
    NotSent(String),
    /// It may have been sent, and no answer came.
    #[error("{0}")]
    Lost(String),
    /// Redis answered with an error: its words.
    #[error("{0}")]
    Redis(String),
}

impl Fault {
    /// What was said, by whomever.
    #[must_use]
    pub fn words(&self) -> &str {
        match self {
            Self::NotSent(words) | Self::Lost(words) | Self::Redis(words) => words,
        }
    }
}
