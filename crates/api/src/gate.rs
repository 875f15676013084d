//! [`Gate`]: checks every request before its handler is called.
//!
//! The server passes it every request. The gate counts the request for `/metrics`, handles CORS if that is
//! configured, checks the host, takes a permit, applies the rate limit of the address, removes a token from the query,
//! checks the key, and calls the route's handler. The table of routes ([`crate::route`]) says what a route requires of
//! its callers, and [`Access`](access::Access) checks it. A handler whose boards are in the body or the query checks
//! its [`Caller`] itself. For an audited route, the gate passes the handler an audit entry to begin, and ends it. A
//! response counts until its connection has written it ([`http_server::Responses`]). Before all that, a repeated read
//! may be answered from a response that is [prepared].

mod begun;
mod paced;
pub(crate) mod prepared;
mod route_metrics;

use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use access::audit::AuditedRequest;
use access::{Authorizer, Caller, CorsLayer, Scope, take_token};
use axum::body::{Body, HttpBody as _};
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderMap, HeaderValue, Method, Request, header};
use axum::response::{IntoResponse, Response};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use http_server::query_params::percent;
use http_server::request_trace::Tracer;
use http_server::{
    Flow, LINES, PerAddress, RequestPermit, RequestPermits, ServerLimits, media_type,
};
use pacing::FairQueue;
use tower::{Layer as _, ServiceExt as _, service_fn};
use wire::problem::{Problem, ProblemType, without_cause};

pub(crate) use self::begun::BegunRequest;
use self::begun::{Handled, answered};
use self::paced::{PacedRequest, board_of};
use self::prepared::{Facts, PreparedResponses};
use self::route_metrics::MetricsByRoute;
use crate::app::App;
use crate::dispatch::{dispatch, not_allowed, unknown_path};
use crate::route::{Matched, Needs};
use http_server::query_params::PathParams;

/// The beginning of every path that requires a key.
const KEYED: &str = "/v1/";

/// The bytes of `{}`, which some clients send with every `PUT`.
const EMPTY_OBJECT_BYTES: u64 = 2;

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
    /// Gives turns to the steps of long requests.
    long_requests: Arc<FairQueue>,
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
            long_requests: FairQueue::with_lanes(available_parallelism().map_or(1, usize::from)),
            is_local,
        }
    }

    /// Returns the tracer, if one is configured.
    pub(crate) fn tracer(&self) -> Option<&dyn Tracer> {
        self.app.tracer.as_deref()
    }

    /// Returns whether clients are to leave.
    pub(crate) fn is_draining(&self) -> bool {
        self.app.is_draining()
    }

    /// Whether this peer may decide which of its requests are traced.
    pub(crate) fn is_tracer(&self, peer: IpAddr) -> bool {
        self.app.access.is_tracer(peer)
    }

    /// Counts a request, checks it, and calls its handler.
    pub(crate) fn begin<'a>(
        &'a self,
        peer: IpAddr,
        request: Request<Body>,
        matched: &'a Matched,
        flow: &'a Arc<Flow>,
    ) -> BegunRequest<'a> {
        let route = self.metrics.of(request.method(), matched);
        let counted = self.app.metrics.http.begin(route);
        let handled = match self.app.access.cors() {
            None => self.handle(peer, request, matched, flow),
            Some(cors) => {
                let answered = self.with_cors(cors, peer, request, matched, flow);
                Handled::answered_by(answered.boxed())
            }
        };
        BegunRequest::new(handled, counted)
    }

    /// Handles CORS, around refusals too: otherwise pages could not read them.
    async fn with_cors(
        &self,
        cors: &CorsLayer,
        peer: IpAddr,
        request: Request<Body>,
        matched: &Matched,
        flow: &Arc<Flow>,
    ) -> Response {
        let handle = |request| async move {
            let handled = self.handle(peer, request, matched, flow);
            Ok::<_, Infallible>(handled.answer(flow).await)
        };
        let answered = cors.layer(service_fn(handle)).oneshot(request).await;
        answered.unwrap_or_else(|never| match never {})
    }

    /// Checks a request, and calls its handler.
    fn handle<'a>(
        &'a self,
        peer: IpAddr,
        mut request: Request<Body>,
        matched: &'a Matched,
        flow: &Arc<Flow>,
    ) -> Handled<'a> {
        let app = &self.app;
        let answers = if matched.is_scraped() {
            &app.scrapes
        } else {
            &app.answers
        };
        let address = app.access.client(peer, request.headers());
        let answers = answers.to(address);
        // A request that may change something reserves the bytes of a large response before it does.
        if !request.method().is_safe() {
            request.extensions_mut().insert(answers.clone());
        }
        let is_head = request.method() == Method::HEAD;
        let board = board_of(request.uri().path());
        let only_reads = matched.only_reads(request.method());
        let permit = self.admit(peer, address, &mut request, matched);
        let (permit, paced, response) = match permit {
            Ok(permit) => {
                let caller = request.extensions().get::<Caller>();
                let caller = caller.cloned().unwrap_or_default();
                let is_keyless = caller.is_keyless();
                let paced = PacedRequest {
                    app,
                    long_requests: &self.long_requests,
                    caller,
                    address,
                    only_reads,
                    board,
                };
                let response = if matched.is_stream() {
                    self.stream(address, request, matched, flow)
                } else if is_audited(request.method(), matched) {
                    self.audited(peer, request, matched).boxed()
                } else {
                    dispatch(app, matched, request)
                };
                let response = if is_keyless {
                    response.map(without_cause).boxed()
                } else {
                    response
                };
                (permit, Some(paced), response)
            }
            Err(problem) => (None, None, answered(problem)),
        };
        Handled {
            response,
            paced,
            is_head,
            answers: Some(answers),
            permit,
        }
    }

    /// Decides whether a request is served. Returns its permit; streams of either direction have none after they were
    /// admitted.
    fn admit(
        &self,
        peer: IpAddr,
        address: IpAddr,
        request: &mut Request<Body>,
        matched: &Matched,
    ) -> Result<Option<RequestPermit<'_>>, Problem> {
        let is_probe = matched.is_probe();
        (self.app.access).check_host(request, is_probe, self.is_local)?;
        let permits = self.permits(matched);
        let permit = permits.acquire();
        if permit.is_none() && !is_probe {
            let detail = format!("{} requests are under way already", permits.max());
            return Err(Problem::new(ProblemType::Overloaded, detail));
        }
        self.authorize(peer, address, request, matched)?;
        let route = matched.route();
        if route.is_some_and(|route| route.takes_no_body(request.method()))
            && (request.body().size_hint().upper()).is_none_or(|bytes| bytes > EMPTY_OBJECT_BYTES)
        {
            let method = request.method();
            let detail =
                format!("body: {method} on this path has none; its parameters are in the query");
            return Err(Problem::invalid(detail));
        }
        if permit
            .as_ref()
            .is_some_and(RequestPermit::is_of_second_half)
        {
            // A write that waits for the store keeps its permit: half of them are for other requests.
            request.headers_mut().remove("prefer");
        }
        Ok(permit.filter(|_| !is_stream_of_lines(request, matched)))
    }

    /// Opens a stream, if its address does not have the maximum number.
    fn stream(
        &self,
        address: IpAddr,
        mut request: Request<Body>,
        matched: &Matched,
        flow: &Arc<Flow>,
    ) -> BoxFuture<'static, Response> {
        let Some(permit) = self.streams.enter(address) else {
            let max = self.streams.max();
            let what = format_args!("address {address} has {max} streams open");
            return answered(Problem::too_many_requests(what, STREAM_WAIT));
        };
        // Only streams use it.
        request.extensions_mut().insert(flow.clone());
        // The stream holds it. Around the body, it would be another box for each frame.
        request.extensions_mut().insert(Arc::new(permit));
        dispatch(&self.app, matched, request)
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
    ) -> Response {
        let app = &self.app;
        let caller = request.extensions().get::<Caller>().cloned();
        let caller = caller.unwrap_or_default();
        let uri = request.uri();
        let path = uri.path_and_query();
        let audited = AuditedRequest::new(
            caller.name(),
            caller.is_admin(),
            app.access.address(peer, request.headers()),
            request.method(),
            path.map_or(uri.path(), PathAndQuery::as_str),
        );
        // The handler begins it, once nothing of the request is left to refuse.
        let entry = app.audit.entry(audited);
        request.extensions_mut().insert(entry.clone());
        let response = dispatch(&self.app, matched, request).await;
        let ended = entry.end(response, app.now()).await;
        ended.unwrap_or_else(IntoResponse::into_response)
    }

    /// Authorizes the request, and adds the caller to its extensions.
    fn authorize(
        &self,
        peer: IpAddr,
        address: IpAddr,
        request: &mut Request<Body>,
        matched: &Matched,
    ) -> Result<(), Problem> {
        let access = &self.app.access;
        if !matched.is_probe() && !matched.is_scraped() {
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
            take_token(request)
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
        let read = |param| percent::decoded(param).unwrap_or_default();
        let PathParams { kind, subject, .. } = PathParams::of(uri.path());
        let route = matched.route();
        match route.and_then(|route| route.needs(method)) {
            Some(Needs::Nothing) => Ok(None),
            Some(Needs::Metrics) if self.app.access.metrics_open() => Ok(None),
            Some(Needs::Stream) => {
                let [kind, subject] = [kind, subject].map(|param| read(param.unwrap_or_default()));
                let caller = authorizer.stream_caller(token, &kind, &subject, &*self.app);
                caller.map(Some)
            }
            Some(Needs::ReadKey) => {
                let kind = kind.map(read);
                let caller = authorizer.reader(kind.as_deref(), &*self.app);
                caller.map(Some)
            }
            Some(Needs::Metrics) => authorizer.caller(Scope::Read, None).map(Some),
            Some(Needs::Key(scope)) => {
                let kind = kind.map(read);
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
    let detail =
        format!("content-encoding: {encoding:?} is not accepted: send the body uncompressed");
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
