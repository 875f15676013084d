//! Sending one request, with retries: [`Client`], [`Call`], [`Response`].
//!
//! Typed requests are built in other modules ([`Request`](crate::Request)); those of this one, to any path, are sent
//! once and return a [`Response`] of any status.

use std::borrow::Cow;
use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{
    AUTHORIZATION, CONTENT_TYPE, ETAG, EXPECT, HeaderMap, HeaderValue, IF_MATCH, RETRY_AFTER,
};
use reqwest::{Method, Url};
use serde::de::DeserializeOwned;

use crate::error::{Error, causes, chain, explained, is_no_http};
use crate::problem::Problem;
use crate::retry::{Backoff, RetryPolicy};
use crate::tls;
use crate::upload::{Upload, UploadState};

/// A client of one server, or of several servers behind one address. Clones share connections.
#[derive(Clone)]
pub struct Client {
    pub(crate) shared: Arc<Shared>,
}

/// The state that clones of a client share.
pub(crate) struct Shared {
    pub(crate) http: reqwest::Client,
    pub(crate) url: Url,
    pub(crate) authorization: Option<HeaderValue>,
    pub(crate) timeout: Duration,
    pub(crate) retry: RetryPolicy,
    pub(crate) response_bytes_max: usize,
}

/// The preference of writes: a failover of the store that takes less time needs no retry, and leaves no outcome
/// unknown.
const WAIT: &str = "wait=15";

/// One request, which may be sent several times.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) method: Method,
    /// With the query, percent-encoded.
    pub(crate) path: String,
    pub(crate) body: Option<Bytes>,
    /// The media type of the body.
    pub(crate) content_type: Cow<'static, str>,
    /// Whether to send `Expect: 100-continue` and hold the body back briefly, so that the server may refuse the request
    /// first.
    pub(crate) asks_first: bool,
    /// The value of `If-Match`.
    pub(crate) if_match: Option<String>,
    /// Whether the server is to wait for its store if that is unavailable.
    pub(crate) waits: bool,
}

/// When a request may be sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Retry {
    /// After every temporary failure: the request is idempotent.
    Always,
    /// Only if the failed attempt definitely had no effect.
    IfNotApplied,
    /// Never: the caller asks for the state at this moment.
    Never,
}

/// A response of any status.
#[derive(Debug)]
#[non_exhaustive]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// The value of `Retry-After`.
    pub retry_after: Option<Duration>,
    /// The entity tag, `ETag`.
    pub(crate) etag: Option<String>,
    /// The body.
    pub body: Vec<u8>,
}

impl Client {
    /// Returns the URL of the server, without a trailing slash.
    #[must_use]
    pub fn url(&self) -> &str {
        self.shared.url.as_str().trim_end_matches('/')
    }

    pub(crate) fn of(shared: Shared) -> Self {
        Self {
            shared: Arc::new(shared),
        }
    }

    /// Sends a request until it succeeds, may not be retried, or the retry policy is exhausted.
    pub(crate) async fn send_with_retries(
        &self,
        call: &Call,
        retry: Retry,
    ) -> Result<Response, Error> {
        let mut backoff: Option<Backoff> = None;
        // If one attempt of a write may have been applied, its error is returned, not a later one.
        let mut undecided = None;
        loop {
            let error = match self.send(call).await {
                Ok(response) if response.is_success() => return Ok(response),
                Ok(response) => Error::Problem(response.problem()),
                Err(error) => error,
            };
            let may_be_sent_again = match retry {
                Retry::Always => true,
                Retry::IfNotApplied => !error.is_undecided(),
                Retry::Never => false,
            };
            let retry_after = error.problem().and_then(|problem| problem.retry_after);
            let backoff = backoff.get_or_insert_with(|| Backoff::new(self.shared.retry));
            let is_retried =
                may_be_sent_again && error.is_temporary() && backoff.wait(retry_after).await;
            if !is_retried {
                let is_write = !matches!(call.method, Method::GET);
                return Err(match undecided {
                    Some(undecided) if is_write && !error.is_undecided() => undecided,
                    _ => error,
                });
            }
            if error.is_undecided() {
                undecided = Some(error);
            }
        }
    }

    /// Sends a request with retries, and parses the response.
    pub(crate) async fn read<T: DeserializeOwned>(
        &self,
        call: &Call,
        retry: Retry,
    ) -> Result<T, Error> {
        let response = self.send_with_retries(call, retry).await?;
        let body = match &*response.body {
            // Status 204.
            [] => b"null",
            body => body,
        };
        serde_json::from_slice(body).map_err(Error::unreadable)
    }

    /// Sends `GET` once. The path begins with `/`, and is percent-encoded including its query.
    pub async fn get(&self, path: impl Into<String>) -> Result<Response, Error> {
        self.send(&Call::new(Method::GET, path.into())).await
    }

    /// Sends `DELETE` once.
    pub async fn delete(&self, path: impl Into<String>) -> Result<Response, Error> {
        self.send(&Call::new(Method::DELETE, path.into())).await
    }

    /// Sends a body of this type once.
    pub async fn post(
        &self,
        path: impl Into<String>,
        content_type: &str,
        body: Bytes,
    ) -> Result<Response, Error> {
        let mut call = Call::new(Method::POST, path.into());
        call.content_type = content_type.to_owned().into();
        call.body = Some(body);
        self.send(&call).await
    }

    /// Sends a request once.
    pub(crate) async fn send(&self, call: &Call) -> Result<Response, Error> {
        let (request, upload) = self.request(call);
        let response = request.timeout(self.shared.timeout).send().await;
        let response = response.map_err(|error| match &upload {
            Some(upload) if !upload.has_left() => self.failure_before_body(&error),
            _ => self.failure(&error),
        })?;
        if let Some(upload) = upload {
            upload.record_response();
        }
        let (status, retry_after) = (response.status().as_u16(), retry_after(response.headers()));
        let etag = response.headers().get(ETAG);
        let etag = etag.and_then(|etag| etag.to_str().ok()).map(str::to_owned);
        let body = self.body_of(response).await?;
        Ok(Response {
            status,
            retry_after,
            etag,
            body,
        })
    }

    /// Returns a request without a timeout, and the state of its body if it has one.
    pub(crate) fn request(&self, call: &Call) -> (reqwest::RequestBuilder, Option<UploadState>) {
        let (path, query) = match call.path.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (&*call.path, None),
        };
        // The host is not parsed again.
        let mut url = self.shared.url.clone();
        url.set_path(&format!("{}{path}", url.path().trim_end_matches('/')));
        url.set_query(query);
        let mut request = self.shared.http.request(call.method.clone(), url);
        if let Some(authorization) = &self.shared.authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        if let Some(etag) = &call.if_match {
            request = request.header(IF_MATCH, etag);
        }
        if call.waits {
            request = request.header("prefer", WAIT);
        }
        let Some(body) = &call.body else {
            return (request, None);
        };
        if call.asks_first {
            request = request.header(EXPECT, "100-continue");
        }
        request = request.header(CONTENT_TYPE, &*call.content_type);
        let upload = Upload::new(body.clone(), call.asks_first);
        let state = upload.state();
        (request.body(reqwest::Body::wrap(upload)), Some(state))
    }

    /// Reads the body of a response, up to the maximum size.
    pub(crate) async fn body_of(&self, mut response: reqwest::Response) -> Result<Vec<u8>, Error> {
        let bytes_max = self.shared.response_bytes_max;
        let mut body = Vec::new();
        while let Some(chunk) = response
            .chunk()
            .await
            .map_err(|error| self.failure(&error))?
        {
            if body.len() + chunk.len() > bytes_max {
                return Err(Error::TooLarge { bytes_max });
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    /// Classifies a failure of the HTTP client.
    pub(crate) fn failure(&self, error: &reqwest::Error) -> Error {
        let (url, cause) = (self.url().to_owned(), self.cause(error));
        if error.is_builder() || tls::is_final(error) {
            Error::Unusable(format!("cannot use {url}: {cause}"))
        } else if error.is_connect() {
            Error::Unreached { url, cause }
        } else {
            Error::Broken { url, cause }
        }
    }

    /// Classifies a failure that occurred before the body was sent: the request had no effect.
    fn failure_before_body(&self, error: &reqwest::Error) -> Error {
        match self.failure(error) {
            Error::Broken { url, cause } => Error::Unreached { url, cause },
            other => other,
        }
    }

    /// Describes a failure without the URL of the request, which may contain a stream token.
    fn cause(&self, error: &reqwest::Error) -> String {
        if error.is_timeout() && !error.is_connect() {
            return format!("timeout after {:?}", self.shared.timeout);
        }
        let Some(source) = std::error::Error::source(error) else {
            return "the request failed".to_owned();
        };
        let mut cause = explained(source).unwrap_or_else(|| {
            // What failed to connect is the last cause; those before it only say that connecting did.
            let last = causes(source).last().filter(|_| error.is_connect());
            last.map_or_else(|| chain(source), ToString::to_string)
        });
        if self.url().starts_with("http://") && is_no_http(source) {
            cause.push_str("; if the server uses TLS, write https:// in its URL");
        }
        cause
    }
}

impl Debug for Client {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("url", &self.url())
            .finish_non_exhaustive()
    }
}

impl Call {
    pub(crate) fn new(method: Method, path: String) -> Self {
        Self {
            method,
            path,
            body: None,
            content_type: "application/json".into(),
            asks_first: false,
            if_match: None,
            waits: false,
        }
    }
}

impl Response {
    pub(crate) fn is_success(&self) -> bool {
        (200..=299).contains(&self.status)
    }

    /// Parses the body of an error response.
    #[must_use]
    pub fn problem(&self) -> Problem {
        Problem::read(self.status, &self.body, self.retry_after)
    }
}

/// Parses `Retry-After` in seconds. A date is ignored: the backoff determines the pause.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers
        .get(RETRY_AFTER)?
        .to_str()
        .ok()?
        .trim()
        .parse()
        .ok()?;
    Some(Duration::from_secs(seconds))
}
