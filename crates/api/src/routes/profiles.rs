//! `/v1/kinds/{kind}/members/{member}/profile`, `/v1/kinds/{kind}/profiles`: profiles of the members of a kind.

use std::sync::Arc;

use access::audit::AuditEntry;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use board::Member;
use http_server::query_params::Params;
use http_server::{AddressResponses, LINES, from_json, media_type};
use serde::Serialize;
use serde_json::value::RawValue;
use shard_router::KnownKind;
use shard_store::{PROFILE_CHANGES_MAX, ProfileChange, StoreError};
#[cfg(test)]
use wire::ProfileWritten;
use wire::problem::{Problem, ProblemType};
use wire::{ProfileLineShape, ProfileShape};

use crate::app::App;
use crate::body;
#[cfg(test)]
use crate::openapi::params::{OfKind, OfKindMember, OfKnown};
#[cfg(test)]
use crate::openapi::{params::NotModified, problems};
use crate::target::{KindPath, MemberPath};
use http_server::validators::{json_text, validated_json};

/// Read a member's profile
///
/// A kind has one for all its boards.
#[cfg_attr(test, utoipa::path(
    get,
    path = "/v1/kinds/{kind}/members/{member}/profile",
    operation_id = "profile",
    tag = "Profiles",
    params(OfKindMember, OfKnown),
    responses(
        (
            status = 200,
            description = "The profile.",
            body = ProfileWritten,
            headers(
                ("etag" = String, description = "A digest of the body."),
                ("cache-control" = String, description = "`no-cache`."),
            ),
            example = json!({"name": "Ann", "avatar": "https://img.example/ann.png", "data": {"team": 7}}),
        ),
        NotModified,
        problems::OfProfile,
    ),
))]
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    KindPath(kind): KindPath,
    MemberPath(member): MemberPath,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    Params::of(query.as_deref())?.finish()?;
    let known = app.kind(&kind).await?;
    let shown = app.profiles(&known, true, std::iter::once(&member));
    let shown = shown.await?.shown();
    let profile = shown
        .of(&member)
        .ok_or_else(|| no_profile(&member, &kind))?;
    let text: &RawValue = serde_json::from_str(profile.as_json()).map_err(|error| {
        Problem::new(
            ProblemType::Unavailable,
            format!("a stored profile: {error}"),
        )
    })?;
    Ok(validated_json(&headers, &text))
}

fn no_profile(member: &Member, kind: &str) -> Problem {
    let member = member.as_str();
    let detail = format!("member {member:?} has no profile in kind {kind}");
    Problem::new(ProblemType::NoProfile, detail)
}

/// Set a member's profile
///
/// Replaces it as a whole. At least one of its parts is required.
#[cfg_attr(test, utoipa::path(
    put,
    path = "/v1/kinds/{kind}/members/{member}/profile",
    operation_id = "put_profile",
    tag = "Profiles",
    params(OfKindMember),
    request_body(
        content = ProfileShape,
        example = json!({"name": "Ann", "avatar": "https://img.example/ann.png", "data": {"team": 7}}),
    ),
    responses(
        (
            status = 200,
            description = "The profile, as it is stored.",
            body = ProfileWritten,
            example = json!({"name": "Ann", "avatar": "https://img.example/ann.png", "data": {"team": 7}}),
        ),
        problems::OfKind,
    ),
))]
pub(crate) async fn put(
    State(app): State<Arc<App>>,
    KindPath(kind): KindPath,
    MemberPath(member): MemberPath,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    request: Body,
) -> Result<Response, Problem> {
    Params::of(query.as_deref())?.finish()?;
    let known = app.kind(&kind).await?;
    let shape: ProfileShape = body::json(&app, &headers, request).await?;
    let visible = member.check_visible();
    visible.map_err(|error| Problem::invalid(error.to_string()))?;
    let profile = shape.into_profile()?;
    let text = profile.as_json().to_owned();
    let profile = Some(profile);
    change(&app, &known, &[ProfileChange { member, profile }]).await?;
    Ok(json_text(text.into()))
}

/// Delete a member's profile
///
/// Also succeeds if there is none.
#[cfg_attr(test, utoipa::path(
    delete,
    path = "/v1/kinds/{kind}/members/{member}/profile",
    operation_id = "delete_profile",
    tag = "Profiles",
    params(OfKindMember),
    responses((status = 204, description = "There is none any more."), problems::OfKind),
))]
pub(crate) async fn delete(
    State(app): State<Arc<App>>,
    entry: AuditEntry,
    KindPath(kind): KindPath,
    MemberPath(member): MemberPath,
    RawQuery(query): RawQuery,
) -> Result<StatusCode, Problem> {
    Params::of(query.as_deref())?.finish()?;
    let known = app.kind(&kind).await?;
    entry.begin(app.now()).await?;
    let profile = None;
    change(&app, &known, &[ProfileChange { member, profile }]).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn change(app: &App, known: &KnownKind, changes: &[ProfileChange]) -> Result<(), Problem> {
    let put = app.router.store().put_profiles(&known.record, changes);
    put.await.map_err(|error| match error {
        // Deleted in the meantime.
        StoreError::StaleKind => Problem::unknown_kind(known.kind.name().as_str()),
        error => error.into(),
    })
}

/// What was done with the lines of a request.
#[derive(Serialize, Default)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = ProfilesReceipt))]
struct ReceiptShape {
    /// Lines whose profiles were set.
    put: u64,
    /// Lines whose profiles were deleted, or were not there.
    deleted: u64,
    /// All other lines: they are wrong, and have no effect.
    rejected: Vec<RejectedShape>,
}

/// A line that is wrong.
#[derive(Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = RejectedProfile))]
struct RejectedShape {
    /// Its index, from 0.
    index: usize,
    /// What went wrong, as a stable word.
    #[serde(rename = "type")]
    kind: &'static str,
    /// What is wrong with which part of it.
    detail: String,
}

/// Set the profiles of many members
///
/// Each line has a member and its profile, or null to delete it: at most 1,000 lines. They take effect in order. A line
/// that is wrong does not affect the others.
#[cfg_attr(test, utoipa::path(
    post,
    path = "/v1/kinds/{kind}/profiles",
    operation_id = "put_profiles",
    tag = "Profiles",
    params(OfKind),
    request_body(
        description = "One member per line, as `ProfileLine`.",
        content(
            (String = "application/x-ndjson", example =
                "{\"member\":\"u1\",\"profile\":{\"name\":\"Ann\"}}\n{\"member\":\"u2\",\"profile\":null}\n"),
        ),
    ),
    responses(
        (
            status = 200,
            description = "What was done.",
            body = ReceiptShape,
            example = json!({
                "put": 1, "deleted": 1,
                "rejected": [{"index": 2, "type": "invalid", "detail": "name: is empty: leave it out"}],
            }),
        ),
        problems::OfKind,
    ),
))]
pub(crate) async fn many(
    State(app): State<Arc<App>>,
    answers: AddressResponses,
    KindPath(kind): KindPath,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    request: Body,
) -> Result<Response, Problem> {
    Params::of(query.as_deref())?.finish()?;
    let known = app.kind(&kind).await?;
    let media_type = media_type(&headers);
    if media_type != LINES {
        let detail = format!("content-type: {media_type:?} is not {LINES}");
        return Err(Problem::new(ProblemType::UnsupportedMediaType, detail));
    }
    let whole = body::whole(&app, request).await?;
    let (changes, receipt) = read_lines(&whole)?;
    let text = serde_json::to_vec(&receipt).expect("a shape is JSON, and memory is no file");
    // Reserved first: after a change the response cannot be refused.
    let mut reservation = answers.reservation();
    reservation.resize(text.len())?;
    change(&app, &known, &changes).await?;
    Ok(reservation.answer(json_text(text.into())))
}

/// Returns the changes of all lines that are valid, and what the response reports.
fn read_lines(text: &[u8]) -> Result<(Vec<ProfileChange>, ReceiptShape), Problem> {
    let mut changes = Vec::new();
    let mut receipt = ReceiptShape::default();
    for (index, line) in text.split(|byte| *byte == b'\n').enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        if changes.len() + receipt.rejected.len() >= PROFILE_CHANGES_MAX {
            let detail = format!("body: has more than {PROFILE_CHANGES_MAX} lines");
            return Err(Problem::new(ProblemType::TooLarge, detail));
        }
        match read_line(line) {
            Ok(change) => {
                receipt.put += u64::from(change.profile.is_some());
                receipt.deleted += u64::from(change.profile.is_none());
                changes.push(change);
            }
            Err(problem) => receipt.rejected.push(RejectedShape {
                index,
                kind: problem.kind.word(),
                detail: problem.detail,
            }),
        }
    }
    Ok((changes, receipt))
}

fn read_line(line: &[u8]) -> Result<ProfileChange, Problem> {
    let shape: ProfileLineShape = from_json(line)?;
    Ok(shape.into_change()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_wrong_are_named_and_others_are_taken() {
        let text = b"{\"member\":\"u1\",\"profile\":{\"name\":\"Ann\"}}\r\n\
            \n\
            {\"member\":\"u2\",\"profile\":{\"name\":\"\"}}\n\
            {\"member\":\"u3\"\n\
            {\"member\":\"u4\",\"profile\":null}\n\
            [1]";
        let (changes, receipt) = read_lines(text).unwrap();
        let members: Vec<&str> = changes.iter().map(|it| it.member.as_str()).collect();
        assert_eq!(members, ["u1", "u4"]);
        assert_eq!((receipt.put, receipt.deleted), (1, 1));
        let rejected = receipt.rejected.iter().map(|line| (line.index, line.kind));
        let rejected: Vec<_> = rejected.collect();
        assert_eq!(rejected, [(2, "invalid"), (3, "malformed"), (5, "invalid")]);
        assert!(receipt.rejected[0].detail.starts_with("name: is empty"));
    }

    #[test]
    fn the_number_of_lines_is_limited() {
        let line = "{\"member\":\"u1\",\"profile\":null}\n";
        let (changes, _) = read_lines(line.repeat(PROFILE_CHANGES_MAX).as_bytes()).unwrap();
        assert_eq!(changes.len(), PROFILE_CHANGES_MAX);
        let more = line.repeat(PROFILE_CHANGES_MAX + 1);
        let problem = read_lines(more.as_bytes()).err().unwrap();
        assert_eq!(problem.kind, ProblemType::TooLarge);
    }
}
