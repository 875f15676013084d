//! More work than a node can do in time: [`Overload`].

use std::time::Duration;

/// More work waits for a node than it can do in time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct Overload {
    /// The node, and how much waits.
    pub why: String,
    /// About how long until that is done.
    pub wait: Duration,
}
