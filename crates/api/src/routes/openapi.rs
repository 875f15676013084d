//! `GET /openapi.json`: the contract as a file.

use std::sync::LazyLock;

use axum::http::HeaderMap;
use axum::response::Response;
use http_server::validators::StaticFile;

#[cfg(test)]
use crate::openapi::params::{NotModified, OfKnown};

/// The document.
const TEXT: &str = include_str!("../../../../docs/openapi.json");

static FILE: LazyLock<StaticFile> =
    LazyLock::new(|| StaticFile::new("application/json", TEXT.as_bytes()));

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
        NotModified,
    ),
))]
pub(crate) async fn show(headers: HeaderMap) -> Response {
    FILE.respond(&headers).await
}
