//! A request's body that knows whether any of it was taken for sending: [`Upload`].
//!
//! Of a request whose body has not left, the server has applied nothing, whatever became of the connection. Where a
//! refusal is likely, the request says `Expect: 100-continue` and the body is held back for [`REFUSAL_WAIT`], so that a
//! refusal costs nothing and leaves no doubt. It then leaves whether or not the server has agreed, as RFC 9110, section
//! 10.1.1 allows: reqwest shows no informational responses.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::time::{Sleep, sleep};

/// How long a body is held back for a refusal.
const REFUSAL_WAIT: Duration = Duration::from_millis(100);

/// A body in one piece.
pub(crate) struct Upload {
    bytes: Bytes,
    held_back: Option<Pin<Box<Sleep>>>,
    state: UploadState,
}

/// What is known of an [`Upload`] from outside.
#[derive(Debug, Clone, Default)]
pub(crate) struct UploadState {
    has_left: Arc<AtomicBool>,
    is_answered: Arc<AtomicBool>,
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
    /// Whether any of the body was taken for sending.
    pub(crate) fn has_left(&self) -> bool {
        self.has_left.load(Ordering::Relaxed)
    }

    /// The response is there: a body that is still held back stays here.
    pub(crate) fn answered(&self) {
        self.is_answered.store(true, Ordering::Relaxed);
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
            if self.state.is_answered.load(Ordering::Relaxed) {
                // Ends the connection: the server may wait for the rest of it.
                let refused = std::io::Error::other("answered before the body left");
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
