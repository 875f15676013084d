//! Why a shape is rejected: [`ShapeError`].

use std::fmt::Display;

/// Why a shape is rejected. The message has the field and its value.
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

/// Returns an error about a setting.
pub(crate) fn wrong(setting: &str, reason: impl Display) -> ShapeError {
    ShapeError::invalid(format!("{setting}: {reason}"))
}
