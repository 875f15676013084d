//! Why something was not answered: [`Error`].

use std::error::Error as StdError;

use crate::problem::{Problem, ProblemType};

/// What lies behind an error.
pub(crate) type Cause = Box<dyn StdError + Send + Sync>;

/// Why something was not answered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The server's URL, a key, a name or a certificate cannot be used. Nothing was sent, and
    /// trying again will not help.
    #[error("{0}")]
    Unusable(String),
    /// There was no connection to the server: the request surely had no effect.
    #[error("cannot reach {url}: {cause}")]
    Unreached {
        /// The server.
        url: String,
        /// What the connection met, with what lies behind it.
        cause: String,
    },
    /// The connection ended, or time ran out, before the answer was there: whether the request had
    /// an effect is unknown.
    #[error("no response from {url}: {cause}")]
    Broken {
        /// The server.
        url: String,
        /// What the connection met, with what lies behind it.
        cause: String,
    },
    /// The server answered, and not with a success.
    #[error("{0}")]
    Problem(Problem),
    /// The answer is none that can be read.
    #[error("the server returned a response that could not be parsed: {0}")]
    Unreadable(#[source] Cause),
    /// The answer, or an event of a stream, is longer than it may be.
    #[error("the response is longer than {bytes_max} bytes")]
    TooLarge {
        /// How long it may be.
        bytes_max: usize,
    },
}

impl Error {
    /// What the server said, where that is what it is.
    #[must_use]
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Self::Problem(problem) => Some(problem),
            _ => None,
        }
    }

    /// Whether the server said this word.
    #[must_use]
    pub fn is(&self, kind: &ProblemType) -> bool {
        self.problem().is_some_and(|problem| problem.kind == *kind)
    }

    /// Whether what was asked for may have been done all the same. What is false here surely was
    /// not.
    #[must_use]
    pub fn is_undecided(&self) -> bool {
        match self {
            Self::Unusable(_) | Self::Unreached { .. } => false,
            Self::Broken { .. } | Self::Unreadable(_) | Self::TooLarge { .. } => true,
            Self::Problem(problem) => problem.is_undecided(),
        }
    }

    /// Whether it may be otherwise before long, though nobody does anything about it.
    pub(crate) fn is_passing(&self) -> bool {
        match self {
            Self::Unreached { .. } | Self::Broken { .. } => true,
            Self::Problem(problem) => problem.is_passing(),
            Self::Unusable(_) | Self::Unreadable(_) | Self::TooLarge { .. } => false,
        }
    }

    pub(crate) fn unreadable(cause: impl Into<Cause>) -> Self {
        Self::Unreadable(cause.into())
    }
}

/// An error and all that lies behind it, in one line.
pub(crate) fn chain(error: &dyn StdError) -> String {
    let mut text = error.to_string();
    let mut behind = error.source();
    while let Some(cause) = behind {
        let next = cause.to_string();
        if !text.contains(&next) {
            text = format!("{text}: {next}");
        }
        behind = cause.source();
    }
    text
}
