//! Sends a batch of contributions until each is decided: [`Sender`], the one loop of requests, receipts and pauses.
//!
//! ```text
//! Batch::request ─► POST ─► BatchReply ─► Batch::settle ─► Next ─┬─► Continue: the next request
//!        ▲                                                       ├─► Retry: Batch::wait, then the next request
//!        └───────────────────────────────────────────────────────┴─► End
//! ```
//!
//! What is the same for everyone is here: a request, what its response means ([`BatchReply`]), when the next attempt is.
//! What differs is the [`Batch`]'s: which contributions go again (an id lets the server know one again, a set at a time
//! of its own is the same twice, a member's contributions keep their order), what is reported and to whom, and what ends
//! it early.

use std::time::Duration;

use bytes::Bytes;
use futures::future::BoxFuture;
use reqwest::Method;

use super::reply::BatchReply;
use crate::client::{Call, Client};
use crate::retry::{Backoff, RetryPolicy};

const PATH: &str = "/v1/contributions";

/// The next request of a [`Batch`].
#[derive(Debug, Clone)]
pub struct BatchRequest {
    /// The contributions, in the format of the [`Sender`].
    pub body: Bytes,
    /// How many they are.
    pub count: usize,
    /// Whether the body is held back for a moment, in which the server may refuse the request. A refusal then leaves
    /// no doubt, also where the connection ends with it.
    pub asks_first: bool,
}

/// What is to be done after a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Send the next request at once. Ends a series of failures.
    Continue,
    /// Send the next request after a pause.
    Retry {
        /// Whether something was decided: the pauses begin anew.
        progress: bool,
    },
    /// Nothing more.
    End,
}

/// The pause before an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pause {
    /// How long; none where the retry policy allows no further attempt.
    pub length: Option<Duration>,
    /// Whether it is the first since something was decided.
    pub is_first: bool,
}

/// Contributions on their way to a server. Decides which of them go again.
pub trait Batch: Send {
    /// Returns the next request; none when all is decided. `is_retry` says that the one before failed.
    fn request(&mut self, is_retry: bool) -> Option<BatchRequest>;

    /// Takes in what became of the request.
    fn settle(&mut self, reply: BatchReply) -> Next;

    /// Waits before the next attempt; returns whether there is to be one.
    fn wait(&mut self, pause: Pause) -> BoxFuture<'_, bool>;
}

/// How contributions are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// One JSON array.
    Json,
    /// One JSON object a line.
    Ndjson,
}

/// Sends batches to one server, a request at a time.
#[derive(Debug, Clone)]
pub struct Sender {
    client: Client,
    path: &'static str,
    format: Format,
    retry: RetryPolicy,
}

impl Sender {
    /// Sends in this format, with the client's [`RetryPolicy`].
    #[must_use]
    pub fn new(client: &Client, format: Format) -> Self {
        Self {
            client: client.clone(),
            path: PATH,
            format,
            retry: client.shared.retry,
        }
    }

    /// The same to this path.
    pub(super) fn path(mut self, path: &'static str) -> Self {
        self.path = path;
        self
    }

    /// Sends until the batch has nothing left, or ends it.
    pub async fn send(&self, batch: &mut dyn Batch) {
        let mut backoff: Option<Backoff> = None;
        while let Some(request) = batch.request(backoff.is_some()) {
            let count = request.count;
            let sent = self.client.send(&self.call(request)).await;
            let reply = BatchReply::of(sent, count);
            let retry_after = reply.retry_after();
            match batch.settle(reply) {
                Next::Continue => backoff = None,
                Next::Retry { progress } => {
                    if progress {
                        backoff = None;
                    }
                    let is_first = backoff.is_none();
                    let backoff = backoff.get_or_insert_with(|| Backoff::new(self.retry));
                    let length = backoff.next(retry_after);
                    if !batch.wait(Pause { length, is_first }).await {
                        return;
                    }
                }
                Next::End => return,
            }
        }
    }

    fn call(&self, request: BatchRequest) -> Call {
        let mut call = Call::new(Method::POST, self.path.to_owned());
        call.body = Some(request.body);
        call.asks_first = request.asks_first;
        if self.format == Format::Ndjson {
            call.content_type = "application/x-ndjson".into();
        }
        call
    }
}
