//! [`dispatch`]: calls the handler of the route of a request.

use std::future::ready;
use std::sync::Arc;

use axum::body::{Body, HttpBody as _};
use axum::extract::Request;
use axum::http::{HeaderValue, Method, Uri, header};
use axum::response::{IntoResponse as _, Response};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use http_server::query_params::percent;
use wire::problem::{Problem, ProblemType};

use crate::app::App;
use crate::route::{CallHandler, Matched, Route};
use http_server::query_params::PathParams;

/// Calls the handler of the route of a request.
pub(crate) fn dispatch(
    app: &Arc<App>,
    matched: &Matched,
    request: Request,
) -> BoxFuture<'static, Response> {
    match handler_of(matched, request.method(), request.uri()) {
        Ok(handler) => handler(request, app.clone()),
        Err(problem) => ready(problem.into_response()).boxed(),
    }
}

/// Returns the handler of a request. Refuses a request without a route, and one with a parameter that is not
/// percent-encoded.
fn handler_of(matched: &Matched, method: &Method, uri: &Uri) -> Result<CallHandler, Problem> {
    let route = matched.route().ok_or_else(|| unknown_path(uri))?;
    let path = uri.path();
    // Nearly all paths have none.
    if path.contains('%') {
        let mut params = PathParams::of(path).iter();
        params.try_for_each(|(name, value)| percent::check(name, value))?;
    }
    let handler = route.handler(method);
    handler.ok_or_else(|| not_allowed(route, method, uri))
}

/// Removes the body of a response to `HEAD`, but not its length. The connection sets the length of all others.
pub(crate) fn finished(mut response: Response, is_head: bool) -> Response {
    if is_head {
        let length = response.body().size_hint().exact();
        if let Some(length) = length
            && !response.headers().contains_key(header::CONTENT_LENGTH)
        {
            let length = HeaderValue::from(length);
            response
                .headers_mut()
                .insert(header::CONTENT_LENGTH, length);
        }
        *response.body_mut() = Body::empty();
    }
    response
}

/// Returns the 404 of a path without a route.
pub(crate) fn unknown_path(uri: &Uri) -> Problem {
    Problem::new(
        ProblemType::UnknownPath,
        format!("path {:?} is not known", uri.path()),
    )
}

/// Returns the 405 of a method that the route does not have, with the methods that it has.
pub(crate) fn not_allowed(route: &Route, method: &Method, uri: &Uri) -> Problem {
    let (path, allow) = (uri.path(), route.allow());
    let detail = format!("{method} is not supported on path {path:?}; allowed: {allow}");
    let problem = Problem::new(ProblemType::MethodNotAllowed, detail);
    match HeaderValue::from_str(&allow) {
        Ok(allow) => problem.with_header(header::ALLOW, allow),
        Err(_) => problem,
    }
}
