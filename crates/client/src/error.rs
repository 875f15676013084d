//! Errors of requests: [`Error`].

use std::error::Error as StdError;
use std::io;

use crate::problem::{Problem, ProblemType};
use crate::tls;

/// The source of an error.
pub(crate) type Cause = Box<dyn StdError + Send + Sync>;

/// An error of a request.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The server's URL, a key, a name or a certificate is invalid. Nothing was sent, and a retry
    /// will not help.
    #[error("{0}")]
    Unusable(String),
    /// There was no connection to the server: the request definitely had no effect.
    #[error("cannot reach {url}: {cause}")]
    Unreached {
        /// The server.
        url: String,
        /// The error of the connection, with its sources.
        cause: String,
    },
    /// The connection ended, or the timeout passed, before the response arrived: whether the request
    /// had an effect is unknown.
    #[error("no response from {url}: {cause}")]
    Broken {
        /// The server.
        url: String,
        /// The error of the connection, with its sources.
        cause: String,
    },
    /// The server returned an error.
    #[error("{0}")]
    Problem(Problem),
    /// The response could not be parsed.
    #[error("the server returned a response that could not be parsed: {0}")]
    Unreadable(#[source] Cause),
    /// The response, or an event of a stream, exceeds its maximum size.
    #[error("the response is longer than {bytes_max} bytes")]
    TooLarge {
        /// The maximum size.
        bytes_max: usize,
    },
}

impl Error {
    /// Returns the problem if the server returned an error.
    #[must_use]
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Self::Problem(problem) => Some(problem),
            _ => None,
        }
    }

    /// Returns whether the server returned a problem of this type.
    #[must_use]
    pub fn is(&self, kind: &ProblemType) -> bool {
        self.problem().is_some_and(|problem| problem.kind == *kind)
    }

    /// Returns whether the request may have been applied despite the error. If false, it definitely
    /// was not.
    #[must_use]
    pub fn is_undecided(&self) -> bool {
        match self {
            Self::Unusable(_) | Self::Unreached { .. } => false,
            Self::Broken { .. } | Self::Unreadable(_) | Self::TooLarge { .. } => true,
            Self::Problem(problem) => problem.is_undecided(),
        }
    }

    /// Returns whether the same request may succeed later.
    pub(crate) fn is_temporary(&self) -> bool {
        match self {
            Self::Unreached { .. } | Self::Broken { .. } => true,
            Self::Problem(problem) => problem.is_temporary(),
            Self::Unusable(_) | Self::Unreadable(_) | Self::TooLarge { .. } => false,
        }
    }

    pub(crate) fn unreadable(cause: impl Into<Cause>) -> Self {
        Self::Unreadable(cause.into())
    }
}

/// Describes the causes of which the errors of the HTTP client do not say what to do.
pub(crate) fn explained(error: &(dyn StdError + 'static)) -> Option<String> {
    if causes(error).any(tls::is_not_tls) {
        return Some(
            "the server does not use TLS on this port: write http:// in its URL".to_owned(),
        );
    }
    let is_refused = |cause: &(dyn StdError + 'static)| {
        let cause = cause.downcast_ref::<io::Error>();
        cause.is_some_and(|cause| cause.kind() == io::ErrorKind::ConnectionRefused)
    };
    let is_refused = causes(error).any(is_refused);
    is_refused.then(|| "connection refused: no server listens there".to_owned())
}

/// Returns whether the server sent no HTTP, or nothing: it may use TLS.
pub(crate) fn is_no_http(error: &(dyn StdError + 'static)) -> bool {
    causes(error)
        .filter_map(|cause| cause.downcast_ref::<hyper::Error>())
        .any(|cause| cause.is_parse() || cause.is_incomplete_message())
}

/// Iterates over an error and its sources.
pub(crate) fn causes<'a>(
    error: &'a (dyn StdError + 'static),
) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |error| {
        let error: &'a (dyn StdError + 'static) = *error;
        // The `source` of an I/O error skips the error that it wraps.
        let wrapped = error
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        match wrapped {
            Some(wrapped) => Some(wrapped),
            None => error.source(),
        }
    })
}

/// Formats an error and all its sources on one line.
pub(crate) fn chain(error: &dyn StdError) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let next = cause.to_string();
        if !text.contains(&next) {
            text = format!("{text}: {next}");
        }
        source = cause.source();
    }
    text
}
