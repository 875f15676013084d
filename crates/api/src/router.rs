//! The router, made from the table of routes ([`crate::route`]).

use std::sync::Arc;

use axum::Router;
use axum::http::{Method, Uri};
use problem::{Problem, ProblemType};

use crate::app::App;
use crate::route;

/// All routes over one service.
pub(crate) fn router(app: Arc<App>) -> Router {
    let routes = route::all().fold(Router::new(), |router, route| {
        router.route(route.path(), route.handlers())
    });
    routes
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
    let detail = format!("{method} is not supported on path {:?}", uri.path());
    Problem::new(ProblemType::MethodNotAllowed, detail)
}
