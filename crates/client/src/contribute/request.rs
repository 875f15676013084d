//! One request with contributions that are already serialized: [`Client::send_batch`].

use bytes::Bytes;
use reqwest::Method;

use super::reply::BatchReply;
use crate::client::{Call, Client};
use crate::retry::Backoff;

pub(super) const PATH: &str = "/v1/contributions";

/// The format of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A JSON array.
    Json,
    /// One JSON object per line.
    Ndjson,
}

/// A request with contributions.
#[derive(Debug, Clone)]
pub struct BatchRequest {
    /// The contributions.
    pub body: Bytes,
    /// The format of the body.
    pub format: Format,
    /// The number of contributions.
    pub count: usize,
    /// Whether to send `Expect: 100-continue` and hold the body back briefly, so that the server may refuse the request
    /// first. A refusal then is definite, even if it closes the connection.
    pub asks_first: bool,
}

impl Client {
    /// Sends contributions once, and classifies the response. What may be sent again is up to the caller, for whose
    /// pauses there is [`Client::backoff`].
    pub async fn send_batch(&self, request: BatchRequest) -> BatchReply {
        self.send_batch_to(PATH, request).await
    }

    pub(super) async fn send_batch_to(&self, path: &str, request: BatchRequest) -> BatchReply {
        let mut call = Call::new(Method::POST, path.to_owned());
        call.body = Some(request.body);
        call.asks_first = request.asks_first;
        call.waits = true;
        if request.format == Format::Ndjson {
            call.content_type = "application/x-ndjson".into();
        }
        BatchReply::of(self.send(&call).await, request.count)
    }

    /// Begins a series of failures now, by the client's [`RetryPolicy`](crate::RetryPolicy).
    #[must_use]
    pub fn backoff(&self) -> Backoff {
        Backoff::new(self.shared.retry)
    }
}
