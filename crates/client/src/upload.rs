//! A request body that records whether any of it was sent: [`Upload`].
//!
//! If the body of a request was not sent, the server has applied nothing, however the connection failed. If a refusal
//! is likely, the request has `Expect: 100-continue`, and the body is held back for [`REFUSAL_WAIT`], so that a refusal
//! is cheap and definite. The body is then sent whether or not the server has responded with 100, as RFC 9110, section
//! 10.1.1 allows: reqwest does not expose informational responses.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::time::{Sleep, sleep};

/// How long a body is held back.
const REFUSAL_WAIT: Duration = Duration::from_millis(100);

/// A body in one chunk.
pub(crate) struct Upload {
    bytes: Bytes,
    held_back: Option<Pin<Box<Sleep>>>,
    state: UploadState,
}

/// The state of an [`Upload`], shared with its sender.
#[derive(Debug, Clone, Default)]
pub(crate) struct UploadState {
    has_left: Arc<AtomicBool>,
    has_response: Arc<AtomicBool>,
}

impl Upload {
    pub(crate) fn new(bytes: Bytes, hold_back: bool) -> Self {
        Self {
            bytes,
            held_back: hold_back.then(|| Box::pin(sleep(REFUSAL_WAIT))),
            state: UploadState::default(),
        }
    }

    pub(crate) fn state(&self) -> UploadState {
        self.state.clone()
    }
}

impl UploadState {
    /// Returns whether any of the body was handed to the connection.
    pub(crate) fn has_left(&self) -> bool {
        self.has_left.load(Ordering::Relaxed)
    }

    /// Records that the response has arrived: a body that is still held back is not sent.
    pub(crate) fn record_response(&self) {
        self.has_response.store(true, Ordering::Relaxed);
    }
}

impl Body for Upload {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if let Some(held_back) = &mut self.held_back {
            ready!(held_back.as_mut().poll(context));
            self.held_back = None;
            if self.state.has_response.load(Ordering::Relaxed) {
                // Closes the connection: the server may wait for the unread body.
                let refused =
                    std::io::Error::other("the response arrived before the body was sent");
                return Poll::Ready(Some(Err(refused)));
            }
        }
        if self.bytes.is_empty() {
            return Poll::Ready(None);
        }
        self.state.has_left.store(true, Ordering::Relaxed);
        let bytes = std::mem::take(&mut self.bytes);
        Poll::Ready(Some(Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes.len() as u64)
    }
}
