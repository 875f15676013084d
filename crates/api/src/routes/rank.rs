//! `GET` and `POST /v1/boards/{kind}/{subject}/rank`: the place that a standing would have.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use board::Values;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::body;
use crate::params::Params;
use crate::problem::Problem;
use crate::target::{BoardPath, ReadWindow, read_window};
use crate::wire::{Answer, Envelope, Integer, Named, NamedIntegers};

/// Null where it would not be on the list of a kind that ranks only its best.
#[derive(Serialize)]
struct PlaceShape {
    rank: Option<u64>,
    position: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with values")]
struct ValuesShape<'a> {
    points: Option<Integer>,
    #[serde(borrow)]
    values: Option<NamedIntegers<'a>>,
}

pub(crate) async fn of_points(
    State(app): State<Arc<App>>,
    path: BoardPath,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let mut params = Params::of(query.as_deref());
    let points = params.value("points")?;
    let window = read_window(&app, path.kind(), params)?;
    let points = points.ok_or_else(|| Problem::invalid("points: is missing"))?;
    let values = Named::Points(Integer::Exact(points)).read_outright(path.kind())?;
    place(&app, &path, &window, &values).await
}

pub(crate) async fn of_values(
    State(app): State<Arc<App>>,
    path: BoardPath,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    request: Body,
) -> Result<Response, Problem> {
    let window = read_window(&app, path.kind(), Params::of(query.as_deref()))?;
    let text = body::json_text(&app, &headers, request).await?;
    let shape: ValuesShape<'_> = body::from_json(&text)?;
    let values = Named::of(shape.points, shape.values.as_ref())?.read_outright(path.kind())?;
    place(&app, &path, &window, &values).await
}

async fn place(
    app: &App,
    path: &BoardPath,
    window: &ReadWindow,
    values: &Values,
) -> Result<Response, Problem> {
    let (board, kind) = (&path.board, path.kind());
    let answer = app
        .merger
        .place(board, kind, window.window, values, app.now())
        .await?;
    let envelope = Envelope::new(board, window, &answer);
    let body = PlaceShape {
        rank: answer.value.map(|place| place.rank),
        position: answer.value.map(|place| place.position),
    };
    Ok(Answer { envelope, body }.into_response())
}
