//! [`Gate`]: all that happens to a request between its connection and its handler.
//!
//! The steps are the calls of [`Gate::answer_arrived`], [`Gate::answer`] and [`Gate::serve`], in their order. On its
//! way to the handler a request is
//!
//! 1. answered by a response that is [prepared], if it is a repeated read;
//! 2. held back while its client does not read the responses before it;
//! 3. given an id, and a span if it is traced ([`ObservedRequest`]);
//! 4. counted for `/metrics`, until it has a response;
//! 5. handled by CORS, if that is configured: around refusals too, or pages could not read them;
//! 6. checked: its host, the permits of all requests, the rate of its address, its encoding, its key ([`Gate::admit`]);
//! 7. recorded in the audit log, if its row in the table of routes ([`crate::route`]) says so;
//! 8. handled in turns with other long requests, and charged for what it costs.
//!
//! On its way back, its response is counted until the connection has written it ([`http_server::Responses`]), what the
//! handler did not read of its body is read, and it may be prepared. A handler whose boards are in the body or the
//! query checks its [`Caller`] itself.
//!
//! These are functions, not layers of `tower`: a layer boxes the request or its future, where these steps share what
//! they have found out. CORS is a layer.

mod admission;
pub(crate) mod prepared;
mod route_metrics;

use std::convert::Infallible;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::thread::available_parallelism;

use access::audit::AuditedRequest;
use access::{Access, Caller, CorsLayer, Scope};
use axum::body::{Body, HttpBody as _};
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderValue, Method, Request, header};
use axum::response::{IntoResponse, Response};
use futures::FutureExt as _;
use http_server::request_trace::Tracer;
use http_server::validators::HoldsNoMemory;
use http_server::{Backpressure, LentBody, PerAddress, ServerLimits, is_small};
use hyper::body::Incoming;
use pacing::{FairQueue, STEP, paced};
use tower::{Layer as _, ServiceExt as _, service_fn};
use twox_hash::XxHash3_64;
use wire::problem::{Problem, ProblemType, without_cause};

use self::admission::{Admitted, Permits};
use self::prepared::{Facts, PreparedResponses};
use self::route_metrics::MetricsByRoute;
use crate::app::App;
use crate::call::Call;
use crate::observed::ObservedRequest;
use crate::route::{Matched, Needs};

/// Maximum concurrent scrapes: of two monitoring servers, and of a person.
const SCRAPES_MAX: usize = 4;

/// The checks before the routes.
pub(crate) struct Gate {
    app: Arc<App>,
    metrics: MetricsByRoute,
    requests: Permits,
    scrapes: Permits,
    streams: PerAddress,
    /// Gives turns to the steps of long requests.
    long_requests: Arc<FairQueue>,
    prepared: PreparedResponses<Facts>,
    /// The server listens only on a loopback address.
    is_local: bool,
}

/// A request whose head has arrived.
pub(crate) struct ArrivedRequest {
    pub(crate) request: Request<Incoming>,
    pub(crate) matched: Matched,
    pub(crate) peer: IpAddr,
    /// It arrived on a connection for probes alone.
    pub(crate) is_spare: bool,
}

impl Gate {
    /// Creates the gate of a service. `is_local`: the server listens only on a loopback address.
    pub(crate) fn new(app: Arc<App>, limits: &ServerLimits, is_local: bool) -> Self {
        Self {
            metrics: MetricsByRoute::new(&app.metrics.http),
            prepared: PreparedResponses::new(&app.memory.prepared),
            app,
            requests: Permits::up_to(limits.requests_max),
            scrapes: Permits::up_to(SCRAPES_MAX),
            streams: PerAddress::up_to(limits.streams_per_address_max),
            long_requests: FairQueue::with_lanes(available_parallelism().map_or(1, usize::from)),
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

    /// Answers a request that no prepared response was for.
    pub(crate) async fn answer_arrived(
        &self,
        arrived: Box<ArrivedRequest>,
        flow: &Arc<Backpressure>,
    ) -> Response {
        let ArrivedRequest {
            request,
            matched,
            peer,
            is_spare,
        } = *arrived;
        flow.freed().await;
        let to_prepare = self.note_read(&request, &matched);
        let observed = ObservedRequest::new(&request, &matched, peer, self);
        let (request, lent) = LentBody::lend(request, is_spare);
        let answer = async {
            if is_spare && !matched.is_for_spare() {
                let detail = "the connections of all, or of this address, are taken";
                return Problem::new(ProblemType::Overloaded, detail).into_response();
            }
            self.answer(peer, request, matched, to_prepare.is_some(), flow)
                .await
        };
        let mut response = lent.take_back(observed.answered(pin!(answer)).await).await;
        if let Some(read) = to_prepare {
            response = self.prepare(read, response);
        }
        if self.app.is_draining() {
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(header::CONNECTION, close);
        }
        response
    }

    /// Counts a request, and answers it.
    async fn answer(
        &self,
        peer: IpAddr,
        request: Request<Body>,
        matched: Matched,
        is_repeated: bool,
        flow: &Arc<Backpressure>,
    ) -> Response {
        let counted = self.app.metrics.http.begin(self.metrics.of(matched.index));
        let response = match self.app.access.cors() {
            None => self.serve(peer, request, matched, is_repeated, flow).await,
            Some(cors) => {
                let served = self.with_cors(cors, peer, request, matched, is_repeated, flow);
                served.boxed().await
            }
        };
        counted.end(&response);
        response
    }

    async fn with_cors(
        &self,
        cors: &CorsLayer,
        peer: IpAddr,
        request: Request<Body>,
        matched: Matched,
        is_repeated: bool,
        flow: &Arc<Backpressure>,
    ) -> Response {
        let serve = |request| {
            let matched = matched.clone();
            async move {
                let served = self.serve(peer, request, matched, is_repeated, flow);
                Ok::<_, Infallible>(served.await)
            }
        };
        let answered = cors.layer(service_fn(serve)).oneshot(request).await;
        answered.unwrap_or_else(|never| match never {})
    }

    /// Checks a request, calls its handler, and counts the response until the connection has written it.
    async fn serve(
        &self,
        peer: IpAddr,
        mut request: Request<Body>,
        matched: Matched,
        is_repeated: bool,
        flow: &Arc<Backpressure>,
    ) -> Response {
        let app = &self.app;
        let address = app.access.client(peer, request.headers());
        let responses = if matched.is_scrape() {
            app.scrapes.to(address)
        } else {
            app.responses.to(address)
        };
        let is_head = request.method() == Method::HEAD;
        let board = board_of(request.uri().path());
        let response = match self.admit(peer, address, &mut request, &matched) {
            Err(problem) => problem.into_response(),
            Ok(admitted) => {
                let Admitted {
                    route,
                    caller,
                    permit: _permit,
                    stream,
                } = admitted;
                let mut cost = Cost {
                    access: &app.access,
                    caller: caller.clone(),
                    address,
                    only_reads: matches!(route.needs, Needs::ReadKey | Needs::Key(Scope::Read)),
                    work: 0,
                };
                let turns = pacing::Flow {
                    caller: caller.digest().unwrap_or_else(|| address_digest(address)),
                    board,
                };
                let is_keyless = caller.is_keyless();
                let audit = route.audited.then(|| {
                    let uri = request.uri();
                    let path = uri.path_and_query();
                    // The handler begins it, once nothing of the request is left to refuse.
                    app.audit.entry(AuditedRequest::new(
                        caller.name(),
                        caller.is_admin(),
                        app.access.address(peer, request.headers()),
                        request.method(),
                        path.map_or(uri.path(), PathAndQuery::as_str),
                    ))
                });
                let (head, body) = request.into_parts();
                let call = Box::new(Call {
                    app: app.clone(),
                    caller,
                    path: matched.params,
                    headers: head.headers,
                    uri: head.uri,
                    body: body.into(),
                    responses: responses.clone(),
                    audit: audit.clone(),
                    // The stream holds it. Around the body, it would be another box for each frame.
                    stream: stream.map(|count| (flow.clone(), count)),
                    is_repeated,
                });
                let handled = (route.handler)(call);
                let handled = paced(&self.long_requests, turns, &mut cost.work, handled).await;
                let mut response = handled.into_response();
                if let Some(entry) = audit {
                    let ended = entry.end(response, app.now()).await;
                    response = ended.into_response();
                }
                if is_keyless {
                    response = without_cause(response);
                }
                response
            }
        };
        let response = finished(response, is_head);
        if is_small(&response) || response.extensions().get::<HoldsNoMemory>().is_some() {
            return response;
        }
        // Boxed, since it would increase the size of every request.
        responses.send(response, flow).boxed().await
    }
}

/// What a request costs its caller beside itself. It counts when this is dropped: also if the client has left.
struct Cost<'a> {
    access: &'a Access,
    caller: Caller,
    address: IpAddr,
    /// Only the cost of reads counts.
    only_reads: bool,
    work: usize,
}

impl Drop for Cost<'_> {
    fn drop(&mut self) {
        let more = self.work / STEP;
        if self.only_reads && more > 0 {
            let more = u32::try_from(more).unwrap_or(u32::MAX);
            self.access.owe(&self.caller, self.address, more);
        }
    }
}

/// Returns a digest of what a path is about: of its first four segments, as in `/v1/boards/gifts/a`.
fn board_of(path: &str) -> u64 {
    let path = path.as_bytes();
    let mut slashes = (0..path.len()).filter(|at| path[*at] == b'/');
    let end = slashes.nth(4).unwrap_or(path.len());
    XxHash3_64::oneshot(&path[..end])
}

fn address_digest(address: IpAddr) -> u64 {
    match address {
        IpAddr::V4(address) => XxHash3_64::oneshot(&address.octets()),
        IpAddr::V6(address) => XxHash3_64::oneshot(&address.octets()),
    }
}

/// Removes the body of a response to `HEAD`, but not its length. The connection sets the length of all others.
fn finished(mut response: Response, is_head: bool) -> Response {
    if is_head {
        if let Some(length) = response.body().size_hint().exact() {
            let headers = response.headers_mut();
            headers
                .entry(header::CONTENT_LENGTH)
                .or_insert(HeaderValue::from(length));
        }
        *response.body_mut() = Body::empty();
    }
    response
}

#[cfg(test)]
impl Gate {
    /// Answers a request that did not come from a connection.
    pub(crate) async fn answer_alone(&self, peer: IpAddr, request: Request<Body>) -> Response {
        let matched = Matched::of(request.method(), request.uri().path());
        self.answer(peer, request, matched, false, &Arc::default())
            .await
    }
}
