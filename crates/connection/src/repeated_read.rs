//! A read that a connection repeats, answered before it is parsed again: [`RepeatedRead`].
//!
//! A client that polls a top sends the same head again and again. What it means has been determined once: the same
//! bytes are the same request. So the socket compares what it reads with the last head whose response was prepared. If they
//! are the same, it asks whether the response may be sent again, and sends it without hyper.
//!
//! This is correct only if hyper waits for a head, has parsed everything that was passed to it, and has sent everything
//! that it wrote. A part of a head, a body, or a request that was sent before the previous response could otherwise
//! belong to these bytes. Everything that is not known to be simple is left to hyper:
//!
//! - Since hyper took the previous request, one head has been read that ends with the last byte, and no body. Once
//!   anything else is read on a connection, it is not answered here any more.
//! - The last response was a prepared one: it is written in one piece, and then flushed.

use std::{fmt, mem};

use axum::http::{HeaderName, HeaderValue, Request};
use bytes::Bytes;
use http_body_util::Empty;
use parking_lot::Mutex;

/// The maximum length of a head that is kept.
const HEAD_BYTES_MAX: usize = 1024;

/// The maximum number of headers of a request that is kept.
const HEADERS_MAX: usize = 32;

/// A request without a body that is kept.
pub(crate) type KeptRequest = Request<Empty<Bytes>>;

/// A response as it is sent.
#[derive(Debug)]
pub struct RawResponse {
    /// The head.
    pub head: Bytes,
    /// The body.
    pub body: Bytes,
}

/// Returns the response to a request that was answered with a prepared one before, if it may be sent again.
type Answer = Box<dyn Fn(&KeptRequest) -> Option<RawResponse> + Send + Sync>;

/// The read that a connection repeats.
pub struct RepeatedRead {
    state: Mutex<State>,
    answer: Answer,
}

struct State {
    /// Nothing that was read before the head of the current request remains in hyper's buffer, or will.
    is_exact: bool,
    /// What has been read since hyper took the current request.
    read: Vec<u8>,
    /// The head of the current request.
    head: Vec<u8>,
    kept: Option<(Box<[u8]>, KeptRequest)>,
    turn: Turn,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// hyper waits for a head, and has sent everything.
    Idle,
    /// hyper writes a prepared response, of which at least so many bytes are missing.
    Writes(u64),
    /// Anything else.
    Other,
}

impl RepeatedRead {
    /// Creates the state of a new connection.
    #[must_use]
    pub fn new(answer: Answer) -> Self {
        let state = State {
            is_exact: true,
            read: Vec::new(),
            head: Vec::new(),
            kept: None,
            turn: Turn::Other,
        };
        Self {
            state: Mutex::new(state),
            answer,
        }
    }

    /// Records bytes that were read. Returns a response if they are not to be passed to hyper.
    pub(crate) fn read(&self, bytes: &[u8]) -> Option<RawResponse> {
        let state = &mut *self.state.lock();
        if !state.is_exact {
            return None;
        }
        if state.turn == Turn::Idle
            && let Some((head, request)) = &state.kept
            && **head == *bytes
            && let Some(response) = (self.answer)(request)
        {
            return Some(response);
        }
        state.turn = Turn::Other;
        if state.read.len() + bytes.len() <= HEAD_BYTES_MAX {
            state.read.extend_from_slice(bytes);
        } else {
            state.end();
        }
        None
    }

    /// Records that hyper has taken a request. `is_simple`: it has no body, and asks for no other protocol.
    pub fn begin(&self, is_simple: bool) {
        let state = &mut *self.state.lock();
        state.turn = Turn::Other;
        if !state.is_exact {
            return;
        }
        mem::swap(&mut state.head, &mut state.read);
        state.read.clear();
        let is_whole = state.is_kept() || is_whole_head(&state.head);
        if !(is_simple && is_whole) {
            state.end();
        }
    }

    /// Keeps the request that has begun. Its response was prepared, and has a body of this length.
    pub fn keep<B>(&self, request: &Request<B>, body_bytes: u64) {
        let state = &mut *self.state.lock();
        if !state.is_exact {
            return;
        }
        if !state.is_kept() {
            let copied = copy_of(request);
            state.kept = copied.map(|request| (state.head.as_slice().into(), request));
        }
        state.turn = Turn::Writes(body_bytes + 1);
    }

    /// Records that hyper has written bytes.
    pub(crate) fn wrote(&self, bytes: usize) {
        let state = &mut *self.state.lock();
        if let Turn::Writes(missing) = &mut state.turn {
            *missing = missing.saturating_sub(bytes as u64);
        }
    }

    /// Records that hyper has sent everything that it has written.
    pub(crate) fn flushed(&self) {
        let state = &mut *self.state.lock();
        if state.turn == Turn::Writes(0) {
            state.turn = if state.read.is_empty() {
                Turn::Idle
            } else {
                Turn::Other
            };
        }
    }
}

impl fmt::Debug for RepeatedRead {
    /// Shows nothing: requests have keys.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("RepeatedRead")
            .finish_non_exhaustive()
    }
}

impl State {
    fn is_kept(&self) -> bool {
        let kept = self.kept.as_ref();
        kept.is_some_and(|(head, _)| **head == *self.head)
    }

    /// Leaves everything that follows to hyper.
    fn end(&mut self) {
        self.is_exact = false;
        self.turn = Turn::Other;
        self.kept = None;
        (self.read, self.head) = (Vec::new(), Vec::new());
    }
}

/// Copies a request, which otherwise keeps the whole read buffer of hyper; `None` if it has many headers.
fn copy_of<B>(request: &Request<B>) -> Option<KeptRequest> {
    let mut copy = Request::new(Empty::new());
    if request.headers().len() > HEADERS_MAX {
        return None;
    }
    *copy.method_mut() = request.method().clone();
    *copy.uri_mut() = request.uri().to_string().parse().ok()?;
    for (name, value) in request.headers() {
        let name = HeaderName::from_bytes(name.as_str().as_bytes()).ok()?;
        let value = HeaderValue::from_bytes(value.as_bytes()).ok()?;
        copy.headers_mut().append(name, value);
    }
    Some(copy)
}

/// Returns whether these bytes are the head of a `GET`, from its first byte to its last.
fn is_whole_head(bytes: &[u8]) -> bool {
    let empty_line = memchr::memchr_iter(b'\n', bytes).find_map(|at| {
        let after = &bytes[at + 1..];
        let is_empty = after.starts_with(b"\n") || after.starts_with(b"\r\n");
        is_empty.then_some(at + 1)
    });
    let last_line = empty_line.map(|at| &bytes[at..]);
    bytes.starts_with(b"GET ") && matches!(last_line, Some(b"\n" | b"\r\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOP: &[u8] = b"GET /top HTTP/1.1\r\nhost: a\r\n\r\n";
    const OTHER: &[u8] = b"GET /top?n=1 HTTP/1.1\r\nhost: a\r\n\r\n";
    const BODY: u64 = 10;

    fn connection() -> RepeatedRead {
        RepeatedRead::new(Box::new(|request| {
            let body = request.uri().path().to_owned().into();
            let head = Bytes::from_static(b"HTTP/1.1 200 OK\r\n\r\n");
            Some(RawResponse { head, body })
        }))
    }

    fn request() -> KeptRequest {
        Request::get("/top").body(Empty::new()).unwrap()
    }

    /// Reads a head in one piece, and has hyper take it.
    fn take(read: &RepeatedRead, head: &[u8]) {
        assert!(read.read(head).is_none());
        read.begin(true);
    }

    /// Has hyper write a prepared response.
    fn write(read: &RepeatedRead) {
        read.keep(&request(), BODY);
        read.wrote(30);
        read.flushed();
    }

    #[test]
    fn the_same_head_is_answered_once_everything_before_it_is_sent() {
        let read = connection();
        take(&read, TOP);
        write(&read);
        for _ in 0..3 {
            assert_eq!(read.read(TOP).unwrap().body, "/top");
        }
        // Another one is left to hyper, and so is what follows it until its response is sent.
        take(&read, OTHER);
        assert!(read.read(TOP).is_none());
        read.begin(true);
        read.keep(&request(), BODY);
        read.wrote(10);
        read.flushed();
        assert!(
            read.read(TOP).is_none(),
            "a part of the response is missing"
        );
    }

    #[test]
    fn a_response_that_was_not_prepared_is_awaited_by_hyper() {
        let read = connection();
        take(&read, TOP);
        write(&read);
        take(&read, OTHER);
        read.wrote(30);
        read.flushed();
        take(&read, TOP);
        write(&read);
        assert!(read.read(TOP).is_some());
    }

    #[test]
    fn what_was_not_parsed_belongs_to_the_next_request() {
        let (first, last) = TOP.split_at(7);
        let cases: [&[&[u8]]; 6] = [
            // The rest of a head that began before.
            &[b"GET /other HTTP/1.1\r\nx: ", TOP],
            // A head and the beginning of the next one.
            &[&[TOP, first].concat()],
            // Two heads.
            &[&[TOP, TOP].concat()],
            &[b"\r\n", TOP],
            &[b"POST /top HTTP/1.1\r\ncontent-length: 1\r\n\r\n"],
            &[&[b'a'; HEAD_BYTES_MAX + 1]],
        ];
        for reads in cases {
            let read = connection();
            for bytes in reads {
                assert!(read.read(bytes).is_none());
            }
            read.begin(true);
            write(&read);
            assert!(read.read(TOP).is_none(), "{reads:?}");
            take(&read, TOP);
            write(&read);
            assert!(read.read(TOP).is_none(), "{reads:?}");
        }
        // A head in two parts is whole.
        let read = connection();
        assert!(read.read(first).is_none());
        take(&read, last);
        write(&read);
        assert!(read.read(TOP).is_some());
        // A body is not.
        let read = connection();
        assert!(read.read(TOP).is_none());
        read.begin(false);
        write(&read);
        assert!(read.read(TOP).is_none());
    }

    #[test]
    fn a_request_during_a_response_is_left_to_hyper() {
        let read = connection();
        take(&read, TOP);
        read.keep(&request(), BODY);
        assert!(read.read(TOP).is_none());
        read.wrote(30);
        read.flushed();
        // hyper has that one in its buffer.
        assert!(read.read(TOP).is_none());
        read.begin(true);
        write(&read);
        assert!(read.read(TOP).is_none(), "two heads were read before it");
    }
}
