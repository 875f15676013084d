//! What became of a request with contributions: [`BatchReply`], the one place that classifies responses to them.

use std::time::Duration;

use super::receipt::Receipt;
use crate::client::Response;
use crate::error::Error;
use crate::problem::Problem;

/// What became of a request with contributions.
#[derive(Debug)]
pub enum BatchReply {
    /// The outcome of each, as far as the server came.
    Receipt {
        /// The outcomes.
        receipt: Receipt,
        /// What ended the request, or kept the store from taking all of it.
        problem: Option<Problem>,
        /// How long the server asks to be left alone.
        retry_after: Option<Duration>,
        /// Whether sending the others again will not help.
        is_refusal: bool,
    },
    /// None was applied; another time they may be.
    NotApplied(Error),
    /// Whether they were applied is unknown.
    Unknown(Error),
    /// None was applied, and they were too much for one request.
    TooLarge(Error),
    /// None was applied, and sending them again will not help.
    Refused(Error),
}

impl BatchReply {
    /// Classifies the response to a request of so many contributions.
    pub(super) fn of(sent: Result<Response, Error>, count: usize) -> Self {
        let response = match sent {
            Ok(response) => response,
            Err(error @ Error::Unreached { .. }) => return Self::NotApplied(error),
            Err(error) if error.is_undecided() => return Self::Unknown(error),
            Err(error) => return Self::Refused(error),
        };
        // A receipt says how far the server came, whatever ended the request.
        if let Some(receipt) = Receipt::parse(&response.body, count) {
            return Self::Receipt {
                receipt,
                problem: (!response.is_success()).then(|| response.problem()),
                retry_after: response.retry_after,
                is_refusal: !matches!(response.status, 200..=299 | 408 | 429 | 500..),
            };
        }
        let problem = || Error::Problem(response.problem());
        match response.status {
            200..=299 => Self::Unknown(Error::unreadable("it is not a receipt")),
            413 => Self::TooLarge(problem()),
            429 => Self::NotApplied(problem()),
            // A body that took too long, a gateway that lost the server, a server that broke.
            _ if problem().is_undecided() => Self::Unknown(problem()),
            503 => Self::NotApplied(problem()),
            _ => Self::Refused(problem()),
        }
    }

    /// How long the server asks to be left alone.
    pub(super) fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Receipt { retry_after, .. } => *retry_after,
            Self::NotApplied(error)
            | Self::Unknown(error)
            | Self::TooLarge(error)
            | Self::Refused(error) => error.problem().and_then(|problem| problem.retry_after),
        }
    }
}
