//! `POST /v1/stream-tokens`: a token for the streams of one board, for clients that cannot send a header.

use std::time::Duration;

use axum::http::{HeaderValue, header};
use axum::response::IntoResponse as _;
use board::{BoardName, Timestamp};
use http_server::validators::json;
use serde::{Deserialize, Serialize};
use wire::problem::Problem;

use crate::call::{Call, HandlerResult};
#[cfg(test)]
use crate::openapi::prelude::*;

/// Default validity of a token.
const TTL_DEFAULT: Duration = Duration::from_mins(10);

const TTL_MIN: Duration = Duration::from_secs(1);

/// Maximum validity of a token: it cannot be revoked.
const TOKEN_TTL_MAX: Duration = Duration::from_hours(1);

/// What a token is wanted for.
#[derive(Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = StreamTokenWanted))]
#[serde(deny_unknown_fields, expecting = "an object with board")]
struct WantedShape {
    /// Kind and subject.
    #[cfg_attr(test, schema(example = "gifts/room-8842"))]
    board: String,
    /// How long it holds, 1 s to 1 h: 10 minutes by default.
    #[cfg_attr(test, schema(example = "10m"))]
    ttl: Option<String>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = StreamToken))]
struct TokenShape {
    /// For `?token=` of the board's stream.
    token: String,
    /// No stream begins with it after that.
    #[cfg_attr(test, schema(format = DateTime))]
    expires_at: String,
}

/// Create a token for the streams of a board
///
/// For clients that cannot send a header, such as an `EventSource`.
#[cfg_attr(test, utoipa::path(
    post, path = "/v1/stream-tokens", operation_id = "stream_token", tag = "Streams",
    request_body(content = WantedShape), responses((status = 200, body = TokenShape), problems::OfKind),
))]
pub(crate) async fn issue(call: Box<Call>) -> HandlerResult {
    call.no_params()?;
    let shape: WantedShape = call.json().await?;
    let app = &call.app;
    let board: Result<BoardName, _> = shape.board.parse();
    let board = board.map_err(|error| Problem::invalid(format!("board: {error}")))?;
    call.caller.check_read(board.kind().as_str(), &**app)?;
    app.kind(board.kind().as_str()).await?;
    let ttl = shape.ttl.as_deref().map_or(Ok(TTL_DEFAULT), ttl)?;
    let ttl = i64::try_from(ttl.as_millis()).unwrap_or(i64::MAX);
    let end = Timestamp::from_millis(app.now().millis().saturating_add(ttl));
    let shape = TokenShape {
        token: app
            .access()
            .issue_token(&board.to_string(), &call.caller, end),
        expires_at: end.to_string(),
    };
    // Caches must not store credentials.
    let no_store = [(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))];
    Ok((no_store, json(&shape)).into_response())
}

fn ttl(text: &str) -> Result<Duration, Problem> {
    let parsed = humantime::parse_duration(text)
        .map_err(|error| Problem::invalid(format!("ttl: {text:?}: {error}")))?;
    if (TTL_MIN..=TOKEN_TTL_MAX).contains(&parsed) {
        return Ok(parsed);
    }
    let (min, max) = (TTL_MIN.as_secs(), TOKEN_TTL_MAX.as_secs());
    let detail = format!("ttl: {text:?} is not {min} s to {max} s");
    Err(Problem::invalid(detail))
}
