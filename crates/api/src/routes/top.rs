//! `GET /v1/boards/{kind}/{subject}/top`: the best n, from the cached global board.
//!
//! The entries are a slice of the snapshot's bytes; the members around them are written anew, since
//! they differ from request to request. `as_of` stands behind the entries: a snapshot that was only
//! seen again keeps its bytes.

use std::fmt::Write as _;
use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use board::{BoardName, Kind};
use merger::TopView;

use crate::app::App;
use crate::params::Params;
use crate::problem::Problem;
use crate::target::{BoardPath, ReadWindow, read_window};

/// Entries of an answer where `n` is not given.
const ENTRIES_DEFAULT: usize = 100;

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    path: BoardPath,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let mut params = Params::of(query.as_deref());
    let n = entries_wanted(&mut params, path.kind())?;
    let fresh = params.flag("fresh")?;
    let window = read_window(&app, path.kind(), &mut params)?;
    params.finish()?;
    let view = app
        .merger
        .top(&path.board, path.kind(), window.window, fresh)
        .await?;
    let etag = etag(&view, &window, n);
    if matches(&headers, &etag) {
        return Ok((StatusCode::NOT_MODIFIED, caching(&etag)).into_response());
    }
    let body = body(&path.board, &window, &view, n);
    let media_type = (
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    Ok(([media_type], caching(&etag), body).into_response())
}

/// `n`, up to the kind's depth.
pub(crate) fn entries_wanted(params: &mut Params<'_>, kind: &Kind) -> Result<usize, Problem> {
    let n = params.count("n", 1..=kind.top() as u64)?;
    Ok(n.and_then(|n| usize::try_from(n).ok())
        .unwrap_or(ENTRIES_DEFAULT.min(kind.top())))
}

/// The answer's JSON.
pub(crate) fn body(board: &BoardName, window: &ReadWindow, view: &TopView, n: usize) -> String {
    /// Bytes of everything but names and entries.
    const FRAME_BYTES: usize = 256;
    let snapshot = &view.snapshot;
    let entries = snapshot.rendered.first(n);
    let names = window.name.len() + 2 * board.subject().as_str().len();
    let mut body = String::with_capacity(FRAME_BYTES + names + entries.len());
    body.push_str("{\"board\":");
    body.push_str(&quoted(board));
    // Writing into a string cannot fail.
    let _ = write!(
        body,
        ",\"window\":\"{}\",\"version\":\"{}\",\"members\":{}",
        window.name, snapshot.version, snapshot.members
    );
    if window.is_final {
        body.push_str(",\"final\":true");
    }
    if view.stale {
        body.push_str(",\"stale\":true");
    }
    body.push_str(",\"entries\":[");
    body.push_str(&String::from_utf8_lossy(&entries));
    let _ = write!(body, "],\"as_of\":\"{}\"}}", snapshot.as_of);
    body
}

fn quoted(board: &BoardName) -> String {
    serde_json::Value::String(board.to_string()).to_string()
}

/// The version names the board's life; with window and n it names the bytes, but for `as_of`.
fn etag(view: &TopView, window: &ReadWindow, n: usize) -> String {
    let stale = if view.stale { ".stale" } else { "" };
    let closed = if window.is_final { ".final" } else { "" };
    format!(
        "W/\"{}.{}.{n}{closed}{stale}\"",
        view.snapshot.version, window.name
    )
}

fn caching(etag: &str) -> [(header::HeaderName, HeaderValue); 2] {
    let etag = HeaderValue::from_str(etag).expect("versions and windows are ASCII");
    [
        (header::ETAG, etag),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    ]
}

/// Whether the client has it already, by weak comparison (RFC 9110, 13.1.2).
fn matches(headers: &HeaderMap, etag: &str) -> bool {
    let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    headers.get_all(header::IF_NONE_MATCH).iter().any(|value| {
        let tags = value.to_str().unwrap_or_default();
        tags.trim() == "*" || tags.split(',').any(|tag| opaque(tag) == opaque(etag))
    })
}
