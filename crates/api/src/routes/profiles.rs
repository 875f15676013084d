//! `/v1/kinds/{kind}/members/{member}/profile`, `/v1/kinds/{kind}/profiles`: profiles of the members of a kind.

use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use board::Member;
use http_server::validators::{json_text, validated_json};
use http_server::{LINES, from_json};
use serde::Serialize;
use serde_json::value::RawValue;
use shard_router::KnownKind;
use shard_store::{PROFILE_CHANGES_MAX, ProfileChange, StoreError};
use wire::problem::{Problem, ProblemType};
use wire::{ProfileLineShape, ProfileShape};

use crate::app::App;
use crate::call::{Call, HandlerResult};
#[cfg(test)]
use crate::openapi::prelude::*;

/// Read a member's profile
///
/// A kind has one for all its boards.
#[cfg_attr(test, utoipa::path(
    get, path = "/v1/kinds/{kind}/members/{member}/profile", operation_id = "profile", tag = "Profiles",
    responses((status = 200, body = wire::ProfileWritten), problems::OfProfile),
))]
pub(crate) async fn show(call: Box<Call>) -> HandlerResult {
    let member = call.member()?;
    call.no_params()?;
    let known = call.kind().await?;
    let shown = call.app.profiles(&known, true, std::iter::once(&member));
    let shown = shown.await?;
    let profile = shown
        .of(&member)
        .ok_or_else(|| no_profile(&member, call.kind_name()))?;
    let text: &RawValue = serde_json::from_str(profile.as_json()).map_err(|error| {
        Problem::new(
            ProblemType::Unavailable,
            format!("a stored profile: {error}"),
        )
    })?;
    Ok(validated_json(&call.headers, &text))
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
    put, path = "/v1/kinds/{kind}/members/{member}/profile", operation_id = "put_profile", tag = "Profiles",
    request_body(content = ProfileShape),
    responses((status = 200, body = wire::ProfileWritten), problems::OfKind),
))]
pub(crate) async fn put(call: Box<Call>) -> HandlerResult {
    let member = call.member()?;
    call.no_params()?;
    let known = call.kind().await?;
    let shape: ProfileShape = call.json().await?;
    let visible = member.check_visible();
    visible.map_err(|error| Problem::invalid(error.to_string()))?;
    let profile = shape.into_profile()?;
    let text = profile.as_json().to_owned();
    let profile = Some(profile);
    change(&call.app, &known, &[ProfileChange { member, profile }]).await?;
    Ok(json_text(text.into()))
}

/// Delete a member's profile
///
/// Also succeeds if there is none.
#[cfg_attr(test, utoipa::path(
    delete, path = "/v1/kinds/{kind}/members/{member}/profile", operation_id = "delete_profile", tag = "Profiles",
    responses((status = 204), problems::OfKind),
))]
pub(crate) async fn delete(call: Box<Call>) -> HandlerResult {
    let member = call.member()?;
    call.no_params()?;
    let known = call.kind().await?;
    call.begin_change().await?;
    let profile = None;
    change(&call.app, &known, &[ProfileChange { member, profile }]).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
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
    post, path = "/v1/kinds/{kind}/profiles", operation_id = "put_profiles", tag = "Profiles",
    request_body(content = String, content_type = "application/x-ndjson"),
    responses((status = 200, body = ReceiptShape), problems::OfKind),
))]
pub(crate) async fn many(call: Box<Call>) -> HandlerResult {
    call.no_params()?;
    let known = call.kind().await?;
    call.check_media_type(LINES)?;
    let whole = call.whole().await?;
    let (changes, receipt) = read_lines(&whole)?;
    let text = serde_json::to_vec(&receipt).expect("a shape is JSON, and memory is no file");
    // Reserved first: after a change the response cannot be refused.
    let mut reservation = call.responses.reservation();
    reservation.resize(text.len())?;
    change(&call.app, &known, &changes).await?;
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
