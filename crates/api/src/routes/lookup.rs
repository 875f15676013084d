//! `POST /v1/boards/{kind}/{subject}/lookup`: many members, in the order of the request.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use board::Member;
use http_server::query_params::Params;
use serde::Deserialize;
use wire::problem::Problem;
use wire::{Entries, List, LookedUpShape};

use crate::app::App;
use crate::board_response::BoardResponse;
use crate::body;
#[cfg(test)]
use crate::openapi::params::{OfBoard, OfProfiles, OfWindow};
#[cfg(test)]
use crate::openapi::problems;
use crate::target::{BoardPath, read_window};

/// Maximum members of a lookup.
const MEMBERS_MAX: usize = 1000;

/// Members to look up.
#[derive(Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = Lookup))]
#[serde(deny_unknown_fields, expecting = "an object with members")]
struct LookupShape {
    /// At most 1,000.
    #[cfg_attr(test, schema(value_type = Vec<String>, max_items = 1000))]
    members: List<String, MEMBERS_MAX>,
}

/// The body of the response.
#[cfg(test)]
type LookupResponse = BoardResponse<'static, Entries<LookedUpShape<'static>>>;

/// Look up many members, in the order of the request
///
/// `rank` is null for members that are not ranked.
#[cfg_attr(test, utoipa::path(
    post,
    path = "/v1/boards/{kind}/{subject}/lookup",
    operation_id = "lookup",
    tag = "Reading",
    params(OfBoard, OfProfiles, OfWindow),
    request_body(content = LookupShape, example = json!({"members": ["u1", "nobody"]})),
    responses(
        (
            status = 200,
            description = "The entries, in the order of the request.",
            body = LookupResponse,
            example = json!({
                "board": "gifts/room-8842", "window": "day:2026-11-20", "version": "7b1c2f0a9d3e4c55.12",
            "as_of": "2026-11-20T14:52:23.004456Z", "members": 2,
                "entries": [
                    {"rank": 1, "member": "u1", "points": 999, "reached_at": "2026-11-20T14:52:22.123456Z"},
                    {"rank": null, "member": "nobody"},
                ],
            }),
        ),
        problems::OfWindow,
    ),
))]
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    path: BoardPath,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    request: Body,
) -> Result<Response, Problem> {
    let mut params = Params::of(query.as_deref())?;
    let with_profiles = params.flag("profiles")?;
    let window = read_window(&app, path.kind(), params)?;
    let shape: LookupShape = body::json(&app, &headers, request).await?;
    let member = |(index, text): (usize, &String)| {
        let invalid = |e: board::IdentError| Problem::invalid(format!("members[{index}]: {e}"));
        Member::new(text).map_err(invalid)
    };
    let members = shape
        .members
        .0
        .iter()
        .enumerate()
        .map(member)
        .collect::<Result<Vec<_>, _>>()?;
    let (board, kind) = (&path.board, path.kind());
    let answer = app
        .merger
        .lookup(board, kind, window.window, &members)
        .await?;
    let envelope = window.envelope(board, &answer);
    let profiles = app.profiles(&path.known, with_profiles, members.iter());
    let profiles = profiles.await?.shown();
    pacing::spend(members.len()).await;
    let found = members.iter().zip(&answer.value);
    let found = found.map(|(member, found)| LookedUpShape {
        kind,
        member,
        found,
        profiles: &profiles,
    });
    Ok(BoardResponse {
        envelope,
        body: Entries {
            entries: found.collect(),
        },
    }
    .into_response())
}
