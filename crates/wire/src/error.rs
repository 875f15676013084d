//! Why a shape is not what it describes: [`ShapeError`].

use std::fmt::Display;

/// Why a shape describes no kind, contribution or settings. Names the field and its value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// A field is missing, or its value is not accepted.
    #[error("{0}")]
    Invalid(String),
    /// A number is outside the range of values, or would leave it.
    #[error("{0}")]
    OutOfRange(String),
}

impl ShapeError {
    pub(crate) fn invalid(detail: impl Into<String>) -> Self {
        Self::Invalid(detail.into())
    }
}

/// Returns the error of a setting whose value is not accepted.
pub(crate) fn wrong(setting: &str, reason: impl Display) -> ShapeError {
    ShapeError::invalid(format!("{setting}: {reason}"))
}
