//! Handles the unread body of a request: the part that was not read when the response was ready.
//!
//! A response may be ready before the body was read, for example because the path or the media type is wrong. The next
//! request on the connection begins after that body, so a short unread body is read and dropped. After a long one the
//! connection is closed, and the response says so. Such a body is read on, up to a limit, while the response is sent: a
//! connection that is closed with unread bytes is reset, and the response may be lost.

use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderValue, Request, Version, header};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use connection::Flow;
use http_body_util::BodyExt;
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use problem::{Problem, ProblemType};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::gate::Gate;
use crate::route::Matched;

/// Maximum bytes of an unread body that is read and dropped.
const UNREAD_BYTES_MAX: usize = 64 << 10;

/// Maximum delay of the response by that.
const UNREAD_WAIT_MAX: Duration = Duration::from_millis(100);

/// Maximum bytes of a longer unread body that are read while the response is sent.
const LINGER_BYTES_MAX: usize = 64 << 20;

/// Maximum time for that.
const LINGER_WAIT_MAX: Duration = Duration::from_secs(5);

/// The same on a connection for probes alone, which the next probe needs.
const SPARE_LINGER_BYTES_MAX: usize = 1 << 20;
const SPARE_LINGER_WAIT_MAX: Duration = Duration::from_secs(1);

/// Answers a request, and handles the unread part of its body.
pub(crate) async fn answer(
    gate: &Gate,
    peer: IpAddr,
    request: Request<Incoming>,
    matched: &Matched,
    flow: &Arc<Flow>,
    is_spare: bool,
) -> Response {
    if is_spare {
        return answer_spare(gate, peer, request, matched, flow).await;
    }
    if request.body().is_end_stream() {
        return gate
            .answer(peer, request.map(Body::new), matched, flow)
            .await;
    }
    let expects_continue = expects_continue(&request);
    let (back, mut unread) = oneshot::channel();
    let request = request.map(|body| Body::new(Lent::new(body, back)));
    let mut response = gate.answer(peer, request, matched, flow).await;
    if let Ok(Unread { body, was_polled }) = unread.try_recv() {
        // A client that waits for `100 Continue` has not sent the body, and does not have to.
        let left = if expects_continue && !was_polled {
            None
        } else {
            Some(drop_short(body).await)
        };
        if let None | Some(Err(_)) = &left {
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(header::CONNECTION, close);
        }
        if let Some(Err(body)) = left {
            tokio::spawn(linger(body, LINGER_BYTES_MAX, LINGER_WAIT_MAX));
        }
    }
    response
}

/// Whether the request is accepted on a connection for probes alone.
pub(crate) fn is_for_spare(matched: &Matched) -> bool {
    matched.is_probe() || matched.is_scraped()
}

/// Answers on a connection for probes alone: one request, without its body.
async fn answer_spare(
    gate: &Gate,
    peer: IpAddr,
    request: Request<Incoming>,
    matched: &Matched,
    flow: &Arc<Flow>,
) -> Response {
    let expects_continue = expects_continue(&request);
    let (head, body) = request.into_parts();
    let mut response = if is_for_spare(matched) {
        let request = Request::from_parts(head, Body::empty());
        gate.answer(peer, request, matched, flow).await
    } else {
        let detail = "the connections of all, or of this address, are taken";
        Problem::new(ProblemType::Overloaded, detail).into_response()
    };
    let close = HeaderValue::from_static("close");
    response.headers_mut().insert(header::CONNECTION, close);
    if !expects_continue && !body.is_end_stream() {
        tokio::spawn(linger(body, SPARE_LINGER_BYTES_MAX, SPARE_LINGER_WAIT_MAX));
    }
    response
}

/// Whether the client sends the body only after `100 Continue`, which is sent when the body is first polled.
fn expects_continue(request: &Request<Incoming>) -> bool {
    let expected = request.headers().get(header::EXPECT);
    request.version() > Version::HTTP_10
        && expected.is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"100-continue"))
}

/// Reads and drops a short unread body. Returns a longer one.
async fn drop_short(mut body: Incoming) -> Result<(), Incoming> {
    let read = read_up_to(&mut body, UNREAD_BYTES_MAX);
    match timeout(UNREAD_WAIT_MAX, read).await {
        Ok(true) => Ok(()),
        Ok(false) | Err(_) => Err(body),
    }
}

/// Reads the body while the response is sent: a client may send all of it before it reads.
async fn linger(mut body: Incoming, bytes_max: usize, wait_max: Duration) {
    let read = read_up_to(&mut body, bytes_max);
    // The result does not matter: the connection is closed in any case.
    let _ = timeout(wait_max, read).await;
}

/// Reads the body, and returns whether it ended within this many bytes.
async fn read_up_to(body: &mut Incoming, bytes_max: usize) -> bool {
    let mut bytes = 0;
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else { return false };
        bytes += frame.data_ref().map_or(0, Bytes::len);
        if bytes > bytes_max {
            return false;
        }
    }
    true
}

/// A body that is handed back if its reader drops it before its end.
struct Lent {
    body: Option<Incoming>,
    was_polled: bool,
    back: Option<oneshot::Sender<Unread>>,
}

/// The unread body.
struct Unread {
    body: Incoming,
    was_polled: bool,
}

impl Lent {
    fn new(body: Incoming, back: oneshot::Sender<Unread>) -> Self {
        Self {
            body: Some(body),
            was_polled: false,
            back: Some(back),
        }
    }
}

impl HttpBody for Lent {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        self.was_polled = true;
        let Some(body) = &mut self.body else {
            return Poll::Ready(None);
        };
        let polled = Pin::new(body).poll_frame(context);
        if matches!(polled, Poll::Ready(None | Some(Err(_)))) {
            self.body = None;
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body
            .as_ref()
            .map_or_else(|| SizeHint::with_exact(0), HttpBody::size_hint)
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let (Some(body), Some(back)) = (self.body.take(), self.back.take())
            && !body.is_end_stream()
        {
            let was_polled = self.was_polled;
            // Fails if the connection has ended in the meantime.
            let _ = back.send(Unread { body, was_polled });
        }
    }
}
