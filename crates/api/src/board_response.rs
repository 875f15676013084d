//! Responses about a board, in the envelope that all of them have.

use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use board::BoardName;
use http_server::validators::{BoardTag, Caching, is_known};
use merger::ReadResult;
use serde::Serialize;
use wire::Envelope;

use crate::read_window::ReadWindow;

/// Returns the JSON of an envelope with the members of this body, which has some.
pub(crate) fn json_of(envelope: &Envelope<'_>, body: &impl Serialize) -> Vec<u8> {
    envelope.with(&serde_json::to_vec(body).expect("a shape is JSON, and memory is no file"))
}

impl ReadWindow {
    /// Returns the response of a read to a `GET`, or 304 if the client has it: then `json` is not made. The URL and the
    /// version determine the body, together with `variant`.
    pub(crate) fn respond<T>(
        &self,
        headers: &HeaderMap,
        board: &BoardName,
        read: &ReadResult<T>,
        variant: &str,
        json: impl FnOnce(&Envelope<'_>) -> Vec<u8>,
    ) -> Response {
        let envelope = self.envelope(board, read);
        let tag = BoardTag {
            version: &envelope.version,
            window: &envelope.window,
            activity: &read.activity,
            listed: envelope.listed,
            is_final: envelope.is_final,
            variant,
        };
        let etag = HeaderValue::try_from(tag.text());
        let caching = Caching {
            etag: etag.expect("versions and windows are ASCII"),
            freshness: self.freshness(envelope.is_final),
            may_be_gzip: false,
        };
        if is_known(headers, &caching.etag) {
            return caching.not_modified();
        }
        caching.json(json(&envelope))
    }
}
