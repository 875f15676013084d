//! What every answer about a board says: [`Envelope`], [`Span`].

use jiff::Timestamp;
use serde::Deserialize;

/// What every answer about a board says.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Envelope {
    /// Kind and subject.
    pub board: String,
    /// The window, by its whole name, such as `day:2026-11-20`.
    pub window: String,
    /// The same version is the same board on every server.
    pub version: String,
    /// When the look at the store began.
    pub as_of: Timestamp,
    /// How many are ranked.
    pub members: u64,
    /// Of kinds that rank only their best: how many at most.
    pub listed: Option<u64>,
    /// Whether the window, or the board, is over.
    #[serde(default, rename = "final")]
    pub is_final: bool,
    /// The time that the board is bounded by, where it is.
    #[serde(flatten)]
    pub span: Span,
}

/// The time that a board is bounded by, where it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Span {
    /// Contributions before it are refused.
    pub starts_at: Option<Timestamp>,
    /// Contributions from then on are refused, and the board is final.
    pub ends_at: Option<Timestamp>,
}
