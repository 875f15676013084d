//! `GET /`, `GET /docs`, `GET /admin`, `GET /overlay/{kind}/{subject}` and `GET /page/{file}`: the pages of
//! [`pages`](crate::pages).
//! Sites of the configuration (`frame_ancestors`) may embed the live page and overlays, and no others.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use wire::problem::Problem;

use crate::app::App;
#[cfg(test)]
use crate::openapi::params::{NotModified, OfKnown};
use crate::target::FilePath;

pub(crate) async fn start(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    crate::pages::respond(crate::pages::LIVE, &headers, app.access.frame_ancestors()).await
}

/// Show this document as a page
#[cfg_attr(test, utoipa::path(
    get,
    path = "/docs",
    operation_id = "docs",
    tag = "Service",
    params(OfKnown),
    responses(
        (
            status = 200,
            description = "The page.",
            body = String,
            content_type = "text/html",
            headers(("etag" = String, description = "Identifies the page.")),
        ),
        NotModified,
    ),
))]
pub(crate) async fn docs(headers: HeaderMap) -> Result<Response, Problem> {
    crate::pages::respond(crate::pages::DOCS, &headers, None).await
}

pub(crate) async fn admin(headers: HeaderMap) -> Result<Response, Problem> {
    crate::pages::respond(crate::pages::ADMIN, &headers, None).await
}

pub(crate) async fn overlay(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    crate::pages::respond(
        crate::pages::OVERLAY,
        &headers,
        app.access.frame_ancestors(),
    )
    .await
}

pub(crate) async fn file(
    FilePath(name): FilePath,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    crate::pages::respond(&name, &headers, None).await
}
