//! `GET` and `POST /v1/boards/{kind}/{subject}/rank`: the position that a standing would have.

use board::Values;
use http_server::query_params::FieldValue;
use http_server::validators::json_text;
use merger::{PositionView, ReadResult};
use serde::Deserialize;
use wire::problem::Problem;
use wire::{InputValues, Integer, NamedIntegers, RankShape};

use crate::board_response::json_of;
use crate::call::{BoardRead, Call, HandlerResult, NoParams};
#[cfg(test)]
use crate::openapi::prelude::*;
use crate::query::query;

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

query! {
    struct PointsParams {
        /// The points. Only for kinds with one field.
        #[param(value_type = i64, minimum = -9_007_199_254_740_991i64, maximum = 9_007_199_254_740_991i64, example = 10_000)]
        points: FieldValue,
    }
}

#[cfg(test)]
type RankResponse = BoardResponse<RankShape>;

/// Read the rank that points would have
///
/// It is the rank of a member that reached them now.
#[cfg_attr(test, utoipa::path(
    get, path = "/v1/boards/{kind}/{subject}/rank", operation_id = "rank_of_points", tag = "Reading",
    params(PointsParams, OfWindow),
    responses((status = 200, body = RankResponse), problems::OfScore),
))]
pub(crate) async fn of_points(call: Box<Call>) -> HandlerResult {
    let (read, params) = BoardRead::of::<PointsParams>(call).await?;
    let read = read.validated_if(true);
    let points = Integer::Exact(params.points.0);
    let values = InputValues::Points(points).read_outright(read.board.kind())?;
    let (found, body) = position(&read, &values).await?;
    // The position depends on the time, too: a member may have reached the same points ahead of the server's clock.
    let variant = format!("rank{}", body.position.unwrap_or(0));
    read.respond(&found, &variant, || body)
}

/// Read the rank that values would have
///
/// It is the rank of a member that reached them now.
#[cfg_attr(test, utoipa::path(
    post, path = "/v1/boards/{kind}/{subject}/rank", operation_id = "rank_of_values", tag = "Reading",
    params(OfWindow), request_body(content = ValuesShape<'static>),
    responses((status = 200, body = RankResponse), problems::OfScore),
))]
pub(crate) async fn of_values(call: Box<Call>) -> HandlerResult {
    let (read, NoParams {}) = BoardRead::of(call).await?;
    let text = read.call.json_text().await?;
    let shape: ValuesShape<'_> = http_server::from_json(&text)?;
    let values = InputValues::of(shape.points, shape.values.as_ref())?;
    let values = values.read_outright(read.board.kind())?;
    let (found, body) = position(&read, &values).await?;
    let envelope = read.window.envelope(read.name(), &found);
    Ok(json_text(json_of(&envelope, &body).into()))
}

async fn position(
    read: &BoardRead,
    values: &Values,
) -> Result<(ReadResult<Option<PositionView>>, RankShape), Problem> {
    let (app, window) = (&read.call.app, read.window.window);
    let now = app.router.arrival(app.now());
    let found = app
        .merger
        .position(read.name(), read.board.kind(), window, values, now)
        .await?;
    let body = RankShape {
        rank: found.value.map(|view| view.rank),
        position: found.value.map(|view| view.position),
    };
    Ok((found, body))
}
