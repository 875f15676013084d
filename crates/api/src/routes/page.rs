//! `GET /`, `GET /docs`, `GET /admin`, `GET /overlay/{kind}/{subject}` and `GET /page/{file}`: the files of
//! [`pages`](crate::pages). Sites of the configuration (`frame_ancestors`) may embed the live page and overlays, and no
//! others.

use crate::call::{Call, HandlerResult};
use crate::pages::{ADMIN, DOCS, LIVE, OVERLAY, respond};

pub(crate) async fn start(call: Box<Call>) -> HandlerResult {
    respond(LIVE, &call.headers, call.app.access.frame_ancestors()).await
}

/// Show this document as a page
#[cfg_attr(test, utoipa::path(
    get, path = "/docs", operation_id = "docs", tag = "Service",
    responses((status = 200, body = String, content_type = "text/html")),
))]
pub(crate) async fn docs(call: Box<Call>) -> HandlerResult {
    respond(DOCS, &call.headers, None).await
}

pub(crate) async fn admin(call: Box<Call>) -> HandlerResult {
    respond(ADMIN, &call.headers, None).await
}

pub(crate) async fn overlay(call: Box<Call>) -> HandlerResult {
    respond(OVERLAY, &call.headers, call.app.access.frame_ancestors()).await
}

pub(crate) async fn file(call: Box<Call>) -> HandlerResult {
    let name = call.path.file.as_deref().unwrap_or_default();
    respond(name, &call.headers, None).await
}
