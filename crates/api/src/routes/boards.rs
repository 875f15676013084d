//! `GET /v1/boards`: the boards of a kind, by subject or the busiest first.

use std::sync::Arc;

use access::Caller;
use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;
use board::Subject;
use board::limits::NAME_BYTES_MAX;
use http_server::query_params::Params;
use wire::BoardListShape;
use wire::problem::Problem;

use crate::app::App;
#[cfg(test)]
use crate::openapi::params::{NotModified, OfBoards, OfKnown};
#[cfg(test)]
use crate::openapi::problems::OfKind;
use http_server::validators::validated_json;

const LIMIT_DEFAULT: usize = 100;
const LIMIT_MAX: u64 = 1000;

/// List the boards of a kind
///
/// Lists the boards that have had a contribution, by subject. With `order=activity` it lists those to which this server
/// has recently written the most contributions.
#[cfg_attr(test, utoipa::path(
    get,
    path = "/v1/boards",
    operation_id = "boards",
    tag = "Boards",
    params(OfBoards, OfKnown),
    responses(
        (
            status = 200,
            description = "A page of boards; with `order=activity` the busiest ones.",
            body = BoardListShape,
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
    let prefix = params.text("prefix")?.unwrap_or_default();
    let by_activity = by_activity(params.text("order")?.as_deref())?;
    let after = params.text("after")?;
    let limit = params.count("limit", 1..=LIMIT_MAX)?;
    params.finish()?;
    if prefix.len() > NAME_BYTES_MAX {
        let detail = format!(
            "prefix: has {} bytes, more than {NAME_BYTES_MAX}",
            prefix.len()
        );
        return Err(Problem::invalid(detail));
    }
    if by_activity && after.is_some() {
        let detail = "after: is not accepted with order=activity, since boards change their order between two \
                      requests: use limit, up to 1000";
        return Err(Problem::invalid(detail));
    }
    let after = after.map(|text| Subject::new(&text)).transpose();
    let after = after.map_err(|error| Problem::invalid(format!("after: {error}")))?;
    let limit = limit
        .and_then(|limit| usize::try_from(limit).ok())
        .unwrap_or(LIMIT_DEFAULT);
    caller.check_read(&kind, &*app)?;
    let kind = app.kind(&kind).await?.kind;
    let shape = if by_activity {
        let boards = app.router.boards();
        let busiest = boards.busiest(&kind, &prefix, limit, app.now()).await;
        let listed = busiest
            .iter()
            .map(|busy| (&**busy.record, busy.contributions_per_minute));
        BoardListShape::by_activity(kind.name(), listed)
    } else {
        let name = kind.name();
        // One more than asked shows whether there is a next page.
        let store = app.router.store();
        pacing::spend(limit).await;
        let boards = store.boards(name, &prefix, after.as_ref(), limit + 1).await;
        let mut records = boards?;
        let more = records.len() > limit;
        records.truncate(limit);
        BoardListShape::by_subject(name, &records, more)
    };
    Ok(validated_json(&headers, &shape))
}

fn by_activity(order: Option<&str>) -> Result<bool, Problem> {
    match order {
        None | Some("subject") => Ok(false),
        Some("activity") => Ok(true),
        Some(other) => {
            let detail = format!("order: {other:?} is not subject or activity");
            Err(Problem::invalid(detail))
        }
    }
}
