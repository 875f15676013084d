//! `GET /openapi.json`: the contract as a file.

use std::sync::LazyLock;

use http_server::validators::StaticFile;

use crate::call::{Call, HandlerResult};

/// The document.
const TEXT: &str = include_str!("../../../../docs/openapi.json");

static FILE: LazyLock<StaticFile> =
    LazyLock::new(|| StaticFile::new("application/json", TEXT.as_bytes()));

/// Read this document
#[cfg_attr(test, utoipa::path(
    get, path = "/openapi.json", operation_id = "openapi", tag = "Service",
    responses((status = 200, body = serde_json::Value)),
))]
pub(crate) async fn show(call: Box<Call>) -> HandlerResult {
    Ok(FILE.respond(&call.headers).await)
}
