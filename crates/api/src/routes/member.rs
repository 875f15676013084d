//! `.../members/{member}`: reads the position of a member, sets its standing.

use std::sync::Arc;

use board::Kind;
use http_server::query_params::whole_within;
use merger::{MemberAsk, MemberStanding, MemberView, UnlistedView};
use shard_router::{BoardBatches, Contribution};
use shard_store::Change;
use wire::problem::Problem;
use wire::{Envelope, StandingShape, member_json};

use crate::app::App;
use crate::call::{BoardRead, Call, HandlerResult};
#[cfg(test)]
use crate::openapi::prelude::*;
use crate::profiles::{shown_members, variant_with};
use crate::query::query;
use crate::receipts::Receipt;
use crate::routes::contributions::{Asked, AskedStandings, Return, ReturnWord};
use crate::target::resolve_only;

query! {
    struct MemberParams {
        /// A position. The response has the change that the member needs to reach it.
        #[param(value_type = Option<u64>, nullable = false, minimum = 1, example = 100)]
        target: Option<String>,
        /// Adds the profile of each member that has one to its entry. The profiles of a top are as old as the top.
        #[param(nullable = false, default = false)]
        profiles: Option<bool>,
    }
}

#[cfg(test)]
type MemberResponse = BoardResponse<wire::MemberWritten>;

/// Read a member's position
///
/// Returns its entry, position, percentile and neighbours; with `target` also the change that it needs to reach
/// that position.
#[cfg_attr(test, utoipa::path(
    get, path = "/v1/boards/{kind}/{subject}/members/{member}", operation_id = "member", tag = "Reading",
    params(MemberParams, OfWindow),
    responses((status = 200, body = MemberResponse), problems::OfMember),
))]
pub(crate) async fn show(call: Box<Call>) -> HandlerResult {
    let (read, params) = BoardRead::of::<MemberParams>(call).await?;
    // There are no positions after the end of a list.
    let retain = read.board.kind().retain();
    let end = retain.map_or(u64::MAX, |retain| retain.keep);
    let target = whole_within("target", params.target.as_deref(), 1..=end)?;
    let with_profiles = params.profiles == Some(true);
    let read = read.validated_if(target.is_some() || with_profiles);
    let (app, member) = (&read.call.app, read.call.member()?);
    let (kind, window) = (read.board.kind(), &read.window);
    let ask = MemberAsk {
        target,
        ..(1, 1).into()
    };
    let found = app
        .merger
        .member(read.name(), kind, window.window, &member, ask)
        .await?;
    let shown = shown_members(&found.value);
    let profiles = app.profiles(&read.board.known, with_profiles, shown);
    let profiles = profiles.await?;
    let mut variant = variant_with("member", with_profiles, &profiles);
    // The change depends on the time, too.
    let change = target.map(|_| to_target(app, kind, &found.value));
    if let Some(change) = change.flatten() {
        variant += &change.to_string();
    }
    let json = member_json(kind, &found.value, found.members, &profiles, change)
        .ok_or_else(|| Problem::not_ranked(&member, &window.name()))?;
    let (headers, name) = (&read.call.headers, read.name());
    let json = |envelope: &Envelope<'_>| envelope.with(&json);
    Ok(window.respond(headers, name, &found, &variant, json))
}

/// Returns the change of the first field by which the member reaches the target, if there is one.
fn to_target(
    app: &App,
    kind: &Kind,
    found: &MemberStanding<MemberView, UnlistedView>,
) -> Option<i64> {
    let (own, standing, target, without) = match found {
        // Without another member at the target, the member is there or above already.
        MemberStanding::Ranked(view) => (&view.own().entry, &view.standing, &view.target, Some(0)),
        MemberStanding::Unlisted(view) => (&view.entry, &view.standing, &view.target, None),
        MemberStanding::NoStanding => return None,
    };
    let Some(target) = target else { return without };
    let (member, target) = (&own.key.member, &target.entry.key);
    kind.rules()
        .change_to_overtake(standing, member, target, app.router.arrival(app.now()))
}

query! {
    struct SetParams {
        /// The only window to set, which has to contain `at`. Defaults to all windows that contain it.
        #[param(nullable = false, example = "day")]
        window: Option<String>,
        /// Returns the standings after it (`standings`), or also the ranks (`ranks`).
        #[param(nullable = false, inline)]
        r#return: Option<ReturnWord>,
        /// With `return=ranks`: also returns the rank right before the request.
        #[param(nullable = false, default = false)]
        previous_rank: Option<bool>,
    }
}

/// Set a member's standing
///
/// Sets it in every window that contains `at`, or only in `window`.
#[cfg_attr(test, utoipa::path(
    put, path = "/v1/boards/{kind}/{subject}/members/{member}", operation_id = "set_member", tag = "Contributions",
    params(SetParams, OfWait), request_body(content = StandingShape<'static>),
    responses((status = 200, body = Receipt), problems::OfWrite),
))]
pub(crate) async fn set(call: Box<Call>) -> HandlerResult {
    let (board, member) = (call.board().await?, call.member()?);
    let params: SetParams = call.params()?;
    let wanted = Return::of(params.r#return, params.previous_rank)?;
    board.check_visible()?;
    let visible = member.check_visible();
    visible.map_err(|error| Problem::invalid(error.to_string()))?;
    let text = call.json_text().await?;
    let shape: StandingShape<'_> = http_server::from_json(&text)?;
    // One moment for the current window and for the default of `at`, after the body was read.
    let app = &call.app;
    let moment = app.moment().waiting(call.write_wait());
    let now = app.router.arrival(moment.now);
    let only = resolve_only(board.kind(), params.window.as_deref(), now)?;
    let contribution = Contribution {
        member,
        change: Change::Set(shape.values(board.kind())?),
        at: shape.at(now),
        id: shape.id()?,
        only,
    };
    let mut receipt = Receipt::new(&app.memory.receipts, call.responses.reservation());
    let mut standings = AskedStandings::new(wanted);
    let report = standings.are_wanted();
    if report {
        standings.push(Asked {
            index: 0,
            board: Arc::new(board.name.clone()),
            kind: board.kind().clone(),
            member: contribution.member.clone(),
            at: contribution.at,
            only,
        });
        receipt.reserve_standings(standings.bytes_max())?;
        standings.read_previous(app).await;
    }
    let batches = BoardBatches::of_one(board.name.clone(), &board.known, contribution);
    let written = app.router.write(batches, moment, report).await;
    for written in &written {
        app.metrics.writes.count(written);
        receipt.count(0, &board.name, written);
    }
    if report {
        let written: Vec<_> = written.iter().collect();
        receipt.add_standings(standings.after(app, &written).await);
    }
    receipt.into_single()
}
