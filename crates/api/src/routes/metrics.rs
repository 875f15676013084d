//! `GET /metrics`: the metrics of the service, in the format that the scraper accepts.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use metering::Format;

use crate::app::App;

/// Read the metrics
///
/// For Prometheus; `docs/operations.md` lists them. The format is `OpenMetrics` if `Accept` has it, otherwise the
/// text format of Prometheus.
#[cfg_attr(test, utoipa::path(
    get,
    path = "/metrics",
    operation_id = "metrics",
    tag = "Service",
    responses((
        status = 200,
        description = "All metrics.",
        content(
            (String = "text/plain"),
            (String = "application/openmetrics-text"),
        ),
    )),
))]
pub(crate) async fn show(State(app): State<Arc<App>>, headers: HeaderMap) -> Response {
    let is_ready = !app.is_draining() && app.router.store().check_ready().await.is_ok();
    app.metrics.note_ready(is_ready);
    app.metrics
        .streams
        .note_open(app.feeds.streams(), app.feeds.len());
    let format = Format::wanted(&headers);
    let headers = [
        (header::CONTENT_TYPE, format.media_type()),
        (header::VARY, HeaderValue::from_static("accept")),
    ];
    (headers, format.write(app.open_metrics())).into_response()
}
