//! [`Gate`]: checks every request before its handler is called.
//!
//! `unread_body` passes it every request. The gate counts the request for `/metrics`, handles CORS if that is
//! configured, checks the host, takes a permit, applies the rate limit of the address, removes a token from the query,
//! checks the key, and calls the route's handler. The table of routes ([`crate::route`]) says what a route requires of
//! its callers, and [`Access`](access::Access) checks it. A handler whose boards are in the body or the query checks
//! its [`Caller`] itself. For an audited route, the gate passes the handler an audit entry to begin, and ends it. A
//! response counts until its connection has written it ([`connection::Responses`]). Before all that, a repeated read
//! may be answered from a response that is prepared (`repeat`).

mod facts;
mod repeat;
mod route_metrics;
mod token;

use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use access::{Authorizer, Caller, Scope};
use audit::AuditedRequest;
use axum::body::{Body, HttpBody as _};
use axum::http::{HeaderMap, HeaderValue, Method, Request, header};
use axum::response::{IntoResponse, Response};
use connection::{
    Flow, LINES, PerAddress, PreparedResponses, RequestPermits, ServerLimits, media_type,
};
use futures::FutureExt as _;
use problem::{Problem, ProblemType};
use request_trace::Tracer;
use tower::{Layer as _, ServiceExt as _, service_fn};

use self::facts::Facts;
use self::route_metrics::MetricsByRoute;
use crate::app::App;
use crate::dispatch::{dispatch, not_allowed, unknown_path};
use crate::percent;
use crate::route::{Matched, Needs};

/// The beginning of every path that requires a key.
const KEYED: &str = "/v1/";

/// Maximum concurrent scrapes: of two monitoring servers, and of a person.
const SCRAPES_MAX: usize = 4;

/// `Retry-After` for an address that has the maximum number of streams.
const STREAM_WAIT: Duration = Duration::from_secs(1);

/// The checks before the routes.
pub(crate) struct Gate {
    app: Arc<App>,
    metrics: MetricsByRoute,
    requests: RequestPermits,
    scrapes: RequestPermits,
    streams: PerAddress,
    prepared: PreparedResponses<Facts>,
    /// The server listens only on a loopback address.
    is_local: bool,
}

impl Gate {
    /// Creates the gate of a service. `is_local`: the server listens only on a loopback address.
    pub(crate) fn new(app: Arc<App>, limits: &ServerLimits, is_local: bool) -> Self {
        Self {
            metrics: MetricsByRoute::new(&app.metrics.http),
            prepared: PreparedResponses::new(&app.pools.prepared),
            app,
            requests: RequestPermits::up_to(limits.requests_max),
            scrapes: RequestPermits::up_to(SCRAPES_MAX),
            streams: PerAddress::up_to(limits.streams_per_address_max),
            is_local,
        }
    }

    /// Returns the tracer, if one is configured.
    pub(crate) fn tracer(&self) -> Option<&dyn Tracer> {
        self.app.tracer.as_deref()
    }

    /// Whether this peer may decide which of its requests are traced.
    pub(crate) fn is_tracer(&self, peer: IpAddr) -> bool {
        self.app.access.is_tracer(peer)
    }

    /// Answers a request, and counts it.
    pub(crate) async fn answer(
        &self,
        peer: IpAddr,
        request: Request<Body>,
        matched: &Matched,
        flow: &Arc<Flow>,
    ) -> Response {
        let route = self.metrics.of(request.method(), matched);
        let counted = self.app.metrics.http.begin(route);
        let response = self.with_cors(peer, request, matched, flow).await;
        counted.end(&response);
        response
    }

    /// Handles CORS, around refusals too: otherwise pages could not read them.
    async fn with_cors(
        &self,
        peer: IpAddr,
        request: Request<Body>,
        matched: &Matched,
        flow: &Arc<Flow>,
    ) -> Response {
        let Some(cors) = self.app.access.cors() else {
            return self.send(peer, request, matched, flow).await;
        };
        let send = |request| async move {
            Ok::<_, Infallible>(self.send(peer, request, matched, flow).await)
        };
        let answered = cors.layer(service_fn(send)).oneshot(request).await;
        answered.unwrap_or_else(|never| match never {})
    }

    /// Counts the response until the connection has written it.
    async fn send(
        &self,
        peer: IpAddr,
        mut request: Request<Body>,
        matched: &Matched,
        flow: &Arc<Flow>,
    ) -> Response {
        let app = &self.app;
        let answers = if matched.is_scraped() {
            &app.scrapes
        } else {
            &app.answers
        };
        let answers = answers.to(app.access.client(peer, request.headers()));
        // A request that may change something reserves the bytes of a large response before it does.
        if !request.method().is_safe() {
            request.extensions_mut().insert(answers.clone());
        }
        let response = self.pass(peer, request, matched, flow).await;
        answers.send(response, flow).await
    }

    async fn pass(
        &self,
        peer: IpAddr,
        mut request: Request<Body>,
        matched: &Matched,
        flow: &Arc<Flow>,
    ) -> Response {
        let is_probe = matched.is_probe();
        let host = self
            .app
            .access
            .check_host(&request, is_probe, self.is_local);
        if let Err(problem) = host {
            return problem.into_response();
        }
        // Held until the response is there. Streams of either direction do not count after they were admitted.
        let permits = self.permits(matched);
        let permit = permits.acquire();
        if permit.is_none() && !is_probe {
            let detail = format!("{} requests are under way already", permits.max());
            return Problem::new(ProblemType::Overloaded, detail).into_response();
        }
        if let Err(problem) = self.admit(peer, &mut request, matched) {
            return problem.into_response();
        }
        let _permit = permit.filter(|_| !is_stream_of_lines(&request, matched));
        if matched.is_stream() {
            // Only streams use it.
            request.extensions_mut().insert(flow.clone());
            return self.stream(peer, request, matched).await;
        }
        if is_audited(request.method(), matched) {
            // Boxed, since this is rare and would increase the size of every request.
            let audited = self.audited(peer, request, matched).boxed().await;
            return audited.unwrap_or_else(IntoResponse::into_response);
        }
        dispatch(&self.app, matched, request).await
    }

    /// Opens a stream, if its address does not have the maximum number.
    async fn stream(
        &self,
        peer: IpAddr,
        mut request: Request<Body>,
        matched: &Matched,
    ) -> Response {
        let address = self.app.access.client(peer, request.headers());
        let Some(permit) = self.streams.enter(address) else {
            let max = self.streams.max();
            let what = format_args!("address {address} has {max} streams open");
            return Problem::too_many_requests(what, STREAM_WAIT).into_response();
        };
        // The stream holds it. Around the body, it would be another box for each frame.
        request.extensions_mut().insert(Arc::new(permit));
        dispatch(&self.app, matched, request).await
    }

    /// Returns the permits for this request.
    fn permits(&self, matched: &Matched) -> &RequestPermits {
        if matched.is_scraped() {
            &self.scrapes
        } else {
            &self.requests
        }
    }

    async fn audited(
        &self,
        peer: IpAddr,
        mut request: Request<Body>,
        matched: &Matched,
    ) -> Result<Response, Problem> {
        let app = &self.app;
        let caller = request.extensions().get::<Caller>().cloned();
        let caller = caller.unwrap_or_default();
        let audited = AuditedRequest::new(
            caller.name(),
            caller.is_admin(),
            app.access.address(peer, request.headers()),
            request.method(),
            request.uri(),
        );
        // The handler begins it, once nothing of the request is left to refuse.
        let entry = app.audit.entry(audited);
        request.extensions_mut().insert(entry.clone());
        let response = dispatch(&self.app, matched, request).await;
        entry.end(response, app.now()).await
    }

    /// Authorizes the request, and adds the caller to its extensions.
    fn admit(
        &self,
        peer: IpAddr,
        request: &mut Request<Body>,
        matched: &Matched,
    ) -> Result<(), Problem> {
        let access = &self.app.access;
        if !matched.is_probe() && !matched.is_scraped() {
            let address = access.client(peer, request.headers());
            access.take_request(address).map_err(|wait| {
                Problem::too_many_requests(
                    format_args!("address {address} sends too many requests"),
                    wait,
                )
            })?;
        }
        if !request.body().is_end_stream() {
            check_encoding(request.headers())?;
        }
        // Removed even without keys, so that no handler gets a token.
        let token = if matched.is_stream() {
            token::take(request)
        } else {
            None
        };
        let Some(authorizer) = access.authorizer(request.headers(), peer, self.app.clock()) else {
            return Ok(());
        };
        if let Some(caller) = self.caller(&authorizer, request, matched, token.as_deref())? {
            request.extensions_mut().insert(caller);
        }
        Ok(())
    }

    /// Returns the caller, where the route requires one.
    fn caller(
        &self,
        authorizer: &Authorizer<'_>,
        request: &Request<Body>,
        matched: &Matched,
        token: Option<&str>,
    ) -> Result<Option<Caller>, Problem> {
        let (method, uri) = (request.method(), request.uri());
        // As the handler will read it; a value that it cannot read is not the name of anything.
        let param = |name| {
            let param = matched.params().get(uri.path(), name)?;
            Some(percent::decoded(param).unwrap_or_default())
        };
        let route = matched.route();
        match route.and_then(|route| route.needs(method)) {
            Some(Needs::Nothing) => Ok(None),
            Some(Needs::Metrics) if self.app.access.metrics_open() => Ok(None),
            Some(Needs::Stream) => {
                let [kind, subject] = ["kind", "subject"].map(param);
                let [kind, subject] = [kind, subject].map(Option::unwrap_or_default);
                authorizer.stream_caller(token, &kind, &subject).map(Some)
            }
            Some(Needs::Metrics) => authorizer.caller(Scope::Read, None).map(Some),
            Some(Needs::Key(scope)) => {
                let kind = param("kind");
                authorizer.caller(scope, kind.as_deref()).map(Some)
            }
            // A route that is not in the table is refused here: no handler is called without authorization.
            None => {
                if uri.path().starts_with(KEYED) {
                    authorizer.check_key()?;
                }
                Err(match route {
                    Some(route) => not_allowed(route, method, uri),
                    None => unknown_path(uri),
                })
            }
        }
    }
}

/// Whether the request is audited.
fn is_audited(method: &Method, matched: &Matched) -> bool {
    matched
        .route()
        .is_some_and(|route| route.is_audited(method))
}

/// Whether the request may take hours: the number of these is limited by connections alone. The route is checked too,
/// or any request could claim it.
fn is_stream_of_lines(request: &Request<Body>, matched: &Matched) -> bool {
    matched.takes_lines()
        && request.method() == Method::POST
        && media_type(request.headers()) == LINES
}

/// Refuses compressed bodies: a small one could become a large one.
fn check_encoding(headers: &HeaderMap) -> Result<(), Problem> {
    let mut encodings = headers.get_all(header::CONTENT_ENCODING).iter();
    let compressed = encodings.find(|value| !value.as_bytes().eq_ignore_ascii_case(b"identity"));
    let Some(encoding) = compressed else {
        return Ok(());
    };
    let encoding = String::from_utf8_lossy(encoding.as_bytes());
    let detail = format!("content-encoding: {encoding:?} is not taken, bodies come as they are");
    let identity = HeaderValue::from_static("identity");
    let problem = Problem::new(ProblemType::UnsupportedMediaType, detail);
    Err(problem.with_header(header::ACCEPT_ENCODING, identity))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_contributions_may_be_a_stream_of_lines() {
        for (method, path, media_type, is_stream) in [
            ("POST", "/v1/contributions", "application/x-ndjson", true),
            (
                "POST",
                "/v1/contributions?return=ranks",
                "Application/X-NDJSON; charset=utf-8",
                true,
            ),
            ("POST", "/v1/contributions", "application/json", false),
            ("PUT", "/v1/contributions", "application/x-ndjson", false),
            (
                "GET",
                "/v1/boards/gifts/a/range",
                "application/x-ndjson",
                false,
            ),
            ("POST", "/v1/top", "application/x-ndjson", false),
        ] {
            let request = Request::builder().method(method).uri(path);
            let request = request.header(header::CONTENT_TYPE, media_type);
            let request = request.body(Body::empty()).unwrap();
            let matched = Matched::of(request.uri().path());
            let lines = is_stream_of_lines(&request, &matched);
            assert_eq!(lines, is_stream, "{method} {path}");
        }
    }
}
