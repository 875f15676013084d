//! What stands before the routes, and refuses requests: [`Gate`].
//!
//! `unread_body` hands it every request. It counts the request for `/metrics`, answers for other origins where that is
//! configured, checks the host, takes a permit, charges the address, takes a token out of the query, checks the key,
//! and has the route's handler answer. The table of routes ([`crate::route`]) says what a route requires of its
//! callers, and [`Access`](access::Access) checks it. A handler whose boards are in the body or the query asks its
//! [`Caller`]. For a route that is audited the gate gives the handler an entry to begin, and ends it. The response
//! counts until its connection has written it ([`connection::Responses`]).

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
use connection::{Flow, LINES, PerAddress, RequestPermits, media_type};
use futures::FutureExt as _;
use http_body_util::BodyExt as _;
use problem::{Problem, ProblemType};
use request_trace::Tracer;
use tower::{Layer as _, ServiceExt as _, service_fn};

use crate::app::App;
use crate::dispatch::{dispatch, not_allowed, unknown_path};
use crate::percent;
use crate::route::{Matched, Needs};
use crate::server::ServerLimits;

/// Where every path of the contract begins that asks for a key.
const KEYED: &str = "/v1/";

/// Scrapes under way at once: of two monitoring servers, and of a person.
const SCRAPES_MAX: usize = 4;

/// When an address with all streams that it may have is to try again.
const STREAM_WAIT: Duration = Duration::from_secs(1);

/// What stands before the routes.
pub(crate) struct Gate {
    app: Arc<App>,
    requests: RequestPermits,
    scrapes: RequestPermits,
    streams: PerAddress,
    /// It listens on its own machine alone.
    is_local: bool,
}

impl Gate {
    /// A gate before the routes of this service. `is_local`: the server listens on its own machine alone.
    pub(crate) fn new(app: Arc<App>, limits: &ServerLimits, is_local: bool) -> Self {
        Self {
            app,
            requests: RequestPermits::up_to(limits.requests_max),
            scrapes: RequestPermits::up_to(SCRAPES_MAX),
            streams: PerAddress::up_to(limits.streams_per_address_max),
            is_local,
        }
    }

    /// Returns what takes requests as spans.
    pub(crate) fn tracer(&self) -> Option<&dyn Tracer> {
        self.app.tracer.as_deref()
    }

    /// Whether this peer decides which of its requests are traced.
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
        let http = &self.app.metrics.http;
        let counted = http.begin(request.method(), matched);
        let response = self.let_in(peer, request, matched, flow).await;
        counted.end(&response);
        response
    }

    /// Refuses a request, or has it answered by its route.
    async fn let_in(
        &self,
        peer: IpAddr,
        request: Request<Body>,
        matched: &Matched,
        flow: &Arc<Flow>,
    ) -> Response {
        let Some(cors) = self.app.access.cors() else {
            return self.send(peer, request, matched, flow).await;
        };
        // Around refusals, too, or pages could not read why.
        let send = |request| async move {
            Ok::<_, Infallible>(self.send(peer, request, matched, flow).await)
        };
        let answered = cors.layer(service_fn(send)).oneshot(request).await;
        answered.unwrap_or_else(|never| match never {})
    }

    /// Has the answer count until the connection has written it.
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
        // What may change something takes the room for a large answer before it does.
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
        // Held until the response is there; streams, either way, are not counted once they are let in.
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
            // Streams alone look at it.
            request.extensions_mut().insert(flow.clone());
            return self.stream(peer, request, matched).await;
        }
        if is_audited(request.method(), matched) {
            // Boxed, since it is rare, and every request would carry its size.
            let audited = self.audited(peer, request, matched).boxed().await;
            return audited.unwrap_or_else(IntoResponse::into_response);
        }
        dispatch(&self.app, matched, request).await
    }

    /// A stream, of which each address has so many.
    async fn stream(&self, peer: IpAddr, request: Request<Body>, matched: &Matched) -> Response {
        let address = self.app.access.client(peer, request.headers());
        let Some(permit) = self.streams.enter(address) else {
            let max = self.streams.max();
            let what = format_args!("address {address} has {max} streams open");
            return Problem::too_many_requests(what, STREAM_WAIT).into_response();
        };
        let response = dispatch(&self.app, matched, request).await;
        // Held for as long as the body is.
        response.map(|body| {
            Body::new(body.map_frame(move |frame| {
                let _ = &permit;
                frame
            }))
        })
    }

    /// The permits that a request takes one of.
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
        // Its handler begins it, once it has found nothing to refuse.
        let entry = app.audit.entry(audited);
        request.extensions_mut().insert(entry.clone());
        let response = dispatch(&self.app, matched, request).await;
        entry.end(response, app.now()).await
    }

    /// Checks whether the request is let in. What its handler is to know of the caller goes with it.
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
        // No handler sees a token: it is gone by then, also where there are no keys.
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
        // As the handler will read it; what it will not read names nothing that there is.
        let param = |name| {
            let param = matched.param(uri.path(), name)?;
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
            // A route that the table lacks is refused here: no handler is reached past it.
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

/// Whether the audit log has an entry for it.
fn is_audited(method: &Method, matched: &Matched) -> bool {
    matched
        .route()
        .is_some_and(|route| route.is_audited(method))
}

/// Whether it may go on for hours: connections bound how many of those there are. Told by its route, too,
/// or any request could say that it is one.
fn is_stream_of_lines(request: &Request<Body>, matched: &Matched) -> bool {
    matched.takes_lines()
        && request.method() == Method::POST
        && media_type(request.headers()) == LINES
}

/// Refuses a compressed body: a small one could become a large one.
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
    fn only_contributions_come_as_a_stream_of_lines() {
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
