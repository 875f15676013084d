//! `GET /v1/boards/{kind}/{subject}/top`: the best n, from the cached global board.
//!
//! The entries are a slice of the snapshot's bytes. The snapshot keeps the first responses that were made of it, and
//! their codings, so that the same request costs a lookup and a write.

use std::sync::Arc;

use axum::extract::{FromRequestParts as _, Request, State};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse as _, Response};
use board::{BoardName, Kind};
use http_server::query_params::Params;
use http_server::validators::{BoardTag, Caching, coding, content_encoding, is_known};
use merger::{Snapshot, TopForm, TopResponse};
#[cfg(test)]
use wire::TopWritten;
use wire::problem::Problem;

use crate::app::App;
use crate::gate::prepared::RepeatedRead;
#[cfg(test)]
use crate::openapi::params::{NotModified, OfBoard, OfKnown, OfProfiles, OfTop, OfWindow};
#[cfg(test)]
use crate::openapi::problems;
use crate::profiles;
use crate::read_window::ReadWindow;
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
    params(OfBoard, OfTop, OfProfiles, OfWindow, OfKnown),
    responses(
        (
            status = 200,
            description = "The best entries of the board.",
            body = TopWritten,
            headers(
                ("etag" = String, description = "Identifies board, window, version and n; weak."),
                ("cache-control" = String, description = "`max-age` if the response is final, else `no-cache`."),
                ("vary" = String, description = "`accept-encoding`: the body may be in zstd or gzip."),
            ),
            example = json!({
                "board": "gifts/room-8842", "window": "day:2026-11-20", "version": "7b1c2f0a9d3e4c55.12",
            "as_of": "2026-11-20T14:52:23.004456Z", "members": 2,
                "entries": [
                    {"rank": 1, "member": "u1", "points": 999, "reached_at": "2026-11-20T14:52:22.123456Z"},
                    {"rank": 2, "member": "u2", "points": 500, "reached_at": "2026-11-20T14:50:00.000000Z"},
                ],
            }),
        ),
        NotModified,
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
    let with_profiles = params.flag("profiles")?;
    let window = read_window(&app, path.kind(), params)?;
    profiles::check_profiled(n, with_profiles)?;
    let window = window.validated_if(fresh || with_profiles);
    let mut view = app
        .merger
        .top(&path.board, path.kind(), window.window, fresh)
        .await?;
    if with_profiles {
        view = app.profiled(&path.known, view, window.window, n).await?;
    }
    let form = window.form(&view, n);
    let mut response = respond(&parts.headers, &path.board, &window, &view.snapshot, form).await;
    if let Some(repeated) = repeated.filter(|_| !fresh) {
        let read = (&path.board, path.kind(), window.window);
        repeated.end(&app, read, &view, &mut response);
    }
    Ok(response)
}

/// Returns the response of a snapshot in this form, in the coding that the client prefers, or 304.
pub(crate) async fn respond(
    headers: &HeaderMap,
    board: &BoardName,
    window: &ReadWindow,
    snapshot: &Snapshot,
    form: TopForm,
) -> Response {
    let TopResponse { body, etag, coded } = snapshot.response(form, || {
        let name = window.name();
        TopResponse {
            body: wire::top_json(board, &name, snapshot, form).into(),
            etag: etag(&name, snapshot, form).into(),
            coded: None,
        }
    });
    let etag = HeaderValue::from_maybe_shared(etag).expect("versions and windows are ASCII");
    let caching = Caching {
        etag,
        freshness: window.freshness(form.is_final),
        has_codings: true,
    };
    if is_known(headers, &caching.etag) {
        return caching.not_modified();
    }
    if let Some(coded) = coded
        && let Some(coding) = coding(headers)
        && let Some(coded) = coded.get(coding, &body).await
    {
        return (content_encoding(coding), caching.json(coded)).into_response();
    }
    caching.json(body)
}

/// Returns `n`, at most the kind's `top`.
pub(crate) fn entries_wanted(params: &mut Params<'_>, kind: &Kind) -> Result<usize, Problem> {
    let n = params.count("n", 1..=kind.top() as u64)?;
    Ok(n.and_then(|n| usize::try_from(n).ok())
        .unwrap_or(ENTRIES_DEFAULT.min(kind.top())))
}

/// Returns the entity tag.
fn etag(window: &str, snapshot: &Snapshot, form: TopForm) -> String {
    let (n, stale) = (form.n, if form.stale { ".stale" } else { "" });
    let profiles = profiles::variant(snapshot.profiles);
    let tag = BoardTag {
        version: &snapshot.version,
        window,
        activity: &snapshot.activity,
        listed: form.listed,
        is_final: form.is_final,
        variant: &format!("{n}{stale}{profiles}"),
    };
    tag.text()
}
