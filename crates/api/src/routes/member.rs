//! `.../members/{member}`: reads the position of a member, sets its standing.

use std::borrow::Cow;
use std::sync::Arc;

use crate::receipts::Receipt;
use axum::body::Body;
use axum::extract::{FromRequestParts as _, RawQuery, Request, State};
use axum::http::HeaderMap;
use axum::response::Response;
use board::Kind;
use http_server::AddressResponses;
use http_server::query_params::Params;
use merger::{MemberStanding, MemberView, UnlistedView};
use shard_router::{BoardBatches, Contribution};
use shard_store::Change;
use wire::problem::Problem;
use wire::{MemberShape, StandingShape};

use crate::app::App;
#[cfg(test)]
use crate::board_response::BoardResponse;
use crate::body;
#[cfg(test)]
use crate::openapi::params::{
    NotModified, OfKnown, OfMember, OfPosition, OfProfiles, OfSet, OfWait, OfWindow,
};
#[cfg(test)]
use crate::openapi::problems;
use crate::profiles::shown_members;
use crate::routes::contributions::{Asked, AskedStandings, Return};
use crate::target::{BoardPath, read_window, resolve_only};

/// The body of the response.
#[cfg(test)]
type MemberResponse = BoardResponse<'static, MemberShape<'static>>;

/// Read a member's position
///
/// Returns its entry, position, percentile and neighbours; with `target` also the change that it needs to reach
/// that position.
#[cfg_attr(test, utoipa::path(
    get,
    path = "/v1/boards/{kind}/{subject}/members/{member}",
    operation_id = "member",
    tag = "Reading",
    params(OfMember, OfPosition, OfProfiles, OfWindow, OfKnown),
    responses(
        (
            status = 200,
            description = "The member with its position.",
            body = MemberResponse,
            headers(
                ("etag" = String, description = "Identifies board, window and version; weak."),
                ("cache-control" = String, description = "`max-age` if the response is final, else `no-cache`."),
            ),
            example = json!({
                "board": "gifts/room-8842", "window": "day:2026-11-20", "version": "7b1c2f0a9d3e4c55.12",
            "as_of": "2026-11-20T14:52:23.004456Z", "members": 2,
                "rank": 2, "member": "u2", "points": 500, "reached_at": "2026-11-20T14:50:00.000000Z",
                "position": 2, "percentile": 0.0,
                "above": {
                    "rank": 1, "member": "u1", "points": 999,
                    "reached_at": "2026-11-20T14:52:22.123456Z", "gap": 499,
                },
                "below": null,
                "to_target": 500,
            }),
        ),
        NotModified,
        problems::OfMember,
    ),
))]
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    request: Request,
) -> Result<Response, Problem> {
    let (mut parts, _) = request.into_parts();
    let path = BoardPath::from_request_parts(&mut parts, &app).await?;
    let mut params = Params::of(parts.uri.query())?;
    // There are no positions after the end of a list.
    let end = path.kind().retain().map_or(u64::MAX, |retain| retain.keep);
    let target = params.count("target", 1..=end)?;
    let with_profiles = params.flag("profiles")?;
    let window = read_window(&app, path.kind(), params)?;
    let window = window.validated_if(target.is_some() || with_profiles);
    let (board, kind, member) = (&path.board, path.kind(), path.member()?);
    let answer = app
        .merger
        .member(board, kind, window.window, member, (1, 1), target)
        .await?;
    let not_ranked = || Problem::not_ranked(member, &window.name());
    let shown = shown_members(&answer.value);
    let profiles = app.profiles(&path.known, with_profiles, shown).await?;
    let variant = profiles.variant("member");
    let profiles = profiles.shown();
    let place = MemberShape::of(kind, &answer.value, answer.members, &profiles);
    let place = place.ok_or_else(not_ranked)?;
    // The change depends on the time, too.
    let change = target.map(|_| to_target(&app, kind, &answer.value));
    let variant = match change.flatten() {
        None => variant,
        Some(change) => Cow::Owned(format!("{variant}{change}")),
    };
    Ok(
        window.respond(&parts.headers, board, &answer, &variant, || match change {
            None => place,
            Some(change) => place.with_target(change),
        }),
    )
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

/// Set a member's standing
///
/// Sets it in every window that contains `at`, or only in `window`.
#[cfg_attr(test, utoipa::path(
    put,
    path = "/v1/boards/{kind}/{subject}/members/{member}",
    operation_id = "set_member",
    tag = "Contributions",
    params(OfMember, OfSet, OfWait),
    request_body(content = StandingShape<'static>, example = json!({"points": 100})),
    responses(
        (
            status = 200,
            description = "The standing has been set, or was set before with this id.",
            body = Receipt,
            example = json!({
                "applied": 1, "duplicates": 0,
                "rejected_count": 0, "rejected": [], "failed_count": 0, "failed": [],
            }),
        ),
        problems::OfWrite,
    ),
))]
pub(crate) async fn set(
    State(app): State<Arc<App>>,
    answers: AddressResponses,
    path: BoardPath,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    request: Body,
) -> Result<Response, Problem> {
    let mut params = Params::of(query.as_deref())?;
    let selector = params.text("window")?;
    let wanted = Return::take(&mut params)?;
    params.finish()?;
    let unfit = |error: board::IdentError| Problem::invalid(error.to_string());
    path.board.subject().check_visible().map_err(unfit)?;
    path.member()?.check_visible().map_err(unfit)?;
    let text = body::json_text(&app, &headers, request).await?;
    let shape: StandingShape<'_> = http_server::from_json(&text)?;
    // One moment for the current window and for the default of `at`, after the body was read.
    let moment = app.moment().waiting(body::write_wait(&headers));
    let now = app.router.arrival(moment.now);
    let only = resolve_only(path.kind(), selector.as_deref(), now)?;
    let contribution = Contribution {
        member: path.member()?.clone(),
        change: Change::Set(shape.values(path.kind())?),
        at: shape.at(now),
        id: shape.id()?,
        only,
    };
    let mut receipt = Receipt::new(&app.pools.receipts, answers.reservation());
    let mut standings = AskedStandings::new(wanted);
    let report = standings.are_wanted();
    if report {
        standings.push(Asked {
            index: 0,
            board: Arc::new(path.board.clone()),
            kind: path.known.kind.clone(),
            member: contribution.member.clone(),
            at: contribution.at,
            only,
        });
        receipt.reserve_standings(standings.bytes_max())?;
        standings.read_previous(&app).await;
    }
    let batches = BoardBatches::of_one(path.board.clone(), &path.known, contribution);
    let written = app.router.write(batches, moment, report).await;
    for written in &written {
        app.metrics.writes.count(written);
        receipt.count(0, &path.board, written);
    }
    if report {
        let written: Vec<_> = written.iter().collect();
        receipt.add_standings(standings.after(&app, &written).await);
    }
    receipt.into_single()
}
