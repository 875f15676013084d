//! `GET /v1/boards/{kind}/{subject}/top`: the best n, from the cached global board.
//!
//! The entries are a slice of the snapshot's bytes. The snapshot keeps the first responses that were made of it, also
//! in gzip, so that the same request costs a lookup and a write.

use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse as _, Response};
use board::{BoardName, Kind};
use http_server::query_params::whole_within;
use http_server::validators::{BoardTag, CONTENT_GZIP, Caching, accepts_gzip, is_known};
use merger::{Snapshot, TopForm, TopResponse};
use wire::problem::Problem;

use crate::call::{BoardRead, Call, HandlerResult};
use crate::gate::prepared::ServedBoard;
#[cfg(test)]
use crate::openapi::prelude::*;
use crate::profiles;
use crate::query::query;
use crate::read_window::ReadWindow;

/// Default of `n`.
const ENTRIES_DEFAULT: usize = 100;

query! {
    struct TopParams {
        /// The number of entries, at most the kind's `top`. Defaults to 100.
        #[param(value_type = Option<u64>, nullable = false, minimum = 1, maximum = 10_000, example = 10)]
        n: Option<String>,
        /// Adds the profile of each member that has one to its entry. The profiles of a top are as old as the top.
        #[param(nullable = false, default = false)]
        profiles: Option<bool>,
    }
}

/// Read the best n members, from the cached global board
///
/// The board is at most as old as the kind's `max_staleness`. With `fresh=true` it includes every contribution
/// that was acknowledged before the request.
#[cfg_attr(test, utoipa::path(
    get, path = "/v1/boards/{kind}/{subject}/top", operation_id = "top", tag = "Reading",
    params(TopParams, OfWindow), responses((status = 200, body = wire::TopWritten), problems::OfWindow),
))]
pub(crate) async fn show(call: Box<Call>) -> HandlerResult {
    let began = call.is_repeated.then(|| call.app.now());
    let (read, params) = BoardRead::of::<TopParams>(call).await?;
    let n = entries_wanted(params.n.as_deref(), read.board.kind())?;
    let with_profiles = params.profiles == Some(true);
    profiles::check_profiled(n, with_profiles)?;
    let BoardRead {
        call,
        board,
        window,
        fresh,
    } = read.validated_if(with_profiles);
    let app = &call.app;
    let mut view = app
        .merger
        .top(&board.name, board.kind(), window.window, fresh)
        .await?;
    if with_profiles {
        view = app.profiled(&board.known, view, window.window, n).await?;
    }
    let form = window.form(&view, n);
    let mut response = respond(&call.headers, &board.name, &window, &view.snapshot, form).await;
    if let Some(began) = began.filter(|_| !fresh) {
        let (name, kind, of) = (&board.name, board.kind(), window.window);
        let top = app.merger.served_top(name, kind, of, &view, began);
        let served = top.map(|top| ServedBoard {
            top,
            kind: kind.name().clone(),
        });
        served.map(|served| response.extensions_mut().insert(served));
    }
    Ok(response)
}

/// Returns the response of a snapshot in this form, in gzip if the client accepts that, or 304.
async fn respond(
    headers: &HeaderMap,
    board: &BoardName,
    window: &ReadWindow,
    snapshot: &Snapshot,
    form: TopForm,
) -> Response {
    let TopResponse { body, etag, gzip } = snapshot.response(form, || {
        let name = window.name();
        TopResponse {
            body: wire::top_json(board, &name, snapshot, form).into(),
            etag: etag(&name, snapshot, form).into(),
            gzip: None,
        }
    });
    let etag = HeaderValue::from_maybe_shared(etag).expect("versions and windows are ASCII");
    let caching = Caching {
        etag,
        freshness: window.freshness(form.is_final),
        may_be_gzip: true,
    };
    if is_known(headers, &caching.etag) {
        return caching.not_modified();
    }
    if let Some(gzip) = gzip
        && accepts_gzip(headers)
        && let Some(gzip) = gzip.get(&body).await
    {
        return (CONTENT_GZIP, caching.json(gzip)).into_response();
    }
    caching.json(body)
}

/// Returns `n`, at most the kind's `top`.
pub(crate) fn entries_wanted(n: Option<&str>, kind: &Kind) -> Result<usize, Problem> {
    let n = whole_within("n", n, 1..=kind.top() as u64)?;
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
