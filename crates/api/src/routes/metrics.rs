//! `GET /metrics`: the metrics of the service, as `OpenMetrics`.

use axum::http::header;
use axum::response::IntoResponse as _;

use crate::call::{Call, HandlerResult};

/// `OpenMetrics` 1.0, which Prometheus and its relatives read, and people too.
const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Read the metrics
///
/// For Prometheus, as `OpenMetrics`; `docs/operations.md` lists them.
#[cfg_attr(test, utoipa::path(
    get, path = "/metrics", operation_id = "metrics", tag = "Service",
    responses((status = 200, body = String, content_type = "application/openmetrics-text")),
))]
pub(crate) async fn show(call: Box<Call>) -> HandlerResult {
    let app = &call.app;
    let is_ready = !app.is_draining() && app.router.store().check_ready().await.is_ok();
    app.metrics.note_ready(is_ready);
    app.metrics
        .streams
        .note_open(app.feeds.streams(), app.feeds.len());
    Ok(([(header::CONTENT_TYPE, MEDIA_TYPE)], app.open_metrics()).into_response())
}
