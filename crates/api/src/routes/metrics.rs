//! `GET /metrics`: what the service has counted, for Prometheus.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};

use crate::app::App;

/// The text of `OpenMetrics`, which Prometheus and its kin ask for first.
const MEDIA_TYPE: HeaderValue =
    HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");

/// What the service has counted
///
/// For Prometheus; `docs/operations.md` lists the names.
#[utoipa::path(
    get,
    path = "/metrics",
    operation_id = "metrics",
    tag = "Service",
    responses((
        status = 200,
        description = "OpenMetrics text.",
        content_type = "application/openmetrics-text",
        body = String,
    )),
)]
pub(crate) async fn show(State(app): State<Arc<App>>) -> Response {
    let is_ready = app.router.store().ready().await.is_ok();
    app.metrics.note_ready(is_ready);
    app.metrics
        .streams
        .note_open(app.feeds.streams(), app.feeds.len());
    ([(header::CONTENT_TYPE, MEDIA_TYPE)], app.told_metrics()).into_response()
}
