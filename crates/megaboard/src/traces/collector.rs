//! The collector's side: requests to it, on the exporter's own thread.
//!
//! That it is away, and back, is logged once each.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use ureq::Agent;

/// How long a batch may take to be taken.
pub(super) const SEND_WAIT_MAX: Duration = Duration::from_secs(5);

/// Bytes that are read of an answer, which says nothing that is of use here.
const ANSWER_BYTES_MAX: u64 = 64 << 10;

/// A collector.
#[derive(Debug)]
pub(super) struct Collector {
    url: String,
    agent: Agent,
    is_away: AtomicBool,
}

impl Collector {
    pub(super) fn at(url: &str) -> Self {
        let agent = Agent::config_builder()
            .timeout_global(Some(SEND_WAIT_MAX))
            .http_status_as_error(false)
            .max_redirects(0)
            .user_agent(concat!("megaboard/", env!("CARGO_PKG_VERSION")))
            .build();
        Self {
            url: url.to_owned(),
            agent: agent.into(),
            is_away: AtomicBool::new(false),
        }
    }

    fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, ureq::Error> {
        let (head, body) = request.into_parts();
        let request = Request::from_parts(head, body.to_vec());
        let (head, mut body) = self.agent.run(request)?.into_parts();
        let body = body.with_config().limit(ANSWER_BYTES_MAX).read_to_vec()?;
        Ok(Response::from_parts(head, body.into()))
    }

    fn log(&self, failed: Option<&str>) {
        let was_away = self.is_away.swap(failed.is_some(), Ordering::Relaxed);
        let url = self.url.as_str();
        match failed {
            Some(error) if !was_away => {
                tracing::warn!(
                    url,
                    error,
                    "traces do not reach their collector: they are dropped"
                );
            }
            None if was_away => tracing::info!(url, "traces reach their collector again"),
            _ => {}
        }
    }
}

// Nothing but the exporter's thread waits for what is blocking here.
#[async_trait::async_trait]
impl HttpClient for Collector {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        match self.send(request) {
            Ok(response) => {
                let status = response.status();
                let refused = (!status.is_success()).then(|| format!("it answers {status}"));
                self.log(refused.as_deref());
                Ok(response)
            }
            Err(error) => {
                self.log(Some(&error.to_string()));
                Err(error.into())
            }
        }
    }
}
