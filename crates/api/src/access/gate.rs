//! The one place where a request is let in: [`Gate`], before the routes.

use std::net::IpAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderValue, Request, header};
use axum::response::{IntoResponse, Response};
use percent_encoding::percent_decode_str;
use tower::ServiceExt as _;

use super::caller::Caller;
use super::keys::{Keys, bearer, unauthorized};
use super::routes::{self, Needs, Route};
use super::scope::Scope;
use crate::app::App;
use crate::problem::Problem;
use crate::router::{unknown_method, unknown_path};

/// Where every path of the contract begins that asks for a key.
const KEYED: &str = "/v1/";

/// The routes, and what stands before them.
pub(crate) struct Gate {
    app: Arc<App>,
    router: Router,
    needs: matchit::Router<&'static Route>,
}

/// Why a request is not let in.
struct Refusal {
    problem: Problem,
    /// A header that belongs to it.
    header: Option<(header::HeaderName, HeaderValue)>,
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        Self {
            problem,
            header: None,
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.header.map(|header| [header]), self.problem).into_response()
    }
}

impl Gate {
    pub(crate) fn new(app: Arc<App>, router: Router) -> Self {
        let needs = routes::by_path();
        Self { app, router, needs }
    }

    /// Lets a request in, or says why not.
    pub(crate) async fn answer(&self, _peer: IpAddr, mut request: Request<Body>) -> Response {
        if let Err(refusal) = self.admit(&mut request) {
            return refusal.into_response();
        }
        let response = self.router.clone().oneshot(request).await;
        response.unwrap_or_else(|never| match never {})
    }

    fn admit(&self, request: &mut Request<Body>) -> Result<(), Refusal> {
        let keys = self.app.access.keys.load();
        if keys.is_empty() {
            return Ok(());
        }
        match self.caller(&keys, request)? {
            None => {}
            Some(caller) => {
                request.extensions_mut().insert(caller);
            }
        }
        Ok(())
    }

    /// Whoever asks, where the route asks for a key.
    fn caller(&self, keys: &Keys, request: &Request<Body>) -> Result<Option<Caller>, Refusal> {
        let (method, uri) = (request.method(), request.uri());
        let found = self.needs.at(uri.path()).ok();
        let scope = match found.as_ref().and_then(|found| found.value.needs(method)) {
            Some(Needs::Nothing) => return Ok(None),
            Some(Needs::Metrics) if self.app.access.metrics_open => return Ok(None),
            Some(Needs::Metrics) => Some(Scope::Read),
            Some(Needs::Key(scope)) => Some(scope),
            None => None,
        };
        let key = if scope.is_some() || uri.path().starts_with(KEYED) {
            let key = keys.find(bearer(request.headers())?);
            Some(key.ok_or_else(|| unauthorized("authorization: the server knows no such key"))?)
        } else {
            None
        };
        // What the table does not have is answered here: no handler is reached past it.
        let (Some(found), Some(scope), Some(key)) = (&found, scope, key) else {
            return Err(match found {
                Some(found) => {
                    let allow = HeaderValue::from_str(&found.value.allow()).ok();
                    Refusal {
                        problem: unknown_method(method, uri),
                        header: allow.map(|allow| (header::ALLOW, allow)),
                    }
                }
                None => unknown_path(uri).into(),
            });
        };
        key.check_scope(scope)?;
        if let Some(kind) = found.params.get("kind") {
            // As the handler will read it; what is no UTF-8 is no kind.
            key.check_kind(&percent_decode_str(kind).decode_utf8_lossy())?;
        }
        Ok(Some(Caller::of(key.clone())))
    }
}
