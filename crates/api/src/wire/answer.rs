//! What every answer about a board carries, around what was asked.

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use board::BoardName;
use serde::Serialize;

use super::board::SpanShape;
use super::entry::text_of;
use crate::target::ReadWindow;

/// `board`, `window`, `version`, `as_of`, `members`, `listed` where only the best are ranked, `starts_at`
/// and `ends_at` where the board's time is bounded, and `final` once it or the window is over.
#[derive(Debug, Serialize)]
pub(crate) struct Envelope {
    board: String,
    window: String,
    version: String,
    as_of: String,
    members: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    listed: Option<u64>,
    #[serde(flatten)]
    span: SpanShape,
    #[serde(rename = "final", skip_serializing_if = "std::ops::Not::not")]
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
            is_final: window.is_final || answer.is_final(),
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
