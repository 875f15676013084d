//! What errors of the crates below are to clients.

use board::NotAdmitted;
use merger::ReadError;
use shard_router::{CatalogueError, Reason};
use shard_store::{Failure, PutSettingsError, Refused, StoreError};
use wire::ShapeError;

use crate::problem::Problem;
use crate::problem_type::ProblemType;

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
        let kind = match &error {
            StoreError::Overloaded(overload) => return Self::overloaded(&error, overload),
            StoreError::Unknown(_) => ProblemType::Unknown,
            StoreError::WindowDropped => ProblemType::WindowGone,
            StoreError::Dead
            | StoreError::StaleKind
            | StoreError::Late
            | StoreError::Unavailable(_) => ProblemType::Unavailable,
        };
        Self::new(kind, error.to_string())
    }
}

impl From<ReadError> for Problem {
    fn from(error: ReadError) -> Self {
        let kind = match &error {
            ReadError::Overloaded(overload) => return Self::overloaded(&error, overload),
            ReadError::KindChanged | ReadError::Unavailable(_) => ProblemType::Unavailable,
            ReadError::WindowGone => ProblemType::WindowGone,
        };
        Self::new(kind, error.to_string())
    }
}

impl From<&Failure> for Problem {
    fn from(failure: &Failure) -> Self {
        let kind = match failure {
            Failure::Overloaded(overload) => return Self::overloaded(failure, overload),
            Failure::Unavailable(_) => ProblemType::Unavailable,
            Failure::Unknown(_) => ProblemType::Unknown,
        };
        Self::new(kind, failure.to_string())
    }
}

impl From<&Reason> for ProblemType {
    fn from(reason: &Reason) -> Self {
        match reason {
            Reason::NotAdmitted(NotAdmitted::FromTheFuture { .. }) => Self::FromTheFuture,
            Reason::NotAdmitted(NotAdmitted::WindowClosed { .. })
            | Reason::Shard(Refused::WindowClosed(_)) => Self::WindowClosed,
            Reason::NotOpen(_) => Self::NotOpen,
            Reason::OtherWindow { .. } => Self::Invalid,
            Reason::NotAdmitted(NotAdmitted::OutOfRange { .. })
            | Reason::Shard(Refused::OutOfRange(_)) => Self::OutOfRange,
            Reason::Shard(Refused::NotRanked(_)) => Self::NotRanked,
        }
    }
}

impl From<&Reason> for Problem {
    fn from(reason: &Reason) -> Self {
        Self::new(reason.into(), reason.to_string())
    }
}

impl From<CatalogueError> for Problem {
    fn from(error: CatalogueError) -> Self {
        let kind = match &error {
            CatalogueError::Unknown(_) => ProblemType::UnknownKind,
            CatalogueError::Change(_) | CatalogueError::HasBoards(_) => ProblemType::KindHasBoards,
            CatalogueError::TooMany(_)
            | CatalogueError::TooManyHidden(_)
            | CatalogueError::Contended(_) => ProblemType::Conflict,
            CatalogueError::Store(error) => return error.clone().into(),
        };
        Self::new(kind, error.to_string())
    }
}

impl From<PutSettingsError> for Problem {
    fn from(error: PutSettingsError) -> Self {
        match error {
            PutSettingsError::Created => Self::new(ProblemType::BoardExists, error.to_string()),
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
    fn an_overload_says_when_to_come_back_in_whole_seconds() {
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
                Problem::from(&Failure::Overloaded(overload)),
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
        let away = Problem::from(StoreError::Unavailable(String::new())).into_response();
        assert_eq!(away.headers()["retry-after"], "1");
    }
}
