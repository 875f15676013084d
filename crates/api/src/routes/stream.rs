//! `GET /v1/boards/{kind}/{subject}/stream`: the top as server-sent events.

use std::sync::Arc;

use access::Caller;
use axum::body::Body;
use axum::extract::{FromRequestParts as _, Request, State};
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use board::Member;
use http_server::query_params::Params;
use http_server::{Flow, OfAddress};
use wire::problem::Problem;

use crate::app::App;
use crate::feeds::Watched;
#[cfg(test)]
use crate::openapi::params::{OfBoard, OfStream};
#[cfg(test)]
use crate::openapi::problems::OfWindow;
use crate::profiles::check_profiled;
use crate::routes::top::entries_wanted;
use crate::stream::{OwnPosition, Reader};
use crate::target::{BoardPath, selector_of};

/// Disables caching and compression by proxies, which would delay events.
const NO_TRANSFORM: HeaderValue = HeaderValue::from_static("no-cache, no-transform");

/// Disables buffering by proxies.
const UNBUFFERED: HeaderName = HeaderName::from_static("x-accel-buffering");

/// Stream the top as it changes
///
/// Returns server-sent events. The event `board` has a complete `Top`; it is sent first, and whenever the top has
/// changed. Its id is the board's `version`. With `changes=true` the events after the first are `changes`
/// (`Changes`). With `member` there are also events `member` (`OwnPlaceAnswer`, or `NoPlaceAnswer` if the member
/// is not ranked). With `profiles=true` entries have the profiles of their members, and a change of one is a change of
/// the top. The event `problem` (`Problem`) is the last one of a stream that the server ends. If there are
/// no events, a comment is sent every 15 s.
#[cfg_attr(test, utoipa::path(
    get,
    path = "/v1/boards/{kind}/{subject}/stream",
    operation_id = "stream",
    tag = "Streams",
    params(OfBoard, OfStream),
    responses(
        (
            status = 200,
            description = "An endless stream of events.",
            body = String,
            content_type = "text/event-stream",
            example = "retry: 1374\n\nid: 7b1c2f0a9d3e4c55.12\nevent: board\ndata: {\"board\":\"gifts/room-8842\",…}\n\n",
        ),
        OfWindow,
    ),
))]
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Request,
) -> Result<Response, Problem> {
    let (mut parts, _) = request.into_parts();
    let path = BoardPath::from_request_parts(&mut parts, &app).await?;
    let mut params = Params::of(parts.uri.query())?;
    let n = entries_wanted(&mut params, path.kind())?;
    let changes = params.flag("changes")?;
    let profiles = params.flag("profiles")?;
    let member = params.text("member")?;
    let member = member.map(|text| Member::new(&text)).transpose();
    let member = member.map_err(|error| Problem::invalid(error.to_string()))?;
    let window = params.text("window")?;
    params.finish()?;
    check_profiled(n, profiles)?;
    let watched = Watched {
        window: selector_of(path.kind(), window.as_deref())?,
        board: path.board,
        profiles,
    };
    let flow = parts.extensions.remove::<Arc<Flow>>();
    // The gate adds it to every stream, except in unit tests.
    let of_address = parts.extensions.remove::<Arc<OfAddress>>();
    let reader = Reader::of(&app, caller, (&watched, n), changes, (flow, of_address)).await?;
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
