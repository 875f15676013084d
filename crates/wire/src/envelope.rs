//! What every response about a board says beside what was asked: [`Envelope`].

use board::BoardName;
use serde::Serialize;

use crate::board::SpanShape;
use crate::entry::text_of;

/// What every response about a board says.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(serde::Deserialize, utoipa::ToSchema))]
pub struct Envelope {
    /// Kind and subject.
    #[cfg_attr(feature = "schema", schema(example = "gifts/room-8842"))]
    board: String,
    /// The window, by its whole name.
    #[cfg_attr(feature = "schema", schema(example = "day:2026-11-20"))]
    window: String,
    /// The same version is the same board on every server.
    version: String,
    /// When the look at the store began.
    #[cfg_attr(feature = "schema", schema(format = DateTime))]
    as_of: String,
    /// How many are ranked.
    members: u64,
    /// Of kinds that rank only their best: how many at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    listed: Option<u64>,
    #[serde(flatten)]
    span: SpanShape,
    /// True once the window, or the board, is over.
    #[serde(rename = "final", default, skip_serializing_if = "std::ops::Not::not")]
    is_final: bool,
}

/// The window of a response.
#[derive(Debug)]
pub struct WindowShape {
    /// Its whole name.
    pub name: String,
    /// How many of it are ranked at most, by its kind.
    pub listed: Option<u64>,
    /// Whether it is over, as the response shows it.
    pub is_final: bool,
}

impl Envelope {
    /// The envelope of an answer of the merger.
    #[must_use]
    pub fn new<T>(board: &BoardName, window: WindowShape, answer: &merger::ReadResult<T>) -> Self {
        Self {
            board: board.to_string(),
            window: window.name,
            version: answer.version.to_string(),
            as_of: text_of(answer.as_of),
            members: answer.members,
            listed: window.listed,
            span: SpanShape::from(&answer.activity),
            is_final: window.is_final,
        }
    }
}
