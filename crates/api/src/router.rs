//! The one table of routes.
//!
//! Each handler brings its path and method along, as its `#[utoipa::path]` has them: what is served here
//! stands in the document, all but the files of pages.

use std::sync::Arc;

use axum::Router;
use axum::http::{Method, Uri};
use axum::routing::get;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::openapi;
use crate::problem::{Problem, ProblemType};
use crate::routes::{
    around, board, boards, contributions, count, erase, health, kinds, lookup, member, members,
    metrics, openapi as document, page, range, rank, stream, stream_tokens, top, tops,
};

/// All routes over one service.
pub(crate) fn router(app: Arc<App>) -> Router {
    let (router, _) = routes().split_for_parts();
    router
        .route("/", get(page::start))
        .route("/page/{file}", get(page::file))
        .fallback(async |uri: Uri| unknown_path(&uri))
        .method_not_allowed_fallback(async |method: Method, uri: Uri| unknown_method(&method, &uri))
        .with_state(app)
}

/// The routes that the document tells of.
pub(crate) fn routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::with_openapi(openapi::begun())
        .routes(routes!(contributions::add))
        .routes(routes!(top::show))
        .routes(routes!(tops::many))
        .routes(routes!(range::show))
        .routes(routes!(count::show))
        .routes(routes!(member::show, member::set, member::remove))
        .routes(routes!(around::show))
        .routes(routes!(lookup::show))
        .routes(routes!(rank::of_points, rank::of_values))
        .routes(routes!(stream::show))
        .routes(routes!(stream_tokens::issue))
        .routes(routes!(boards::list))
        .routes(routes!(board::show, board::settle, board::delete))
        .routes(routes!(erase::erase))
        .routes(routes!(members::is_hidden, members::hide, members::show))
        .routes(routes!(members::hidden))
        .routes(routes!(kinds::list))
        .routes(routes!(kinds::show, kinds::put, kinds::delete))
        .routes(routes!(health::alive))
        .routes(routes!(health::ready))
        .routes(routes!(metrics::show))
        .routes(routes!(document::show))
        .routes(routes!(page::docs))
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
