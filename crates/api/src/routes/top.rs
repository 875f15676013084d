//! `GET /v1/boards/{kind}/{subject}/top`: the best n, from the cached global board.
//!
//! The entries are a slice of the snapshot's bytes. The snapshot caches the first response that was made of it, so that
//! the same request costs a lookup and a write.

use std::sync::Arc;

use axum::extract::{FromRequestParts as _, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use board::{Kind, Timestamp};
use bytes::Bytes;
use merger::{Snapshot, TopForm, TopResponse};
use problem::Problem;
#[cfg(test)]
use wire::TopWritten;

use crate::app::App;
use crate::if_none_match;
#[cfg(test)]
use crate::openapi::params::{OfBoard, OfKnown, OfTop, OfWindow};
#[cfg(test)]
use crate::openapi::problems;
use crate::params::Params;
use crate::repeated::RepeatedRead;
use crate::target::{BoardPath, read_window};

/// Default of `n`.
const ENTRIES_DEFAULT: usize = 100;

/// Read the best n members, from the cached global board
///
/// The board is at most as old as the kind's `max_staleness`. With `fresh=true` it includes every contribution
/// that was acknowledged before the request.
#[cfg_attr(test, utoipa::path(
    get,
    path = "/v1/boards/{kind}/{subject}/top",
    operation_id = "top",
    tag = "Reading",
    params(OfBoard, OfTop, OfWindow, OfKnown),
    responses(
        (
            status = 200,
            description = "The best entries of the board.",
            body = TopWritten,
            headers(("etag" = String, description = "Identifies board, window, version and n; weak.")),
            example = json!({
                "board": "gifts/room-8842", "window": "day:2026-11-20", "version": "7b1c2f0a9d3e4c55.12",
            "as_of": "2026-11-20T14:52:23.004Z", "members": 2,
                "entries": [
                    {"rank": 1, "member": "u1", "points": 999, "reached_at": "2026-11-20T14:52:22.123Z"},
                    {"rank": 2, "member": "u2", "points": 500, "reached_at": "2026-11-20T14:50:00.000Z"},
                ],
            }),
        ),
        (
            status = 304,
            description = "The cached response is current.",
            headers(("etag" = String, description = "The same `ETag`.")),
        ),
        problems::OfWindow,
    ),
))]
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    request: Request,
) -> Result<Response, Problem> {
    // Takes the whole request: extractors would copy the query and the headers.
    let (mut parts, _) = request.into_parts();
    let repeated = RepeatedRead::begin(&parts, &app);
    let path = BoardPath::from_request_parts(&mut parts, &app).await?;
    let mut params = Params::of(parts.uri.query())?;
    let n = entries_wanted(&mut params, path.kind())?;
    let fresh = params.flag("fresh")?;
    let window = read_window(&app, path.kind(), params)?;
    let view = app
        .merger
        .top(&path.board, path.kind(), window.window, fresh)
        .await?;
    let form = window.form(&view, n);
    let TopResponse { body, etag } = view.snapshot.response(form, || {
        let name = window.name();
        TopResponse {
            body: wire::top_json(&path.board, &name, &view.snapshot, form).into(),
            etag: etag(&name, &view.snapshot, form).into(),
        }
    });
    let mut response = if if_none_match::matches(&parts.headers, &etag) {
        (StatusCode::NOT_MODIFIED, caching(etag)).into_response()
    } else {
        let media_type = (
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        );
        ([media_type], caching(etag), body).into_response()
    };
    if let Some(repeated) = repeated.filter(|_| !fresh) {
        let read = (&path.board, path.kind(), window.window);
        repeated.end(&app, read, &view, &mut response);
    }
    Ok(response)
}

/// Returns `n`, at most the kind's `top`.
pub(crate) fn entries_wanted(params: &mut Params<'_>, kind: &Kind) -> Result<usize, Problem> {
    let n = params.count("n", 1..=kind.top() as u64)?;
    Ok(n.and_then(|n| usize::try_from(n).ok())
        .unwrap_or(ENTRIES_DEFAULT.min(kind.top())))
}

/// Returns the entity tag. The version identifies the board's incarnation and, with window and form, all bytes except
/// `as_of`. A board not yet created has no incarnation, and an activity that may change, which is in the tag too.
fn etag(window: &str, snapshot: &Snapshot, form: TopForm) -> String {
    let stale = if form.stale { ".stale" } else { "" };
    let closed = if form.is_final { ".final" } else { "" };
    let ms = |at: Option<Timestamp>| at.map_or("-".to_owned(), |at| at.millis().to_string());
    let activity = &snapshot.activity;
    let span = match (activity.starts_at(), activity.ends_at()) {
        (None, None) => String::new(),
        (starts_at, ends_at) => format!(".{}_{}", ms(starts_at), ms(ends_at)),
    };
    let (version, n) = (&snapshot.version, form.n);
    format!("W/\"{version}.{window}.{n}{span}{closed}{stale}\"")
}

fn caching(etag: Bytes) -> [(header::HeaderName, HeaderValue); 2] {
    let etag = HeaderValue::from_maybe_shared(etag).expect("versions and windows are ASCII");
    [
        (header::ETAG, etag),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    ]
}
