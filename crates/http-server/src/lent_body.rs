//! [`LentBody`]: handles the unread body of a request, the part that was not read when the response was ready.
//!
//! A response may be ready before the body was read, for example because the path or the media type is wrong. The next
//! request on the connection begins after that body, so a short unread body is read and dropped. After a long one the
//! connection is closed, and the response says so. Such a body is read on, up to a limit, while the response is sent: a
//! connection that is closed with unread bytes is reset, and the response may be lost.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderValue, Request, Version, header};
use axum::response::Response;
use bytes::Bytes;
use futures::FutureExt as _;
use http_body_util::BodyExt;
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use tokio::sync::oneshot;
use tokio::time::timeout;

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

/// The body of a request, which its handler has, and hands back if it does not read it.
#[derive(Debug)]
pub struct LentBody {
    lent: Lent,
    expects_continue: bool,
}

#[derive(Debug)]
enum Lent {
    /// There is none.
    None,
    /// It is handed back if it is not read.
    ToHandler(oneshot::Receiver<Unread>),
    /// It is not read. The request is the last of its connection.
    ToNobody(Incoming),
}

impl LentBody {
    /// Returns the request for its handler. On a connection for probes alone (`is_spare`) it gets no body.
    #[must_use]
    pub fn lend(request: Request<Incoming>, is_spare: bool) -> (Request<Body>, Self) {
        if !is_spare && request.body().is_end_stream() {
            let none = Self {
                lent: Lent::None,
                expects_continue: false,
            };
            return (request.map(|_| Body::empty()), none);
        }
        let expects_continue = expects_continue(&request);
        let (head, body) = request.into_parts();
        let (body, lent) = if is_spare {
            (Body::empty(), Lent::ToNobody(body))
        } else {
            let (back, unread) = oneshot::channel();
            let body = HandlerBody {
                body: Some(body),
                was_polled: false,
                back: Some(back),
            };
            (Body::new(body), Lent::ToHandler(unread))
        };
        let lent = Self {
            lent,
            expects_continue,
        };
        (Request::from_parts(head, body), lent)
    }

    /// Handles the unread part of the body, once the response is ready.
    pub async fn take_back(self, mut response: Response) -> Response {
        match self.lent {
            Lent::None => response,
            Lent::ToHandler(mut unread) => match unread.try_recv() {
                Ok(unread) => {
                    handle(unread, self.expects_continue, response)
                        .boxed()
                        .await
                }
                Err(_) => response,
            },
            Lent::ToNobody(body) => {
                close(&mut response);
                if !self.expects_continue && !body.is_end_stream() {
                    tokio::spawn(linger(body, SPARE_LINGER_BYTES_MAX, SPARE_LINGER_WAIT_MAX));
                }
                response
            }
        }
    }
}

/// Handles an unread body. Closes the connection if the body is long, or was not requested.
async fn handle(unread: Unread, expects_continue: bool, mut response: Response) -> Response {
    let Unread { body, was_polled } = unread;
    // A client that waits for `100 Continue` has not sent the body, and does not have to.
    let left = if expects_continue && !was_polled {
        None
    } else {
        Some(drop_short(body).await)
    };
    if let None | Some(Err(_)) = &left {
        close(&mut response);
    }
    if let Some(Err(body)) = left {
        tokio::spawn(linger(body, LINGER_BYTES_MAX, LINGER_WAIT_MAX));
    }
    response
}

fn close(response: &mut Response) {
    let close = HeaderValue::from_static("close");
    response.headers_mut().insert(header::CONNECTION, close);
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
struct HandlerBody {
    body: Option<Incoming>,
    was_polled: bool,
    back: Option<oneshot::Sender<Unread>>,
}

/// An unread body.
#[derive(Debug)]
struct Unread {
    body: Incoming,
    was_polled: bool,
}

impl HttpBody for HandlerBody {
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

impl Drop for HandlerBody {
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
