//! `GET /v1/boards/{kind}/{subject}/count`: members whose first field lies between two values.

use std::sync::Arc;

use axum::extract::{FromRequestParts as _, Request, State};
use axum::response::Response;
use http_server::query_params::Params;
use wire::CountShape;
use wire::problem::Problem;

use crate::app::App;
#[cfg(test)]
use crate::board_response::BoardResponse;
#[cfg(test)]
use crate::openapi::params::{NotModified, OfBoard, OfBounds, OfKnown, OfWindow};
#[cfg(test)]
use crate::openapi::problems;
use crate::target::{BoardPath, read_window};

/// The body of the response.
#[cfg(test)]
type CountAnswer = BoardResponse<'static, CountShape>;

/// Count the members whose first field is between two values
#[cfg_attr(test, utoipa::path(
    get,
    path = "/v1/boards/{kind}/{subject}/count",
    operation_id = "count",
    tag = "Reading",
    params(OfBoard, OfBounds, OfWindow, OfKnown),
    responses(
        (
            status = 200,
            description = "The number of members.",
            body = CountAnswer,
            headers(
                ("etag" = String, description = "Identifies board, window and version; weak."),
                ("cache-control" = String, description = "`max-age` if the response is final, else `no-cache`."),
            ),
            example = json!({
                "board": "gifts/room-8842", "window": "day:2026-11-20", "version": "7b1c2f0a9d3e4c55.12",
            "as_of": "2026-11-20T14:52:23.004456Z", "members": 2,
                "count": 1,
            }),
        ),
        NotModified,
        problems::OfWindow,
    ),
))]
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    request: Request,
) -> Result<Response, Problem> {
    let (mut parts, _) = request.into_parts();
    let path = BoardPath::from_request_parts(&mut parts, &app).await?;
    let mut params = Params::of(parts.uri.query())?;
    let bounds = params.bounds()?;
    let window = read_window(&app, path.kind(), params)?;
    let answer = app
        .merger
        .count(&path.board, path.kind(), window.window, bounds)
        .await?;
    Ok(
        window.respond(&parts.headers, &path.board, &answer, "count", || {
            CountShape {
                count: answer.value,
            }
        }),
    )
}
