//! [`ObservedRequest`]: the id, the log line and the span of a request.

use std::future::poll_fn;
use std::net::IpAddr;
use std::pin::Pin;
use std::task::Poll;

use axum::http::{HeaderValue, Method, Request, header};
use axum::response::Response;
use http_server::request_trace::{
    CurrentRequest, REQUEST_ID, RequestScope, request_id, trace_parent,
};
use shard_router::TRACE_TARGET;
use tracing::field::{Empty, display};
use tracing::{Level, Span};

use crate::gate::Gate;
use crate::route::Matched;

const NOSNIFF: HeaderValue = HeaderValue::from_static("nosniff");

/// Maximum characters of a path in a span: thousands of spans may wait for a collector.
const PATH_CHARS_MAX: usize = 512;

/// A request whose head has arrived.
pub(crate) struct ObservedRequest {
    request: Option<CurrentRequest>,
    span: Span,
    line: Option<LogLine>,
}

/// The contents of the log line of a request, if there is one.
struct LogLine {
    method: Method,
    path: String,
}

impl ObservedRequest {
    /// Gives the request an id, and a span if the tracer chooses it.
    pub(crate) fn new<B>(
        request: &Request<B>,
        matched: &Matched,
        peer: IpAddr,
        gate: &Gate,
    ) -> Self {
        let headers = request.headers();
        let (id, parent) = (request_id(headers), trace_parent(headers));
        let mut trace = parent.map(|parent| parent.trace);
        let mut span = Span::none();
        // The sampling decision of an untrusted peer is ignored: its requests are sampled at random.
        let believed = parent.filter(|_| gate.is_tracer(peer));
        let tracer = gate.tracer();
        let tracer = tracer.filter(|tracer| tracer.samples(believed.as_ref()));
        if let Some(tracer) = tracer {
            span = span_of(request, peer, matched.path());
            span.record(
                "megaboard.request_id",
                display(id.to_str().unwrap_or_default()),
            );
            trace = Some(tracer.join(&span, parent.as_ref()));
        }
        let line = logs_requests().then(|| LogLine {
            method: request.method().clone(),
            path: request.uri().path().to_owned(),
        });
        Self {
            request: Some(CurrentRequest::new(id, trace)),
            span,
            line,
        }
    }

    /// Waits for the response. Log lines written meanwhile have the id, and so does the response.
    pub(crate) async fn answered(
        mut self,
        mut answer: Pin<&mut impl Future<Output = Response>>,
    ) -> Response {
        let Self {
            request,
            span,
            line,
        } = &mut self;
        let mut response = poll_fn(|context| {
            let _scope = RequestScope::enter(request);
            let _inside = span.enter();
            let polled = answer.as_mut().poll(context);
            if let Poll::Ready(response) = &polled {
                record(span, line.as_ref(), response);
            }
            polled
        })
        .await;
        let headers = response.headers_mut();
        if let Some(request) = self.request {
            headers.insert(REQUEST_ID, request.into_header());
        }
        // Responses contain names that callers chose, so browsers must not guess another media type.
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, NOSNIFF);
        response
    }
}

/// Whether each request has a log line.
pub(crate) fn logs_requests() -> bool {
    tracing::enabled!(Level::DEBUG)
}

/// Records the response.
fn record(span: &Span, line: Option<&LogLine>, response: &Response) {
    let status = response.status();
    if let Some(LogLine { method, path }) = line {
        tracing::debug!(%method, path, status = status.as_u16(), "answered");
    }
    if span.is_none() {
        return;
    }
    // Signed: unsigned numbers are exported as text.
    span.record("http.response.status_code", i64::from(status.as_u16()));
    if status.is_server_error() {
        span.record("otel.status_code", "ERROR");
        span.record("error.type", status.as_str());
    }
}

/// Shortens a path to [`PATH_CHARS_MAX`].
fn cut(path: &str) -> &str {
    let end = path.char_indices().nth(PATH_CHARS_MAX);
    end.map_or(path, |(end, _)| &path[..end])
}

/// Creates a span by OpenTelemetry's conventions for HTTP servers. The query is left out: it may have a token.
fn span_of<B>(request: &Request<B>, peer: IpAddr, route: Option<&'static str>) -> Span {
    let method = match *request.method() {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        Method::PATCH => "PATCH",
        // Other methods are arbitrary texts.
        _ => "_OTHER",
    };
    let span = tracing::trace_span!(
        target: TRACE_TARGET,
        "request",
        otel.name = Empty,
        otel.kind = "server",
        otel.status_code = Empty,
        http.request.method = method,
        http.route = Empty,
        http.response.status_code = Empty,
        "error.type" = Empty,
        url.scheme = "http",
        url.path = cut(request.uri().path()),
        network.peer.address = %peer,
        megaboard.request_id = Empty,
    );
    match route {
        Some(route) => {
            span.record("http.route", route);
            span.record("otel.name", display(format_args!("{method} {route}")));
        }
        None => {
            span.record(
                "otel.name",
                if method == "_OTHER" { "HTTP" } else { method },
            );
        }
    }
    span
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_paths_are_shortened() {
        assert_eq!(cut("/v1/kinds"), "/v1/kinds");
        let long = format!("/{}", "é".repeat(60_000));
        assert_eq!(cut(&long).chars().count(), PATH_CHARS_MAX);
    }
}
