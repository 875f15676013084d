//! Classifying the response to a request with contributions: [`BatchReply`].

use std::time::Duration;

use super::receipt::Receipt;
use crate::client::Response;
use crate::error::Error;
use crate::problem::Problem;

/// The result of a request with contributions.
#[derive(Debug)]
pub enum BatchReply {
    /// A receipt, for the contributions that the server read.
    Receipt {
        /// The outcomes.
        receipt: Receipt,
        /// Why the server ended the request, or the store could not apply all of it.
        problem: Option<Problem>,
        /// The value of `Retry-After`.
        retry_after: Option<Duration>,
        /// Whether a retry of the others will not help.
        is_refusal: bool,
    },
    /// None was applied; a retry may help.
    NotApplied(Error),
    /// Whether they were applied is unknown.
    Unknown(Error),
    /// None was applied: the request was too large.
    TooLarge(Error),
    /// None was applied, and a retry will not help.
    Refused(Error),
}

impl BatchReply {
    /// Classifies the response to a request of `count` contributions.
    pub(super) fn of(sent: Result<Response, Error>, count: usize) -> Self {
        let response = match sent {
            Ok(response) => response,
            Err(error @ Error::Unreached { .. }) => return Self::NotApplied(error),
            Err(error) if error.is_undecided() => return Self::Unknown(error),
            Err(error) => return Self::Refused(error),
        };
        // A response of any status may be a receipt for the contributions that were read.
        if let Some(receipt) = Receipt::parse(&response.body, count) {
            return Self::Receipt {
                receipt,
                problem: (!response.is_success()).then(|| response.problem()),
                retry_after: response.retry_after,
                // 422: all of them are rejected, and decided.
                is_refusal: !matches!(response.status, 200..=299 | 408 | 422 | 429 | 500..),
            };
        }
        let problem = || Error::Problem(response.problem());
        match response.status {
            200..=299 => Self::Unknown(Error::unreadable("not a receipt")),
            413 => Self::TooLarge(problem()),
            429 => Self::NotApplied(problem()),
            // The body took too long, a gateway lost the server, or the server failed.
            _ if problem().is_undecided() => Self::Unknown(problem()),
            503 => Self::NotApplied(problem()),
            _ => Self::Refused(problem()),
        }
    }

    /// Returns the value of `Retry-After`.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Receipt { retry_after, .. } => *retry_after,
            Self::NotApplied(error)
            | Self::Unknown(error)
            | Self::TooLarge(error)
            | Self::Refused(error) => error.problem().and_then(|problem| problem.retry_after),
        }
    }
}
