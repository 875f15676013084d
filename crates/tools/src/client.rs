//! The HTTP side of the commands that speak to a server: one [`Client`] a command.
//!
//! Says of every failure whether the request may have taken effect, since that decides what may be
//! sent again. No retries here, and no meaning: answers come back with their status, whatever it is.

use std::fmt::Write as _;
use std::io::{self, Read};
use std::time::Duration;

use serde::Deserialize;
use ureq::http::{HeaderMap, Request, Uri, header};
use ureq::{Agent, Proxy, SendBody};

use crate::server::ServerArgs;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// From the first byte sent to the last byte of the answer.
const REQUEST_TIMEOUT: Duration = Duration::from_mins(1);
/// Below the time after which servers close a connection that idles, so that no request is lost to
/// one that is just being closed.
const IDLE_CONNECTION_MAX: Duration = Duration::from_secs(3);
const ANSWER_BYTES_MAX: u64 = 16 << 20;
/// How much of an answer that is no problem document is shown.
const SHOWN_CHARS_MAX: usize = 200;

/// Why a request has no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ClientError {
    /// The server was not reached, or ended the connection before the body left: surely no effect.
    #[error("cannot reach {url}: {cause}")]
    Unreached { url: String, cause: String },
    /// The connection broke after some of the request had left: the outcome is unknown.
    #[error("the connection to {url} broke before the answer was there: {cause}")]
    Broken { url: String, cause: String },
    /// The URL or the TLS set-up is wrong: trying again will not help, and nothing was sent.
    #[error("cannot use {url}: {cause}")]
    Unusable { url: String, cause: String },
}

/// An answer, whatever its status.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// How long the server asks to be left alone.
    pub(crate) retry_after: Option<Duration>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// What an answer that is no success says: `title: detail` of its problem document, or its
    /// beginning where it is none.
    pub(crate) fn problem(&self) -> String {
        let problem: Problem = serde_json::from_slice(&self.body).unwrap_or_default();
        match (problem.title, problem.detail) {
            (Some(title), Some(detail)) => format!("{title}: {detail}"),
            (Some(text), None) | (None, Some(text)) => text,
            (None, None) => {
                let mut text = format!("the server answered with status {}", self.status);
                let body = String::from_utf8_lossy(&self.body);
                if !body.trim().is_empty() {
                    let shown: String = body.trim().chars().take(SHOWN_CHARS_MAX).collect();
                    let _ = write!(text, ": {shown}");
                }
                text
            }
        }
    }
}

/// The fields of an RFC 9457 problem document that people read.
#[derive(Default, Deserialize)]
struct Problem {
    title: Option<String>,
    detail: Option<String>,
}

/// A server, and the connections kept to it.
pub(crate) struct Client {
    agent: Agent,
    url: String,
    authorization: Option<String>,
}

impl Client {
    pub(crate) fn new(server: &ServerArgs) -> Self {
        let agent = Agent::config_builder()
            .timeout_resolve(Some(CONNECT_TIMEOUT))
            .timeout_connect(Some(CONNECT_TIMEOUT))
            .timeout_global(Some(REQUEST_TIMEOUT))
            .max_idle_age(IDLE_CONNECTION_MAX)
            .http_status_as_error(false)
            // A redirection is shown, not followed: the key belongs to this server alone.
            .max_redirects(0)
            .proxy(if is_local(&server.server) {
                None
            } else {
                Proxy::try_from_env()
            })
            .user_agent(concat!("megaboard/", env!("CARGO_PKG_VERSION")))
            .build()
            .new_agent();
        let key = server.key.as_deref().filter(|key| !key.is_empty());
        Self {
            agent,
            url: server.server.clone(),
            authorization: key.map(|key| format!("Bearer {key}")),
        }
    }

    /// Where the server is, for messages.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// `path` begins with `/` and is percent-encoded.
    pub(crate) fn get(&self, path: &str) -> Result<Answer, ClientError> {
        let mut request = self.agent.get(format!("{}{path}", self.url));
        if let Some(authorization) = &self.authorization {
            request = request.header(header::AUTHORIZATION, authorization);
        }
        // A read has no effect: whether it left makes no difference.
        request
            .call()
            .and_then(read_answer)
            .map_err(|error| self.failure(&error, false))
    }

    /// Sends a request without a body, whose effect is the same however often it comes.
    pub(crate) fn send(&self, method: &str, path: &str) -> Result<Answer, ClientError> {
        let mut request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.url));
        if let Some(authorization) = &self.authorization {
            request = request.header(header::AUTHORIZATION, authorization);
        }
        let sent = request
            .body(())
            .map_err(ureq::Error::from)
            .and_then(|request| self.agent.run(request))
            .and_then(read_answer);
        sent.map_err(|error| self.failure(&error, true))
    }

    /// Sends NDJSON. With `ask_first` the body leaves once the server has agreed to take it, so that
    /// a refusal costs nothing and leaves no doubt; that takes one more round trip.
    pub(crate) fn post_ndjson(
        &self,
        path: &str,
        body: &[u8],
        ask_first: bool,
    ) -> Result<Answer, ClientError> {
        let mut request = self
            .agent
            .post(format!("{}{path}", self.url))
            .header(header::CONTENT_TYPE, "application/x-ndjson")
            .header(header::CONTENT_LENGTH, body.len());
        if let Some(authorization) = &self.authorization {
            request = request.header(header::AUTHORIZATION, authorization);
        }
        if ask_first {
            request = request.header(header::EXPECT, "100-continue");
        }
        let mut body = Watched {
            rest: body,
            touched: false,
        };
        let sent = request
            .send(SendBody::from_reader(&mut body))
            .and_then(read_answer);
        sent.map_err(|error| self.failure(&error, body.touched))
    }

    fn failure(&self, error: &ureq::Error, body_left: bool) -> ClientError {
        use ureq::Error;
        let (url, cause) = (self.url.clone(), error.to_string());
        match error {
            _ if body_left => ClientError::Broken { url, cause },
            Error::Io(_) | Error::Timeout(_) | Error::ConnectionFailed | Error::HostNotFound => {
                ClientError::Unreached { url, cause }
            }
            _ => ClientError::Unusable { url, cause },
        }
    }
}

fn read_answer(mut response: ureq::http::Response<ureq::Body>) -> Result<Answer, ureq::Error> {
    let body = response
        .body_mut()
        .with_config()
        .limit(ANSWER_BYTES_MAX)
        .read_to_vec()?;
    Ok(Answer {
        status: response.status().as_u16(),
        retry_after: retry_after(response.headers()),
        body,
    })
}

/// The form in seconds; a date is left to the caller's own pauses.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers
        .get(header::RETRY_AFTER)?
        .to_str()
        .ok()?
        .trim()
        .parse()
        .ok()?;
    Some(Duration::from_secs(seconds))
}

/// Whether the server is on this machine, where no proxy can reach it for us.
fn is_local(url: &str) -> bool {
    let Ok(uri) = url.parse::<Uri>() else {
        return false;
    };
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost"
        || host
            .parse()
            .is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
}

/// A body that knows whether any of it was taken for sending.
struct Watched<'a> {
    rest: &'a [u8],
    touched: bool,
}

impl Read for Watched<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.touched = true;
        self.rest.read(into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, body: &str) -> Answer {
        Answer {
            status,
            retry_after: None,
            body: body.into(),
        }
    }

    #[test]
    fn problems_read_as_title_and_detail() {
        let problem = r#"{"type":"unknown-kind","title":"Unknown kind","detail":"kind: gfits"}"#;
        assert_eq!(answer(404, problem).problem(), "Unknown kind: kind: gfits");
        assert_eq!(
            answer(502, "<h1>Bad gateway</h1>\n").problem(),
            "the server answered with status 502: <h1>Bad gateway</h1>"
        );
        assert_eq!(
            answer(500, "").problem(),
            "the server answered with status 500"
        );
    }

    #[test]
    fn local_servers_are_known() {
        for url in [
            "http://127.0.0.1:1",
            "http://localhost",
            "http://[::1]:8080",
        ] {
            assert!(is_local(url), "{url}");
        }
        assert!(!is_local("https://boards.example"));
    }
}
