//! JSON responses.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use serde::Serialize;

use crate::validators::caching::{Caching, digest, is_known};

fn text_of(shape: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(shape).expect("a shape is JSON, and memory is no file")
}

/// Returns a JSON response to a `GET`, or 304 if the client has these bytes.
pub fn validated_json(headers: &HeaderMap, shape: &impl Serialize) -> Response {
    let text = text_of(shape);
    let etag = HeaderValue::try_from(format!("\"{}\"", digest(&text)));
    let caching = Caching::validated(etag.expect("hexadecimal digits are ASCII"));
    if is_known(headers, &caching.etag) {
        return caching.not_modified();
    }
    caching.json(text)
}

/// Returns a JSON response.
pub fn json(shape: &impl Serialize) -> Response {
    json_text(text_of(shape).into())
}

/// Returns a JSON response of this text.
#[must_use]
pub fn json_text(text: Body) -> Response {
    let mut response = Response::new(text);
    let headers = response.headers_mut();
    let media_type = HeaderValue::from_static("application/json");
    headers.insert(header::CONTENT_TYPE, media_type);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}
