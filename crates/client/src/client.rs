//! A server as it is spoken to: [`Client`], and one [`Call`] at a time.
//!
//! What the calls are about stands in the modules of reads and writes.

use std::borrow::Cow;
use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use reqwest::Method;
use reqwest::header::{
    AUTHORIZATION, CONTENT_TYPE, ETAG, EXPECT, HeaderMap, HeaderValue, IF_MATCH, RETRY_AFTER,
};
use serde::de::DeserializeOwned;

use crate::builder::ClientBuilder;
use crate::error::{Error, chain};
use crate::problem::Problem;
use crate::retry::{Backoff, RetryPolicy};
use crate::tls;
use crate::upload::{Upload, UploadState};

/// A client of one server, or of several behind one address. Clones share its connections.
#[derive(Clone)]
pub struct Client {
    pub(crate) shared: Arc<Shared>,
}

/// What clones of a client share.
pub(crate) struct Shared {
    pub(crate) http: reqwest::Client,
    /// Without a slash at its end.
    pub(crate) url: String,
    pub(crate) authorization: Option<HeaderValue>,
    pub(crate) timeout: Duration,
    pub(crate) retry: RetryPolicy,
    pub(crate) answer_bytes_max: usize,
}

/// One request, which may be sent several times.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) method: Method,
    /// With the query, percent-encoded.
    pub(crate) path: String,
    pub(crate) body: Option<Bytes>,
    /// Of the body.
    pub(crate) content_type: Cow<'static, str>,
    /// Whether the body is held back for a moment, in which the server may refuse the request.
    pub(crate) asks_first: bool,
    /// The entity tag of what is to be changed, where it is to be that alone.
    pub(crate) if_match: Option<String>,
}

/// When a request may be sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Retry {
    /// It has the same effect however often it comes.
    Always,
    /// Where it surely had no effect.
    IfNotApplied,
    /// Never: the answer of this moment is what is wanted.
    Never,
}

/// A response, whatever its status.
#[derive(Debug)]
#[non_exhaustive]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// How long the server asks to be left alone.
    pub retry_after: Option<Duration>,
    /// The entity tag.
    pub(crate) etag: Option<String>,
    /// The body.
    pub body: Vec<u8>,
}

impl Client {
    /// A client of the server at this URL, with what is usual.
    pub fn new(url: impl Into<String>) -> Result<Self, Error> {
        Self::builder(url).build()
    }

    /// A client of the server at this URL, `http` or `https`. Proxies are those of the environment
    /// (`HTTPS_PROXY` and its like), but for servers on this machine. Redirects are not followed: the
    /// key belongs to this server alone.
    pub fn builder(url: impl Into<String>) -> ClientBuilder {
        ClientBuilder::new(url.into())
    }

    /// Where the server is.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.shared.url
    }

    pub(crate) fn of(shared: Shared) -> Self {
        Self {
            shared: Arc::new(shared),
        }
    }

    /// Asks until there is an answer that counts, or for as long as the retry policy says.
    pub(crate) async fn ask(&self, call: &Call, again: Retry) -> Result<Response, Error> {
        let mut backoff: Option<Backoff> = None;
        // Of several failures the one that leaves a doubt is returned.
        let mut doubt = None;
        loop {
            let error = match self.send(call).await {
                Ok(answer) if answer.is_success() => return Ok(answer),
                Ok(answer) => Error::Problem(answer.problem()),
                Err(error) => error,
            };
            let may_be_sent_again = match again {
                Retry::Always => true,
                Retry::IfNotApplied => !error.is_undecided(),
                Retry::Never => false,
            };
            let retry_after = error.problem().and_then(|problem| problem.retry_after);
            let backoff = backoff.get_or_insert_with(|| Backoff::new(self.shared.retry));
            let goes_on =
                may_be_sent_again && error.is_passing() && backoff.wait(retry_after).await;
            if !goes_on {
                let writes = !matches!(call.method, Method::GET);
                return Err(match doubt {
                    Some(doubt) if writes && !error.is_undecided() => doubt,
                    _ => error,
                });
            }
            if error.is_undecided() {
                doubt = Some(error);
            }
        }
    }

    /// The same, and reads the answer.
    pub(crate) async fn read<T: DeserializeOwned>(
        &self,
        call: &Call,
        again: Retry,
    ) -> Result<T, Error> {
        let answer = self.ask(call, again).await?;
        serde_json::from_slice(&answer.body).map_err(Error::unreadable)
    }

    /// One attempt.
    pub(crate) async fn send(&self, call: &Call) -> Result<Response, Error> {
        let (request, upload) = self.request(call);
        let response = request.timeout(self.shared.timeout).send().await;
        let response = response.map_err(|error| match &upload {
            Some(upload) if !upload.has_left() => self.failure_before_body(&error),
            _ => self.failure(&error),
        })?;
        if let Some(upload) = upload {
            upload.answered();
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

    /// A request without a time limit, and the state of its body where it has one.
    pub(crate) fn request(&self, call: &Call) -> (reqwest::RequestBuilder, Option<UploadState>) {
        let url = format!("{}{}", self.shared.url, call.path);
        let mut request = self.shared.http.request(call.method.clone(), url);
        if let Some(authorization) = &self.shared.authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        if let Some(etag) = &call.if_match {
            request = request.header(IF_MATCH, etag);
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

    pub(crate) async fn body_of(&self, mut response: reqwest::Response) -> Result<Vec<u8>, Error> {
        let bytes_max = self.shared.answer_bytes_max;
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

    pub(crate) fn failure(&self, error: &reqwest::Error) -> Error {
        let (url, cause) = (self.shared.url.clone(), self.cause(error));
        if error.is_builder() || tls::is_distrust(error) {
            Error::Unusable(format!("cannot use {url}: {cause}"))
        } else if error.is_connect() {
            Error::Unreached { url, cause }
        } else {
            Error::Broken { url, cause }
        }
    }

    /// The same of a request whose body has not left: it had no effect.
    fn failure_before_body(&self, error: &reqwest::Error) -> Error {
        match self.failure(error) {
            Error::Broken { url, cause } => Error::Unreached { url, cause },
            other => other,
        }
    }

    /// Without the URL of the request, which may hold a stream's token.
    fn cause(&self, error: &reqwest::Error) -> String {
        if error.is_timeout() && !error.is_connect() {
            return format!("not within {:?}", self.shared.timeout);
        }
        match std::error::Error::source(error) {
            Some(behind) => chain(behind),
            None => "the request failed".to_owned(),
        }
    }
}

impl Debug for Client {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("url", &self.shared.url)
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
        }
    }

    pub(crate) fn get(path: String) -> Self {
        Self::new(Method::GET, path)
    }
}

impl Response {
    pub(crate) fn is_success(&self) -> bool {
        (200..=299).contains(&self.status)
    }

    /// Reads what a response that is no success says.
    #[must_use]
    pub fn problem(&self) -> Problem {
        Problem::read(self.status, &self.body, self.retry_after)
    }
}

/// The form in seconds; a date is left to the client's own pauses.
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
