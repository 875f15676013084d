//! The part that all responses about a board have in common: [`Envelope`].

use board::BoardName;
use serde::Serialize;

use crate::board::SpanShape;
use crate::entry::text_of;

/// The part that all responses about a board have in common.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(serde::Deserialize, utoipa::ToSchema))]
pub struct Envelope {
    /// The board, kind and subject.
    #[cfg_attr(feature = "schema", schema(example = "gifts/room-8842"))]
    board: String,
    /// The full name of the window.
    #[cfg_attr(feature = "schema", schema(example = "day:2026-11-20"))]
    window: String,
    /// Equal versions mean equal boards, on every server.
    version: String,
    /// When the read of the store began.
    #[cfg_attr(feature = "schema", schema(format = DateTime))]
    as_of: String,
    /// The number of ranked members.
    members: u64,
    /// For kinds that rank only their best members: the maximum number of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    listed: Option<u64>,
    #[serde(flatten)]
    span: SpanShape,
    /// True once the window, or the board, has ended and no longer changes.
    #[serde(rename = "final", default, skip_serializing_if = "std::ops::Not::not")]
    is_final: bool,
}

/// The window of a response.
#[derive(Debug)]
pub struct WindowShape {
    /// The full name.
    pub name: String,
    /// The maximum number of ranked members, if the kind limits it.
    pub listed: Option<u64>,
    /// Whether the window is final.
    pub is_final: bool,
}

impl Envelope {
    /// Returns the envelope of a result of the merger.
    #[must_use]
    pub fn new<T>(board: &BoardName, window: WindowShape, result: &merger::ReadResult<T>) -> Self {
        Self {
            board: board.to_string(),
            window: window.name,
            version: result.version.to_string(),
            as_of: text_of(result.as_of),
            members: result.members,
            listed: window.listed,
            span: SpanShape::from(&result.activity),
            is_final: window.is_final,
        }
    }

    /// Returns the full name of the window.
    #[must_use]
    pub fn window(&self) -> &str {
        &self.window
    }

    /// Returns the text of the version.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Returns whether the window, or the board, has ended and no longer changes.
    #[must_use]
    pub const fn is_final(&self) -> bool {
        self.is_final
    }
}
