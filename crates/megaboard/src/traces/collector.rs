//! Requests to the collector, on the exporter's thread.
//!
//! A failure and the recovery from it are logged once each.

use std::error::Error;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use megaboard_client::{Client, RetryPolicy};
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use tokio::runtime::{Builder, Runtime};

/// The path at which a collector accepts spans.
pub(super) const PATH: &str = "/v1/traces";

/// The timeout of sending a batch.
pub(super) const SEND_WAIT_MAX: Duration = Duration::from_secs(5);

/// Maximum bytes of a response that are read. Its content is not used.
const RESPONSE_BYTES_MAX: usize = 64 << 10;

/// An HTTP client for one collector.
#[derive(Debug)]
pub(super) struct Collector {
    url: String,
    client: Client,
    /// A runtime, since the exporter's thread has none.
    runtime: Runtime,
    is_away: AtomicBool,
}

impl Collector {
    pub(super) fn at(url: &str) -> Result<Self, Box<dyn Error>> {
        let client = Client::builder(url)
            .timeout(SEND_WAIT_MAX)
            .response_bytes_max(RESPONSE_BYTES_MAX)
            .retry_policy(RetryPolicy::none());
        Ok(Self {
            url: url.to_owned(),
            client: client.build()?,
            runtime: Builder::new_current_thread().enable_all().build()?,
            is_away: AtomicBool::new(false),
        })
    }

    fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (head, body) = request.into_parts();
        let content_type = head.headers.get("content-type");
        let content_type = content_type.and_then(|it| it.to_str().ok());
        let sent = self
            .client
            .post(PATH, content_type.unwrap_or_default(), body);
        let response = self.runtime.block_on(sent)?;
        let status = response.status;
        Ok(Response::builder()
            .status(status)
            .body(response.body.into())?)
    }

    fn log(&self, failed: Option<&str>) {
        let was_away = self.is_away.swap(failed.is_some(), Ordering::Relaxed);
        let url = self.url.as_str();
        match failed {
            Some(error) if !was_away => {
                tracing::warn!(
                    url,
                    error,
                    "traces could not be sent to the collector and are dropped"
                );
            }
            None if was_away => tracing::info!(url, "traces are sent to the collector again"),
            _ => {}
        }
    }
}

// Blocking is fine here: only the exporter's thread waits.
#[async_trait::async_trait]
impl HttpClient for Collector {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        match self.send(request) {
            Ok(response) => {
                let status = response.status();
                let refused =
                    (!status.is_success()).then(|| format!("the collector returned {status}"));
                self.log(refused.as_deref());
                Ok(response)
            }
            Err(error) => {
                self.log(Some(&error.to_string()));
                Err(error)
            }
        }
    }
}
