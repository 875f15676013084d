//! A server as it is spoken to: [`Client`], and one [`Call`] at a time.
//!
//! What the calls are about stands in the modules of reads and writes.

use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{
    AUTHORIZATION, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue, IF_MATCH, RETRY_AFTER,
};
use reqwest::{Method, Response};
use serde::de::DeserializeOwned;

use crate::builder::ClientBuilder;
use crate::error::{Error, chain};
use crate::patience::{Patience, Pauses};
use crate::problem::Problem;
use crate::tls;

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
    pub(crate) patience: Patience,
    pub(crate) answer_bytes_max: usize,
}

/// One request, which may be sent several times.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) method: Method,
    /// With the query, percent-encoded.
    pub(crate) path: String,
    /// JSON.
    pub(crate) body: Option<Bytes>,
    /// The entity tag of what is to be changed, where it is to be that alone.
    pub(crate) if_match: Option<String>,
}

/// When a request may be sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Again {
    /// It has the same effect however often it comes.
    Always,
    /// Where it surely had no effect.
    IfNotDone,
    /// Never: the answer of this moment is what is wanted.
    Never,
}

/// An answer, whatever its status.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) retry_after: Option<Duration>,
    pub(crate) etag: Option<String>,
    pub(crate) body: Vec<u8>,
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

    /// Asks until there is an answer that counts, or for as long as there is patience.
    pub(crate) async fn ask(&self, call: &Call, again: Again) -> Result<Answer, Error> {
        let mut pauses: Option<Pauses> = None;
        // Of several failures the one is told that leaves a doubt.
        let mut doubt = None;
        loop {
            let error = match self.send(call).await {
                Ok(answer) if answer.is_success() => return Ok(answer),
                Ok(answer) => Error::Problem(answer.problem()),
                Err(error) => error,
            };
            let may_be_sent_again = match again {
                Again::Always => true,
                Again::IfNotDone => !error.is_undecided(),
                Again::Never => false,
            };
            let retry_after = error.problem().and_then(|problem| problem.retry_after);
            let pauses = pauses.get_or_insert_with(|| Pauses::new(self.shared.patience));
            let goes_on = may_be_sent_again && error.is_passing() && pauses.wait(retry_after).await;
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
        again: Again,
    ) -> Result<T, Error> {
        let answer = self.ask(call, again).await?;
        serde_json::from_slice(&answer.body).map_err(Error::unreadable)
    }

    /// One attempt.
    pub(crate) async fn send(&self, call: &Call) -> Result<Answer, Error> {
        let request = self.request(call).timeout(self.shared.timeout);
        let response = request.send().await.map_err(|error| self.failure(&error))?;
        let (status, retry_after) = (response.status().as_u16(), retry_after(response.headers()));
        let etag = response.headers().get(ETAG);
        let etag = etag.and_then(|etag| etag.to_str().ok()).map(str::to_owned);
        let body = self.body_of(response).await?;
        Ok(Answer {
            status,
            retry_after,
            etag,
            body,
        })
    }

    /// A request without an end of its time.
    pub(crate) fn request(&self, call: &Call) -> reqwest::RequestBuilder {
        let url = format!("{}{}", self.shared.url, call.path);
        let mut request = self.shared.http.request(call.method.clone(), url);
        if let Some(authorization) = &self.shared.authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        if let Some(etag) = &call.if_match {
            request = request.header(IF_MATCH, etag);
        }
        if let Some(body) = &call.body {
            request = request.header(CONTENT_TYPE, "application/json");
            request = request.body(body.clone());
        }
        request
    }

    pub(crate) async fn body_of(&self, mut response: Response) -> Result<Vec<u8>, Error> {
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
        let (url, cause) = (self.shared.url.clone(), self.told(error));
        if error.is_builder() || tls::is_distrust(error) {
            Error::Unusable(format!("cannot use {url}: {cause}"))
        } else if error.is_connect() {
            Error::Unreached { url, cause }
        } else {
            Error::Broken { url, cause }
        }
    }

    /// Without the URL of the request, which may hold a stream's token.
    fn told(&self, error: &reqwest::Error) -> String {
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
    pub(crate) fn get(path: String) -> Self {
        Self {
            method: Method::GET,
            path,
            body: None,
            if_match: None,
        }
    }
}

impl Answer {
    pub(crate) fn is_success(&self) -> bool {
        (200..=299).contains(&self.status)
    }

    pub(crate) fn problem(&self) -> Problem {
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
