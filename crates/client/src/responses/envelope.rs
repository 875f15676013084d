//! Members that all responses about a board have: [`Envelope`], [`Span`].

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::time::in_micros;

/// The members that all responses about a board have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Envelope {
    /// The name of the board: kind and subject.
    pub board: String,
    /// The full name of the window, such as `day:2026-11-20`.
    pub window: String,
    /// The version of the window. Equal versions mean equal content, on every server.
    pub version: String,
    /// When the read of the store began.
    #[serde(serialize_with = "in_micros")]
    pub as_of: Timestamp,
    /// The number of ranked members.
    pub members: u64,
    /// The maximum number of ranked members, for kinds that rank only their best.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listed: Option<u64>,
    /// Whether the window or the board has ended.
    #[serde(default, rename = "final", skip_serializing_if = "std::ops::Not::not")]
    pub is_final: bool,
    /// The time span of the board.
    #[serde(flatten)]
    pub span: Span,
}

/// The time span of a board, if it has one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Span {
    /// Contributions before this time are rejected.
    #[serde(serialize_with = "in_micros", skip_serializing_if = "Option::is_none")]
    pub starts_at: Option<Timestamp>,
    /// Contributions at or after this time are rejected, and the board is then final.
    #[serde(serialize_with = "in_micros", skip_serializing_if = "Option::is_none")]
    pub ends_at: Option<Timestamp>,
}
