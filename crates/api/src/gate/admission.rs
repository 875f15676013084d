//! [`Gate::admit`]: whether a request is served, and for whom.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use access::{Authorizer, Caller, Scope, take_token};
use axum::body::{Body, HttpBody as _};
use axum::http::{HeaderMap, HeaderValue, Request, header};
use http_server::{LINES, OfAddress, media_type};
use tokio::sync::{Semaphore, SemaphorePermit};
use wire::problem::{Problem, ProblemType};

use super::Gate;
use crate::route::{Limits, Matched, Needs, Route};

/// The beginning of every path that requires a key.
const KEYED: &str = "/v1/";

/// The bytes of `{}`, which some clients send with every `PUT`.
const EMPTY_OBJECT_BYTES: u64 = 2;

/// `Retry-After` for an address that has the maximum number of streams.
const STREAM_WAIT: Duration = Duration::from_secs(1);

/// A request that is to be served.
pub(super) struct Admitted<'a> {
    pub(super) route: &'static Route,
    pub(super) caller: Caller,
    /// Streams of lines have none after they were admitted.
    pub(super) permit: Option<SemaphorePermit<'a>>,
    /// The count of a stream in its address.
    pub(super) stream: Option<Arc<OfAddress>>,
}

/// Permits of requests that are being served.
pub(super) struct Permits {
    free: Semaphore,
    max: usize,
}

impl Permits {
    pub(super) fn up_to(max: usize) -> Self {
        let max = max.min(Semaphore::MAX_PERMITS);
        let free = Semaphore::new(max);
        Self { free, max }
    }

    /// Returns a permit, if one is free, and whether half of them were in use before.
    pub(super) fn acquire(&self) -> Option<(SemaphorePermit<'_>, bool)> {
        let permit = self.free.try_acquire().ok()?;
        let before = self.max.saturating_sub(self.free.available_permits() + 1);
        Some((permit, before >= self.max.div_ceil(2)))
    }
}

impl Gate {
    /// Decides whether a request is served.
    pub(super) fn admit(
        &self,
        peer: IpAddr,
        address: IpAddr,
        request: &mut Request<Body>,
        matched: &Matched,
    ) -> Result<Admitted<'_>, Problem> {
        let is_probe = matched.is_probe();
        (self.app.access).check_host(request, is_probe, self.is_local)?;
        let permits = if matched.is_scrape() {
            &self.scrapes
        } else {
            &self.requests
        };
        let permit = permits.acquire();
        if permit.is_none() && !is_probe {
            let detail = format!("{} requests are under way already", permits.max);
            return Err(Problem::new(ProblemType::Overloaded, detail));
        }
        let caller = self.authorize(peer, address, request, matched)?;
        let Some(route) = matched.route() else {
            return Err(matched.refusal(request.method(), request.uri().path()));
        };
        if route.bodiless
            && (request.body().size_hint().upper()).is_none_or(|bytes| bytes > EMPTY_OBJECT_BYTES)
        {
            let method = request.method();
            let detail =
                format!("body: {method} on this path has none; its parameters are in the query");
            return Err(Problem::invalid(detail));
        }
        matched.check_params()?;
        if permit
            .as_ref()
            .is_some_and(|(_, is_of_second_half)| *is_of_second_half)
        {
            // A write that waits for the store keeps its permit: half of them are for other requests.
            request.headers_mut().remove("prefer");
        }
        // The route is checked too, or any request could claim that it may take hours.
        let is_stream_of_lines =
            route.limits == Limits::Lines && media_type(request.headers()) == LINES;
        let permit = permit.filter(|_| !is_stream_of_lines);
        let stream = (route.limits == Limits::Stream).then(|| self.enter_stream(address));
        Ok(Admitted {
            route,
            caller,
            permit: permit.map(|(permit, _)| permit),
            stream: stream.transpose()?,
        })
    }

    /// Counts a stream of this address, which may not have the maximum number open.
    fn enter_stream(&self, address: IpAddr) -> Result<Arc<OfAddress>, Problem> {
        let count = self.streams.enter(address).ok_or_else(|| {
            let max = self.streams.max();
            let what = format_args!("address {address} has {max} streams open");
            Problem::too_many_requests(what, STREAM_WAIT)
        })?;
        Ok(Arc::new(count))
    }

    /// Authorizes the request, and returns the caller.
    fn authorize(
        &self,
        peer: IpAddr,
        address: IpAddr,
        request: &mut Request<Body>,
        matched: &Matched,
    ) -> Result<Caller, Problem> {
        let access = &self.app.access;
        if !matched.is_for_spare() {
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
        match access.authorizer(request.headers(), peer, self.app.clock()) {
            None => Ok(Caller::default()),
            Some(authorizer) => self.caller(&authorizer, request, matched, token.as_deref()),
        }
    }

    /// Returns the caller, if it is permitted what the route requires.
    fn caller(
        &self,
        authorizer: &Authorizer<'_>,
        request: &Request<Body>,
        matched: &Matched,
        token: Option<&str>,
    ) -> Result<Caller, Problem> {
        let app = &*self.app;
        let kind = matched.params.kind.as_deref();
        match matched.route().map(|route| route.needs) {
            Some(Needs::Nothing) => Ok(Caller::default()),
            Some(Needs::Metrics) if app.access.metrics_open() => Ok(Caller::default()),
            Some(Needs::Metrics) => authorizer.caller(Scope::Read, None),
            Some(Needs::Stream) => {
                let subject = matched.params.subject.as_deref();
                let [kind, subject] = [kind, subject].map(Option::unwrap_or_default);
                authorizer.stream_caller(token, kind, subject, app)
            }
            Some(Needs::ReadKey) => authorizer.reader(kind, app),
            Some(Needs::Key(scope)) => authorizer.caller(scope, kind),
            // A route that is not in the table is refused here: no handler is called without authorization.
            None => {
                let path = request.uri().path();
                if path.starts_with(KEYED) {
                    authorizer.check_key()?;
                }
                Err(matched.refusal(request.method(), path))
            }
        }
    }
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
