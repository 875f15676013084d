//! Conversions of errors of the crates below into problems.

use crate::ShapeError;
use board::{ActivityChangeError, AdmissionError};
use merger::ReadError;
use shard_router::{CatalogueError, WriteOutcome, WriteRejected};
use shard_store::{ItemFailure, ItemRejected, PutSettingsError, StoreError};

use crate::problem::details::Problem;
use crate::problem::problem_type::ProblemType;

impl From<ShapeError> for Problem {
    fn from(error: ShapeError) -> Self {
        let kind = match &error {
            ShapeError::Invalid(_) => ProblemType::Invalid,
            ShapeError::OutOfRange(_) => ProblemType::OutOfRange,
        };
        Self::new(kind, error.to_string())
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        // The title names the type: the detail does not repeat it.
        let kind = match error {
            StoreError::Overloaded(overload) => return Self::overloaded(&overload),
            StoreError::Unknown(why) => return Self::new(ProblemType::Unknown, why),
            StoreError::Unavailable(why) => return Self::new(ProblemType::Unavailable, why),
            StoreError::WindowDropped => ProblemType::WindowGone,
            StoreError::IncarnationEnded
            | StoreError::SettingsChanged
            | StoreError::StaleKind
            | StoreError::DeadlinePassed => ProblemType::Unavailable,
        };
        Self::new(kind, error.to_string())
    }
}

impl From<ReadError> for Problem {
    fn from(error: ReadError) -> Self {
        let kind = match error {
            ReadError::Overloaded(overload) => return Self::overloaded(&overload),
            ReadError::Unavailable(why) => return Self::new(ProblemType::Unavailable, why),
            ReadError::KindChanged => ProblemType::Unavailable,
            ReadError::WindowGone => ProblemType::WindowGone,
        };
        Self::new(kind, error.to_string())
    }
}

impl From<&ItemFailure> for Problem {
    fn from(failure: &ItemFailure) -> Self {
        let kind = match failure {
            ItemFailure::Overloaded(overload) => return Self::overloaded(overload),
            ItemFailure::Unavailable(_) => ProblemType::Unavailable,
            ItemFailure::Unknown(_) => ProblemType::Unknown,
        };
        Self::new(kind, failure.to_string())
    }
}

impl From<&WriteRejected> for ProblemType {
    fn from(reason: &WriteRejected) -> Self {
        match reason {
            WriteRejected::NotAdmitted(AdmissionError::FromTheFuture { .. }) => Self::FromTheFuture,
            WriteRejected::NotAdmitted(AdmissionError::WindowClosed { .. })
            | WriteRejected::WindowNotOpen { .. }
            | WriteRejected::Shard(ItemRejected::WindowClosed(_)) => Self::WindowClosed,
            WriteRejected::NotOpen(_) => Self::NotOpen,
            WriteRejected::OtherWindow { .. } => Self::Invalid,
            WriteRejected::NotAdmitted(AdmissionError::OutOfRange { .. })
            | WriteRejected::Shard(ItemRejected::OutOfRange(_)) => Self::OutOfRange,
            WriteRejected::Shard(ItemRejected::NotRanked(_)) => Self::NotRanked,
        }
    }
}

impl Problem {
    /// Returns why a write was not applied; `None` if it was.
    #[must_use]
    pub fn of_write(written: &WriteOutcome) -> Option<Self> {
        match written {
            WriteOutcome::Applied(_) | WriteOutcome::Partial(..) | WriteOutcome::Duplicate(_) => {
                None
            }
            WriteOutcome::Rejected(reason) => Some(reason.into()),
            WriteOutcome::Failed(failure) => Some(failure.into()),
        }
    }
}

impl From<&WriteRejected> for Problem {
    fn from(reason: &WriteRejected) -> Self {
        Self::new(reason.into(), reason.to_string())
    }
}

impl From<CatalogueError> for Problem {
    fn from(error: CatalogueError) -> Self {
        let kind = match &error {
            CatalogueError::Unknown(_) => ProblemType::UnknownKind,
            CatalogueError::Change(_) | CatalogueError::HasBoards(_) => ProblemType::KindHasBoards,
            CatalogueError::Unsupported(_) => ProblemType::Invalid,
            CatalogueError::TooMany(_)
            | CatalogueError::TooManyHidden(_)
            | CatalogueError::Contended(_) => ProblemType::Conflict,
            CatalogueError::Store(error) => return error.clone().into(),
        };
        Self::new(kind, error.to_string())
    }
}

impl From<ActivityChangeError> for Problem {
    fn from(error: ActivityChangeError) -> Self {
        Self::new(ProblemType::BoardExists, error.to_string())
    }
}

impl From<PutSettingsError> for Problem {
    fn from(error: PutSettingsError) -> Self {
        match error {
            PutSettingsError::AlreadyCreated => {
                Self::new(ProblemType::BoardExists, error.to_string())
            }
            PutSettingsError::StaleKind => Self::new(ProblemType::Conflict, error.to_string()),
            PutSettingsError::Store(error) => error.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use axum::response::IntoResponse as _;
    use shard_store::Overload;

    use super::*;

    #[test]
    fn an_overload_has_retry_after_in_whole_seconds() {
        for (wait_ms, seconds) in [
            (0, "1"),
            (1_000, "1"),
            (1_001, "2"),
            (5_600, "6"),
            (99_000, "30"),
        ] {
            let overload = Overload {
                why: "10.0.0.1:6379 has work waiting".to_owned(),
                wait: Duration::from_millis(wait_ms),
            };
            let problems = [
                Problem::from(StoreError::Overloaded(overload.clone())),
                Problem::from(ReadError::Overloaded(overload.clone())),
                Problem::from(&ItemFailure::Overloaded(overload)),
            ];
            for problem in problems {
                assert_eq!(problem.kind, ProblemType::Overloaded);
                assert!(
                    problem.detail.contains("10.0.0.1:6379"),
                    "{}",
                    problem.detail
                );
                let response = problem.into_response();
                assert_eq!(response.headers()["retry-after"], seconds);
            }
        }
        let unavailable = Problem::from(StoreError::Unavailable(String::new())).into_response();
        assert_eq!(unavailable.headers()["retry-after"], "1");
    }
}
