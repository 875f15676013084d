//! `If-None-Match` of a read: whether the client already has the response.

use axum::http::{HeaderMap, header};

/// Whether the client has it, by weak comparison (RFC 9110, 13.1.2).
pub(crate) fn matches(headers: &HeaderMap, etag: &[u8]) -> bool {
    let etag = str::from_utf8(etag).unwrap_or_default();
    let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    headers.get_all(header::IF_NONE_MATCH).iter().any(|value| {
        let tags = value.to_str().unwrap_or_default();
        tags.trim() == "*" || tags.split(',').any(|tag| opaque(tag) == opaque(etag))
    })
}
