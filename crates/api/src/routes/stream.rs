//! `GET /v1/boards/{kind}/{subject}/stream`: the top as server-sent events.

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::IntoResponse as _;
use board::Member;
use wire::problem::Problem;

use crate::call::{Call, HandlerResult};
use crate::feeds::Watched;
#[cfg(test)]
use crate::openapi::prelude::*;
use crate::profiles::check_profiled;
use crate::query::query;
use crate::routes::top::entries_wanted;
use crate::stream::{OwnPosition, Reader};
use crate::target::selector_of;

/// Disables caching and compression by proxies, which would delay events.
const NO_TRANSFORM: HeaderValue = HeaderValue::from_static("no-cache, no-transform");

/// Disables buffering by proxies.
const UNBUFFERED: HeaderName = HeaderName::from_static("x-accel-buffering");

query! {
    struct StreamParams {
        /// The number of entries, at most the kind's `top`. Defaults to 100.
        #[param(value_type = Option<u64>, nullable = false, minimum = 1, maximum = 10_000, example = 10)]
        n: Option<String>,
        /// The window, as for reads. A period such as `day`, and `previous`, change to the next window with the
        /// calendar, a named window does not.
        #[param(nullable = false, example = "day")]
        window: Option<String>,
        /// Sends only changes after the first event.
        #[param(nullable = false, default = false)]
        changes: Option<bool>,
        /// Adds the profile of each member that has one to its entry.
        #[param(nullable = false, default = false)]
        profiles: Option<bool>,
        /// Also sends the position of this member.
        #[param(nullable = false, min_length = 1, max_length = 128, example = "u1")]
        member: Option<String>,
    }
}

/// Stream the top as it changes
///
/// Returns server-sent events. The event `board` has a complete `Top`; it is sent first, and whenever the top has
/// changed. Its id is the board's `version`. With `changes=true` the events after the first are `changes`
/// (`Changes`). With `member` there are also events `member` (`OwnPositionResponse`, or `NoPositionResponse` if the member
/// is not ranked). With `profiles=true` entries have the profiles of their members, and a change of one is a change of
/// the top. The event `problem` (`Problem`) is the last one of a stream that the server ends. If there are
/// no events, a comment is sent every 15 s.
#[cfg_attr(test, utoipa::path(
    get, path = "/v1/boards/{kind}/{subject}/stream", operation_id = "stream", tag = "Streams",
    params(StreamParams, OfToken),
    responses((status = 200, body = String, content_type = "text/event-stream"), problems::OfWindow),
))]
pub(crate) async fn show(call: Box<Call>) -> HandlerResult {
    let board = call.board().await?;
    let params: StreamParams = call.params()?;
    let n = entries_wanted(params.n.as_deref(), board.kind())?;
    let member = params.member.map(|text| Member::new(&text)).transpose();
    let member = member.map_err(|error| Problem::invalid(error.to_string()))?;
    let profiles = params.profiles == Some(true);
    check_profiled(n, profiles)?;
    let watched = Watched {
        window: selector_of(board.kind(), params.window.as_deref())?,
        board: board.name,
        profiles,
    };
    let changes = params.changes == Some(true);
    let Call {
        app,
        caller,
        stream,
        ..
    } = *call;
    let reader = Reader::of(&app, caller, (&watched, n), changes, stream.unzip()).await?;
    let body = match member {
        None => Body::from_stream(reader.events()),
        Some(member) => Body::from_stream(OwnPosition::new(app, watched, member).beside(reader)),
    };
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("text/event-stream"),
        ),
        (header::CACHE_CONTROL, NO_TRANSFORM),
        (UNBUFFERED, HeaderValue::from_static("no")),
    ];
    Ok((headers, body).into_response())
}
