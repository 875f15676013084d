//! `GET /v1/boards/{kind}/{subject}/count`: members whose first field lies between two values.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use problem::Problem;
use serde::Serialize;

use crate::app::App;
use crate::board_response::BoardResponse;
#[cfg(test)]
use crate::openapi::params::{OfBoard, OfBounds, OfWindow};
#[cfg(test)]
use crate::openapi::problems;
use crate::params::Params;
use crate::target::{BoardPath, read_window};

#[derive(Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = Count))]
struct CountShape {
    /// How many members those are.
    count: u64,
}

/// The body of the response.
#[cfg(test)]
type CountAnswer = BoardResponse<CountShape>;

/// Count the members whose first field is between two values
#[cfg_attr(test, utoipa::path(
    get,
    path = "/v1/boards/{kind}/{subject}/count",
    operation_id = "count",
    tag = "Reading",
    params(OfBoard, OfBounds, OfWindow),
    responses(
        (
            status = 200,
            description = "The number of members.",
            body = CountAnswer,
            example = json!({
                "board": "gifts/room-8842", "window": "day:2026-11-20", "version": "7b1c2f0a9d3e4c55.12",
            "as_of": "2026-11-20T14:52:23.004Z", "members": 2,
                "count": 1,
            }),
        ),
        problems::OfWindow,
    ),
))]
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    path: BoardPath,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let mut params = Params::of(query.as_deref())?;
    let bounds = params.bounds()?;
    let window = read_window(&app, path.kind(), params)?;
    let answer = app
        .merger
        .count(&path.board, path.kind(), window.window, bounds)
        .await?;
    let envelope = window.envelope(&path.board, &answer);
    Ok(BoardResponse {
        envelope,
        body: CountShape {
            count: answer.value,
        },
    }
    .into_response())
}
