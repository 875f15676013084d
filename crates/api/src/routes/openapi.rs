//! `GET /openapi.json`: the contract as a file.

use std::sync::LazyLock;

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::if_none_match;
#[cfg(test)]
use crate::openapi::params::OfKnown;
use crate::routes::page::digest;

/// The document.
const TEXT: &str = include_str!("../../../../docs/openapi.json");

static ETAG: LazyLock<HeaderValue> = LazyLock::new(|| digest(TEXT.as_bytes()));

/// Read this document
#[cfg_attr(test, utoipa::path(
    get,
    path = "/openapi.json",
    operation_id = "openapi",
    tag = "Service",
    params(OfKnown),
    responses(
        (
            status = 200,
            description = "The document, in OpenAPI 3.1.",
            body = serde_json::Value,
            headers(("etag" = String, description = "Identifies the document.")),
        ),
        (
            status = 304,
            description = "The cached response is current.",
            headers(("etag" = String, description = "The same `ETag`.")),
        ),
    ),
))]
pub(crate) async fn show(headers: HeaderMap) -> Response {
    let cached = [
        (header::ETAG, ETAG.clone()),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    ];
    if if_none_match::matches(&headers, ETAG.as_bytes()) {
        return (StatusCode::NOT_MODIFIED, cached).into_response();
    }
    let media_type = HeaderValue::from_static("application/json");
    let media_type = [(header::CONTENT_TYPE, media_type)];
    (cached, media_type, TEXT).into_response()
}
