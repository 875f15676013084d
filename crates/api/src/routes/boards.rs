//! `GET /v1/boards`: the boards of a kind, by subject.

use std::sync::Arc;

use access::Caller;
use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;
use board::Subject;
use problem::Problem;
use query_params::Params;
use serde::Serialize;
use wire::SpanShape;

use crate::app::App;
#[cfg(test)]
use openapi_parts::params::{NotModified, OfBoards, OfKnown};
#[cfg(test)]
use openapi_parts::problems::OfKind;
use validators::validated_json;

const LIMIT_DEFAULT: usize = 100;
const LIMIT_MAX: u64 = 1000;

#[derive(Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = Boards))]
struct BoardsShape {
    kind: String,
    /// By subject.
    boards: Vec<BoardShape>,
    /// The subject to go on `after`; null at the end.
    #[cfg_attr(test, schema(required))]
    next: Option<String>,
}

/// A board of a list.
#[derive(Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = Listed))]
struct BoardShape {
    /// Kind and subject.
    board: String,
    subject: String,
    /// Over how many its members are spread.
    shards: u16,
    #[serde(flatten)]
    span: SpanShape,
}

/// List the boards of a kind
///
/// Lists the boards that have had a contribution, by subject.
#[cfg_attr(test, utoipa::path(
    get,
    path = "/v1/boards",
    operation_id = "boards",
    tag = "Boards",
    params(OfBoards, OfKnown),
    responses(
        (
            status = 200,
            description = "A page of boards.",
            body = BoardsShape,
            headers(("etag" = String, description = "Identifies the list.")),
            example = json!({
                "kind": "gifts",
                "boards": [{"board": "gifts/room-8842", "subject": "room-8842", "shards": 16}],
                "next": null,
            }),
        ),
        NotModified,
        OfKind,
    ),
))]
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    caller: Caller,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let mut params = Params::of(query.as_deref())?;
    let kind = params
        .text("kind")?
        .ok_or_else(|| Problem::invalid("kind: is missing"))?;
    let after = params.text("after")?;
    let limit = params.count("limit", 1..=LIMIT_MAX)?;
    params.finish()?;
    let after = after.map(|text| Subject::new(&text)).transpose();
    let after = after.map_err(|error| Problem::invalid(format!("after: {error}")))?;
    let limit = limit
        .and_then(|limit| usize::try_from(limit).ok())
        .unwrap_or(LIMIT_DEFAULT);
    caller.check_kind(&kind)?;
    let known = app.kind(&kind).await?;
    let name = known.kind.name();
    // One more than asked shows whether there is a next page.
    let mut records = app
        .router
        .store()
        .boards(name, after.as_ref(), limit + 1)
        .await?;
    let more = records.len() > limit;
    records.truncate(limit);
    let last = records
        .last()
        .map(|record| record.name.subject().to_string());
    let boards = records.iter().map(|record| BoardShape {
        board: record.name.to_string(),
        subject: record.name.subject().to_string(),
        shards: record.shards.get(),
        span: SpanShape::from(&record.activity),
    });
    let shape = BoardsShape {
        kind: name.to_string(),
        boards: boards.collect(),
        next: last.filter(|_| more),
    };
    Ok(validated_json(&headers, &shape))
}
