//! What every answer about a board carries, around what was asked.

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use board::BoardName;
use serde::Serialize;
use utoipa::ToSchema;

use super::board::SpanShape;
use super::entry::text_of;
use crate::target::ReadWindow;

/// Bytes of a byte of a name in JSON, at most: quotes are escaped, and names have no control characters.
pub(crate) const ESCAPED_BYTES_MAX: usize = 2;

/// What every answer about a board carries.
#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(test, derive(serde::Deserialize))]
pub(crate) struct Envelope {
    /// Kind and subject.
    #[schema(example = "gifts/room-8842")]
    board: String,
    /// The window, by its whole name.
    #[schema(example = "day:2026-11-20")]
    window: String,
    /// The same version is the same board on every server.
    version: String,
    /// When the look at the store began.
    #[schema(format = DateTime)]
    as_of: String,
    /// How many are ranked.
    members: u64,
    /// Of kinds that rank only their best: how many at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    listed: Option<u64>,
    #[serde(flatten)]
    span: SpanShape,
    /// True once the window, or the board, is over.
    #[serde(rename = "final", default, skip_serializing_if = "std::ops::Not::not")]
    is_final: bool,
}

impl Envelope {
    pub(crate) fn new<T>(
        board: &BoardName,
        window: &ReadWindow,
        answer: &merger::Answer<T>,
    ) -> Self {
        Self {
            board: board.to_string(),
            window: window.name(),
            version: answer.version.to_string(),
            as_of: text_of(answer.as_of),
            members: answer.members,
            listed: window.listed,
            span: SpanShape::from(&answer.activity),
            is_final: window.is_final(answer.as_of, &answer.activity),
        }
    }
}

/// An envelope with an object's members behind its own.
#[derive(Debug, Serialize)]
pub(crate) struct Answer<T: Serialize> {
    #[serde(flatten)]
    pub(crate) envelope: Envelope,
    #[serde(flatten)]
    pub(crate) body: T,
}

impl<T: Serialize> IntoResponse for Answer<T> {
    fn into_response(self) -> Response {
        json(&self)
    }
}

/// A JSON answer.
pub(crate) fn json(shape: &impl Serialize) -> Response {
    let text = serde_json::to_vec(shape).expect("an answer is JSON, and memory is no file");
    let media_type = HeaderValue::from_static("application/json");
    let no_cache = HeaderValue::from_static("no-cache");
    (
        [
            (header::CONTENT_TYPE, media_type),
            (header::CACHE_CONTROL, no_cache),
        ],
        text,
    )
        .into_response()
}
