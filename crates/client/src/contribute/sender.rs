//! Sending a batch of contributions until each is decided: [`Sender`], the loop of requests, receipts and pauses.
//!
//! ```text
//! Batch::request ─► POST ─► BatchReply ─► Batch::settle ─► Next ─┬─► Continue: the next request
//!        ▲                                                       ├─► Retry: Batch::wait, then the next request
//!        └───────────────────────────────────────────────────────┴─► End
//! ```
//!
//! The sender sends requests, classifies the responses ([`BatchReply`]) and determines the pauses. A [`Batch`] decides
//! which contributions are sent again, reports their outcomes, and may end the sending early. There is one for
//! [`Client::contribute`], and one for each command that sends contributions.

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
    /// The number of contributions.
    pub count: usize,
    /// Whether to send `Expect: 100-continue` and hold the body back briefly, so that the server may refuse the request
    /// first. A refusal then is definite, even if it closes the connection.
    pub asks_first: bool,
}

/// What to do after a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Send the next request at once. This ends a series of failures.
    Continue,
    /// Send the next request after a pause.
    Retry {
        /// Whether some contributions were decided: the pauses then start from the shortest.
        progress: bool,
    },
    /// Send no more requests.
    End,
}

/// The pause before an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pause {
    /// The length of the pause. `None` if the retry policy allows no further attempt.
    pub length: Option<Duration>,
    /// Whether this is the first pause since some contributions were decided.
    pub is_first: bool,
}

/// Contributions being sent to a server. Decides which of them are sent again.
pub trait Batch: Send {
    /// Returns the next request, or `None` when all contributions are decided. `is_retry` is true if the request before
    /// failed.
    fn request(&mut self, is_retry: bool) -> Option<BatchRequest>;

    /// Processes the reply to the request.
    fn settle(&mut self, reply: BatchReply) -> Next;

    /// Waits before the next attempt. Returns whether to make it.
    fn wait(&mut self, pause: Pause) -> BoxFuture<'_, bool>;
}

/// The format of request bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A JSON array.
    Json,
    /// One JSON object per line.
    Ndjson,
}

/// Sends batches to one server, one request at a time.
#[derive(Debug, Clone)]
pub struct Sender {
    client: Client,
    path: &'static str,
    format: Format,
    retry: RetryPolicy,
}

impl Sender {
    /// Creates a sender of requests in this format, with the client's [`RetryPolicy`].
    #[must_use]
    pub fn new(client: &Client, format: Format) -> Self {
        Self {
            client: client.clone(),
            path: PATH,
            format,
            retry: client.shared.retry,
        }
    }

    /// Sets the path of the requests, with its query.
    pub(super) fn path(mut self, path: &'static str) -> Self {
        self.path = path;
        self
    }

    /// Sends requests until the batch has no more, or ends the sending.
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
        call.waits = true;
        if self.format == Format::Ndjson {
            call.content_type = "application/x-ndjson".into();
        }
        call
    }
}
