//! The one place where a request is let in: [`Gate`], before the routes.
//!
//! `rest` hands it every request. It counts the request for `/metrics`, answers for other origins where that is
//! configured, checks the host, takes a permit, charges the address, takes a token out of the query, checks the key,
//! and has the router answer. For a route that is audited it gives the handler an act to begin, and ends it
//! ([`crate::audit`]). The answer counts until its connection has written it ([`crate::answers`]).

use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, HttpBody as _};
use axum::http::{HeaderMap, Method, Request, Uri, header};
use axum::response::{IntoResponse, Response};
use futures::FutureExt as _;
use http_body_util::BodyExt as _;
use tower::{Layer as _, ServiceExt as _, service_fn};

use super::caller::Caller;
use super::hosts::{self, BadHost};
use super::key::Key;
use super::keys::{Keys, bearer};
use super::refusal::Refusal;
use super::scope::Scope;
use super::token::{self, BadToken};
use super::under_way::UnderWay;
use crate::app::App;
use crate::audit::Doing;
use crate::body::{LINES, media_type};
use crate::per_address::PerAddress;
use crate::percent;
use crate::problem::{Problem, ProblemType};
use crate::route::{self, ByPath, Found, Needs, Route, is_probe, is_scraped};
use crate::router::unknown_path;
use crate::server::ServerLimits;
use crate::socket::Flow;
use crate::trace::Tracer;

/// Where every path of the contract begins that asks for a key.
const KEYED: &str = "/v1/";

/// Where paths of streams end: nearly all requests are told by it.
const STREAMS: &str = "/stream";

/// Requests for what is counted that are under way at once: of two that watch, and somebody who looks.
const SCRAPES_MAX: usize = 4;

/// When an address with all streams that it may have is to try again.
const STREAM_WAIT: Duration = Duration::from_secs(1);

/// The routes, and what stands before them.
pub(crate) struct Gate {
    app: Arc<App>,
    router: Router,
    needs: ByPath<&'static Route>,
    under_way: UnderWay,
    scrapes: UnderWay,
    streams: PerAddress,
    /// It listens on its own machine alone.
    is_local: bool,
}

/// What is known of who asks.
struct Asking<'a> {
    request: &'a Request<Body>,
    peer: IpAddr,
    token: Option<String>,
}

type Matched<'a> = Found<'a, 'a, &'static Route>;

impl Gate {
    /// Lets in to these routes. `is_local`: the server listens on its own machine alone.
    pub(crate) fn new(
        app: Arc<App>,
        router: Router,
        limits: &ServerLimits,
        is_local: bool,
    ) -> Self {
        Self {
            app,
            router,
            needs: ByPath::of(|route| route),
            under_way: UnderWay::up_to(limits.requests_max),
            scrapes: UnderWay::up_to(SCRAPES_MAX),
            streams: PerAddress::up_to(limits.streams_per_address_max),
            is_local,
        }
    }

    /// Who takes requests as spans.
    pub(crate) fn tracer(&self) -> Option<&dyn Tracer> {
        self.app.tracer.as_deref()
    }

    /// Whether this peer decides which of its requests are traced.
    pub(crate) fn is_tracer(&self, peer: IpAddr) -> bool {
        self.app.access.is_tracer(peer)
    }

    /// The route that a path goes to, as the router writes it.
    pub(crate) fn route(&self, path: &str) -> Option<&'static str> {
        let found = self.needs.at(path)?;
        Some(found.value.path())
    }

    /// Whether it is the path of a stream, and not one that ends alike: a member may be called so.
    fn is_stream(&self, path: &str) -> bool {
        path.ends_with(STREAMS)
            && self
                .needs
                .at(path)
                .is_some_and(|found| found.value.is_stream())
    }

    /// Answers a request, and counts it.
    pub(crate) async fn answer(
        &self,
        peer: IpAddr,
        request: Request<Body>,
        flow: &Arc<Flow>,
    ) -> Response {
        let http = &self.app.metrics.http;
        let counted = http.begin(request.method(), request.uri().path());
        let response = self.let_in(peer, request, flow).await;
        counted.end(&response);
        response
    }

    /// Refuses a request, or has it answered by its route.
    async fn let_in(&self, peer: IpAddr, request: Request<Body>, flow: &Arc<Flow>) -> Response {
        let Some(cors) = &self.app.access.cors else {
            return self.send(peer, request, flow).await;
        };
        // Around refusals, too, or pages could not tell why.
        let send =
            |request| async move { Ok::<_, Infallible>(self.send(peer, request, flow).await) };
        let answered = cors.layer(service_fn(send)).oneshot(request).await;
        answered.unwrap_or_else(|never| match never {})
    }

    /// Has the answer count until the connection has written it.
    async fn send(&self, peer: IpAddr, mut request: Request<Body>, flow: &Arc<Flow>) -> Response {
        let app = &self.app;
        let answers = if is_scraped(request.uri().path()) {
            &app.scrapes
        } else {
            &app.answers
        };
        let answers = answers.to(app.access.proxies.client(peer, request.headers()));
        // What may change something takes the room for a large answer before it does.
        if !request.method().is_safe() {
            request.extensions_mut().insert(answers.clone());
        }
        let response = self.pass(peer, request, flow).await;
        answers.send(response, flow).await
    }

    async fn pass(&self, peer: IpAddr, mut request: Request<Body>, flow: &Arc<Flow>) -> Response {
        if let Err(refusal) = self.check_host(&request) {
            return refusal.into_response();
        }
        // Held until the answer is there; streams, either way, are not counted once they are let in.
        let places = self.places(request.uri().path());
        let place = places.enter();
        if place.is_none() && !is_probe(request.uri().path()) {
            return Refusal::overloaded(places.max()).into_response();
        }
        if let Err(refusal) = self.admit(peer, &mut request) {
            return refusal.into_response();
        }
        let _place = place.filter(|_| !is_stream_of_lines(&request));
        if self.is_stream(request.uri().path()) {
            // Streams alone look at it.
            request.extensions_mut().insert(flow.clone());
            return self.stream(peer, request).await;
        }
        if self.is_audited(&request) {
            // Boxed, since it is rare, and every request would carry its size.
            let audited = self.audited(peer, request).boxed().await;
            return audited.unwrap_or_else(IntoResponse::into_response);
        }
        self.routed(request).await
    }

    /// A stream, of which each address has so many.
    async fn stream(&self, peer: IpAddr, request: Request<Body>) -> Response {
        let address = self.app.access.proxies.client(peer, request.headers());
        let Some(place) = self.streams.enter(address) else {
            let max = self.streams.max();
            let what = format_args!("address {address} has {max} streams open");
            return Refusal::too_many(what, STREAM_WAIT).into_response();
        };
        let response = self.routed(request).await;
        // Held for as long as the body is.
        response.map(|body| {
            Body::new(body.map_frame(move |frame| {
                let _ = &place;
                frame
            }))
        })
    }

    /// Refuses what is for no host, or, without keys, for one that may be anybody's. Probes may use any name.
    fn check_host(&self, request: &Request<Body>) -> Result<(), Refusal> {
        let (uri, access) = (request.uri(), &self.app.access);
        let host = hosts::host_of(uri, request.headers(), request.version());
        let host = host.map_err(|bad| {
            Problem::invalid(match bad {
                BadHost::Missing => "host: is missing",
                BadHost::Several => "host: is there more than once",
                BadHost::Malformed => "host: is not a name or an address, with or without a port",
            })
        })?;
        match host {
            Some(host)
                if !access.has_keys()
                    && !is_probe(uri.path())
                    && !access.hosts.knows(&host, self.is_local) =>
            {
                let detail = format!(
                    "host: {host:?} is not a name of this server: without keys it answers to those of \
                     server.hosts"
                );
                Err(Problem::new(ProblemType::UnknownHost, detail).into())
            }
            _ => Ok(()),
        }
    }

    /// The places that a request takes one of.
    fn places(&self, path: &str) -> &UnderWay {
        if is_scraped(path) {
            &self.scrapes
        } else {
            &self.under_way
        }
    }

    async fn routed(&self, request: Request<Body>) -> Response {
        if let Err(problem) = self.check_path(request.uri()) {
            return problem.into_response();
        }
        let response = self.router.clone().oneshot(request).await;
        response.unwrap_or_else(|never| match never {})
    }

    /// Refuses a path that the router would take although a parameter is empty, or not percent-encoded.
    fn check_path(&self, uri: &Uri) -> Result<(), Problem> {
        let path = uri.path();
        // Nearly all are recognized by their text.
        if !path.contains("//") && !path.contains('%') {
            return Ok(());
        }
        let found = self.needs.at(path).ok_or_else(|| unknown_path(uri))?;
        let mut parameters = found.params.iter();
        parameters.try_for_each(|(name, value)| percent::check(name, value))
    }

    fn is_audited(&self, request: &Request<Body>) -> bool {
        // Nearly all requests are told by their method.
        let changes = [Method::PUT, Method::DELETE].contains(request.method());
        changes && {
            let found = self.needs.at(request.uri().path());
            found.is_some_and(|found| found.value.is_audited(request.method()))
        }
    }

    async fn audited(&self, peer: IpAddr, mut request: Request<Body>) -> Result<Response, Problem> {
        let app = &self.app;
        let caller = request.extensions().get::<Caller>().cloned();
        let doing = Doing::new(
            &caller.unwrap_or_default(),
            app.access.proxies.address(peer, request.headers()),
            request.method(),
            request.uri(),
        );
        // Its handler begins it, once it has found nothing to refuse.
        let act = app.audit.act(doing);
        request.extensions_mut().insert(act.clone());
        let response = self.routed(request).await;
        act.end(response, app.now()).await
    }

    /// Whether the request is let in. What its handler is to know of the caller goes with it.
    fn admit(&self, peer: IpAddr, request: &mut Request<Body>) -> Result<(), Refusal> {
        let access = &self.app.access;
        if let Some(budgets) = &access.addresses
            && !is_probe(request.uri().path())
            && !is_scraped(request.uri().path())
        {
            let address = access.proxies.client(peer, request.headers());
            let taken = budgets.take(address);
            taken.map_err(|wait| {
                Refusal::too_many(format_args!("address {address} asks too often"), wait)
            })?;
        }
        if !request.body().is_end_stream() {
            check_encoding(request.headers())?;
        }
        // Handlers know no tokens: they are gone by then, also where nobody asks for one.
        let token = if self.is_stream(request.uri().path()) {
            token::take(request)
        } else {
            None
        };
        let keys = access.keys.load();
        if keys.is_empty() {
            return Ok(());
        }
        let asking = Asking {
            request,
            peer,
            token,
        };
        if let Some(caller) = self.caller(&keys, &asking)? {
            request.extensions_mut().insert(caller);
        }
        Ok(())
    }

    /// Whoever asks, where the route asks for a key.
    fn caller(&self, keys: &Keys, asking: &Asking<'_>) -> Result<Option<Caller>, Refusal> {
        let (method, uri) = (asking.request.method(), asking.request.uri());
        let found = self.needs.at(uri.path());
        let needs = found.as_ref().and_then(|found| found.value.needs(method));
        match (&found, needs) {
            (_, Some(Needs::Nothing)) => Ok(None),
            (_, Some(Needs::Metrics)) if self.app.access.metrics_open => Ok(None),
            (Some(found), Some(Needs::Stream)) => {
                let caller = match self.token_holder(keys, asking, found)? {
                    Some(caller) => caller,
                    None => self.holder(keys, asking, found, Scope::Read)?,
                };
                Ok(Some(caller))
            }
            (Some(found), Some(Needs::Metrics)) => {
                self.holder(keys, asking, found, Scope::Read).map(Some)
            }
            (Some(found), Some(Needs::Key(scope))) => {
                self.holder(keys, asking, found, scope).map(Some)
            }
            // What the table lacks is answered here: no handler is reached past it.
            (found, _) => {
                if uri.path().starts_with(KEYED) {
                    self.key(keys, asking)?;
                }
                Err(match found {
                    Some(found) => Refusal::unknown_method(found.value, method, uri),
                    None => unknown_path(uri).into(),
                })
            }
        }
    }

    /// The holder of a key that is for this.
    fn holder(
        &self,
        keys: &Keys,
        asking: &Asking<'_>,
        found: &Matched<'_>,
        needed: Scope,
    ) -> Result<Caller, Refusal> {
        let key = self.key(keys, asking)?;
        key.check_scope(needed)?;
        if let Some(kind) = found.params.get("kind") {
            key.check_kind(&decoded(kind))?;
        }
        Ok(Caller::of(key))
    }

    /// The key that a request brings.
    fn key(&self, keys: &Keys, asking: &Asking<'_>) -> Result<Arc<Key>, Refusal> {
        let (access, headers) = (&self.app.access, asking.request.headers());
        let text = bearer(headers)?;
        // Looked up first, which costs less than a microsecond: whoever else of an address sends wrong keys,
        // a right one is let in.
        let Some(key) = keys.find(text) else {
            return Err(self.wrong_key(access.proxies.client(asking.peer, headers)));
        };
        key.check_time(self.app.now())?;
        let taken = key.take();
        taken.map_err(|wait| {
            Refusal::too_many(format_args!("key {:?} asks too often", key.name), wait)
        })?;
        Ok(key.clone())
    }

    /// Why a key that is not known does not let in: 401, or 429 where its address sends too many.
    fn wrong_key(&self, address: IpAddr) -> Refusal {
        match self.app.access.guesses.count(address) {
            Ok(()) => Refusal::unauthorized("authorization: the server knows no such key"),
            Err(wait) => {
                self.app.metrics.http.guesses_refused.inc();
                Refusal::too_many(
                    format_args!("address {address} sent too many wrong keys"),
                    wait,
                )
            }
        }
    }

    /// The holder of the key that a token of this very board was made with, where one stands in the place
    /// of a key; an error says what is wrong with it.
    fn token_holder(
        &self,
        keys: &Keys,
        asking: &Asking<'_>,
        found: &Matched<'_>,
    ) -> Result<Option<Caller>, Refusal> {
        let Some(token) = &asking.token else {
            return Ok(None);
        };
        if asking.request.headers().contains_key(header::AUTHORIZATION) {
            return Ok(None);
        }
        let part = |name| found.params.get(name).map(decoded).unwrap_or_default();
        let board = format!("{}/{}", part("kind"), part("subject"));
        let now = self.app.now();
        let tag = match self.app.access.tokens.check(token, &board, now) {
            Ok(tag) => tag,
            Err(BadToken::Wrong) => {
                let detail = format!("token: is not one for board {board:?}");
                return Err(Refusal::unauthorized(&detail));
            }
            Err(BadToken::Expired) => {
                return Err(Refusal::unauthorized("token: is past its time"));
            }
        };
        let Some(key) = keys.of_tag(tag) else {
            return Err(Refusal::unauthorized("token: its key was taken away"));
        };
        key.check_time(now)?;
        key.check_kind(&part("kind"))?;
        Ok(Some(Caller::of(key.clone())))
    }
}

/// Whether it may go on for hours: connections bound how many of those there are. Told by its route, too,
/// or any request could say that it is one.
fn is_stream_of_lines(request: &Request<Body>) -> bool {
    request.uri().path() == route::TAKES_LINES
        && request.method() == Method::POST
        && media_type(request.headers()) == LINES
}

/// A part of a path as the handler will read it; what it will not read names nothing that there is.
fn decoded(part: &str) -> String {
    percent::decoded(part).unwrap_or_default().into_owned()
}

/// Packed bodies are not taken: a small one could become a large one.
fn check_encoding(headers: &HeaderMap) -> Result<(), Refusal> {
    let mut packed = headers.get_all(header::CONTENT_ENCODING).iter();
    match packed.find(|value| !value.as_bytes().eq_ignore_ascii_case(b"identity")) {
        Some(encoding) => Err(Refusal::encoded(encoding)),
        None => Ok(()),
    }
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
            assert_eq!(is_stream_of_lines(&request), is_stream, "{method} {path}");
        }
    }
}
