//! The one table of routes.
//!
//! What each of them is in the document stands beside its handler (`#[utoipa::path]`); tests hold the two
//! against each other, and against what the gate asks of whoever comes.

use std::sync::Arc;

use axum::Router;
use axum::http::{Method, Uri};
use axum::routing::{delete, get, post};

use crate::app::App;
use crate::problem::{Problem, ProblemType};
use crate::routes::{
    around, board, boards, contributions, count, erase, health, kinds, lookup, member, members,
    metrics, openapi, page, range, rank, stream, stream_tokens, top, tops,
};

/// All routes over one service.
pub(crate) fn router(app: Arc<App>) -> Router {
    Router::new()
        .route("/v1/contributions", post(contributions::add))
        .route("/v1/boards/{kind}/{subject}/top", get(top::show))
        .route("/v1/top", post(tops::many))
        .route("/v1/boards/{kind}/{subject}/range", get(range::show))
        .route("/v1/boards/{kind}/{subject}/count", get(count::show))
        .route(
            "/v1/boards/{kind}/{subject}/members/{member}",
            get(member::show).put(member::set).delete(member::remove),
        )
        .route(
            "/v1/boards/{kind}/{subject}/members/{member}/around",
            get(around::show),
        )
        .route("/v1/boards/{kind}/{subject}/lookup", post(lookup::show))
        .route(
            "/v1/boards/{kind}/{subject}/rank",
            get(rank::of_points).post(rank::of_values),
        )
        .route("/v1/boards/{kind}/{subject}/stream", get(stream::show))
        .route("/v1/stream-tokens", post(stream_tokens::issue))
        .route("/v1/boards", get(boards::list))
        .route(
            "/v1/boards/{kind}/{subject}",
            get(board::show).put(board::settle).delete(board::delete),
        )
        .route("/v1/members/{member}", delete(erase::erase))
        .route(
            "/v1/members/{member}/hidden",
            get(members::is_hidden)
                .put(members::hide)
                .delete(members::show),
        )
        .route("/v1/hidden", get(members::hidden))
        .route("/v1/kinds", get(kinds::list))
        .route(
            "/v1/kinds/{kind}",
            get(kinds::show).put(kinds::put).delete(kinds::delete),
        )
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .route("/metrics", get(metrics::show))
        .route("/openapi.json", get(openapi::show))
        .route("/docs", get(page::docs))
        .route("/", get(page::start))
        .route("/page/{file}", get(page::file))
        .fallback(async |uri: Uri| unknown_path(&uri))
        .method_not_allowed_fallback(async |method: Method, uri: Uri| unknown_method(&method, &uri))
        .with_state(app)
}

pub(crate) fn unknown_path(uri: &Uri) -> Problem {
    Problem::new(
        ProblemType::UnknownPath,
        format!("path {:?} is not known", uri.path()),
    )
}

pub(crate) fn unknown_method(method: &Method, uri: &Uri) -> Problem {
    let detail = format!("path {:?} knows no {method}", uri.path());
    Problem::new(ProblemType::MethodNotAllowed, detail)
}
