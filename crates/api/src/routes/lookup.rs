//! `POST /v1/boards/{kind}/{subject}/lookup`: many members, in the order of the request.

use board::Member;
use http_server::validators::json_text;
use serde::Deserialize;
use wire::problem::Problem;
use wire::{List, render_found};

use crate::call::{BoardRead, Call, HandlerResult};
#[cfg(test)]
use crate::openapi::prelude::*;
use crate::query::query;

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

query! {
    struct LookupParams {
        /// Adds the profile of each member that has one to its entry. The profiles of a top are as old as the top.
        #[param(nullable = false, default = false)]
        profiles: Option<bool>,
    }
}

#[cfg(test)]
type FoundResponse = BoardResponse<wire::FoundListWritten>;

/// Look up many members, in the order of the request
///
/// `rank` is null for members that are not ranked.
#[cfg_attr(test, utoipa::path(
    post, path = "/v1/boards/{kind}/{subject}/lookup", operation_id = "lookup", tag = "Reading",
    params(LookupParams, OfWindow), request_body(content = LookupShape),
    responses((status = 200, body = FoundResponse), problems::OfWindow),
))]
pub(crate) async fn show(call: Box<Call>) -> HandlerResult {
    let (read, params) = BoardRead::of::<LookupParams>(call).await?;
    let shape: LookupShape = read.call.json().await?;
    let member = |(index, text): (usize, &String)| {
        let invalid = |e: board::IdentError| Problem::invalid(format!("members[{index}]: {e}"));
        Member::new(text).map_err(invalid)
    };
    let members = shape.members.0.iter().enumerate().map(member);
    let members = members.collect::<Result<Vec<_>, _>>()?;
    let (kind, window) = (read.board.kind(), &read.window);
    let found = read
        .merger()
        .lookup(read.name(), kind, window.window, &members)
        .await?;
    let (app, with_profiles) = (&read.call.app, params.profiles == Some(true));
    let profiles = app.profiles(&read.board.known, with_profiles, members.iter());
    let profiles = profiles.await?;
    pacing::spend(members.len()).await;
    let entries = render_found(kind, &members, &found.value, &profiles);
    let envelope = window.envelope(read.name(), &found);
    Ok(json_text(envelope.with_entries(&entries, None).0.into()))
}
