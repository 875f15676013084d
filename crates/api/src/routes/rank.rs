//! `GET` and `POST /v1/boards/{kind}/{subject}/rank`: the position that a standing would have.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{FromRequestParts as _, RawQuery, Request, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use board::Values;
use http_server::query_params::Params;
use merger::{PositionView, ReadResult};
use serde::Deserialize;
use wire::problem::Problem;
use wire::{InputValues, Integer, NamedIntegers, RankShape};

use crate::app::App;
use crate::board_response::BoardResponse;
use crate::body;
#[cfg(test)]
use crate::openapi::params::{NotModified, OfBoard, OfKnown, OfPoints, OfWindow};
#[cfg(test)]
use crate::openapi::problems::OfScore;
use crate::read_window::ReadWindow;
use crate::target::{BoardPath, read_window};

/// A standing: `points`, or `values`.
#[derive(Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = Score))]
#[serde(deny_unknown_fields, expecting = "an object with values")]
struct ValuesShape<'a> {
    /// The value, for kinds with one field.
    #[serde(borrow)]
    #[cfg_attr(test, schema(value_type = Option<Integer<'static>>))]
    points: Option<Integer<'a>>,
    /// The fields by name, for any kind.
    #[serde(borrow)]
    values: Option<NamedIntegers<'a>>,
}

/// The body of the response.
#[cfg(test)]
type RankResponse = BoardResponse<'static, RankShape>;

/// Read the rank that points would have
///
/// It is the rank of a member that reached them now.
#[cfg_attr(test, utoipa::path(
    get,
    path = "/v1/boards/{kind}/{subject}/rank",
    operation_id = "rank_of_points",
    tag = "Reading",
    params(OfBoard, OfPoints, OfWindow, OfKnown),
    responses(
        (
            status = 200,
            description = "The member with its position.",
            body = RankResponse,
            headers(
                ("etag" = String, description = "Identifies board, window and version; weak."),
            ),
            example = json!({
                "board": "gifts/room-8842", "window": "day:2026-11-20", "version": "7b1c2f0a9d3e4c55.12",
            "as_of": "2026-11-20T14:52:23.004456Z", "members": 2,
                "rank": 1, "position": 1,
            }),
        ),
        NotModified,
        OfScore,
    ),
))]
pub(crate) async fn of_points(
    State(app): State<Arc<App>>,
    request: Request,
) -> Result<Response, Problem> {
    let (mut parts, _) = request.into_parts();
    let path = BoardPath::from_request_parts(&mut parts, &app).await?;
    let mut params = Params::of(parts.uri.query())?;
    let points = params.value("points")?;
    let window = read_window(&app, path.kind(), params)?.validated();
    let points = points.ok_or_else(|| Problem::invalid("points: is missing"))?;
    let values = InputValues::Points(Integer::Exact(points)).read_outright(path.kind())?;
    let (answer, body) = position(&app, &path, &window, &values).await?;
    // The position depends on the time, too: a member may have reached the same points ahead of the server's clock.
    let variant = format!("rank{}", body.position.unwrap_or(0));
    Ok(window.respond(&parts.headers, &path.board, &answer, &variant, || body))
}

/// Read the rank that values would have
///
/// It is the rank of a member that reached them now.
#[cfg_attr(test, utoipa::path(
    post,
    path = "/v1/boards/{kind}/{subject}/rank",
    operation_id = "rank_of_values",
    tag = "Reading",
    params(OfBoard, OfWindow),
    request_body(content = ValuesShape<'static>, example = json!({"values": {"points": 10_000}})),
    responses(
        (
            status = 200,
            description = "The member with its position.",
            body = RankResponse,
            example = json!({
                "board": "gifts/room-8842", "window": "day:2026-11-20", "version": "7b1c2f0a9d3e4c55.12",
            "as_of": "2026-11-20T14:52:23.004456Z", "members": 2,
                "rank": 1, "position": 1,
            }),
        ),
        OfScore,
    ),
))]
pub(crate) async fn of_values(
    State(app): State<Arc<App>>,
    path: BoardPath,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    request: Body,
) -> Result<Response, Problem> {
    let window = read_window(&app, path.kind(), Params::of(query.as_deref())?)?;
    let text = body::json_text(&app, &headers, request).await?;
    let shape: ValuesShape<'_> = http_server::from_json(&text)?;
    let values =
        InputValues::of(shape.points, shape.values.as_ref())?.read_outright(path.kind())?;
    let (answer, body) = position(&app, &path, &window, &values).await?;
    let envelope = window.envelope(&path.board, &answer);
    Ok(BoardResponse { envelope, body }.into_response())
}

async fn position(
    app: &App,
    path: &BoardPath,
    window: &ReadWindow,
    values: &Values,
) -> Result<(ReadResult<Option<PositionView>>, RankShape), Problem> {
    let (board, kind) = (&path.board, path.kind());
    let answer = app
        .merger
        .position(
            board,
            kind,
            window.window,
            values,
            app.router.arrival(app.now()),
        )
        .await?;
    let body = RankShape {
        rank: answer.value.map(|view| view.rank),
        position: answer.value.map(|view| view.position),
    };
    Ok((answer, body))
}
