//! [`ItemFailure`] of one item, and [`Overload`].

use std::time::Duration;

/// The store has more pending work than it can do in time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct Overload {
    /// What is pending, and where.
    pub why: String,
    /// Estimated time until that is done.
    pub wait: Duration,
}

/// Why the store could not apply an item.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ItemFailure {
    /// Definitely not applied: the store is overloaded.
    #[error("{0}")]
    Overloaded(Overload),
    /// Definitely not applied.
    #[error("{0}")]
    Unavailable(String),
    /// May have been applied.
    #[error("{0}")]
    Unknown(String),
}
