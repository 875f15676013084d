//! A server that sends scripted responses, for tests: [`Scripted`].

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;

use crate::client::Client;
use crate::retry::RetryPolicy;

/// Short pauses, so that tests are fast, and a long time limit, so that none is reached.
pub(crate) const EAGER: RetryPolicy = RetryPolicy {
    first_pause: Duration::from_millis(1),
    longest_pause: Duration::from_millis(2),
    give_up_after: Duration::from_mins(1),
};

/// The reply to one request.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    /// A response: status, headers, body.
    Answer(u16, &'static [(&'static str, &'static str)], String),
    /// The connection is closed after the request.
    Break,
    /// The connection is closed within the response.
    BreakWithin,
    /// A stream with these events.
    Events(&'static str, Then),
}

/// What happens after the events of a stream.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Then {
    Ends,
    StaysOpen,
}

/// A request that the server received.
#[derive(Debug, Clone)]
pub(crate) struct ReceivedRequest {
    /// The request line without the version: `GET /v1/kinds`.
    pub(crate) line: String,
    /// The request line and headers.
    pub(crate) head: String,
    pub(crate) body: String,
}

/// A server on a free port. It is stopped on drop.
pub(crate) struct Scripted {
    url: String,
    shared: Arc<Shared>,
    accepting: AbortHandle,
}

struct Shared {
    script: Mutex<VecDeque<Reply>>,
    seen: Mutex<Vec<ReceivedRequest>>,
}

impl Reply {
    pub(crate) fn ok(body: impl Into<String>) -> Self {
        Self::Answer(200, &[], body.into())
    }

    pub(crate) fn problem(status: u16, kind: &str) -> Self {
        let body = format!(r#"{{"type":"{kind}","title":"T","status":{status},"detail":"d"}}"#);
        Self::Answer(status, &[], body)
    }
}

impl Scripted {
    /// Starts a server that sends these replies in order, and closes the connections of further requests.
    pub(crate) async fn start(script: impl IntoIterator<Item = Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let shared = Arc::new(Shared {
            script: Mutex::new(script.into_iter().collect()),
            seen: Mutex::default(),
        });
        let serving = Arc::clone(&shared);
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&serving)));
            }
        });
        Self {
            url,
            shared,
            accepting: accepting.abort_handle(),
        }
    }

    /// Returns a client of the server with short pauses.
    pub(crate) fn client(&self) -> Client {
        self.client_with(EAGER)
    }

    pub(crate) fn client_with(&self, policy: RetryPolicy) -> Client {
        let builder = Client::builder(&*self.url).retry_policy(policy);
        builder.key("mb_k").build().unwrap()
    }

    /// Returns all requests so far.
    pub(crate) fn seen(&self) -> Vec<ReceivedRequest> {
        self.shared.seen.lock().unwrap().clone()
    }

    /// Returns all requests. Panics unless all replies were sent.
    #[track_caller]
    pub(crate) fn done(self) -> Vec<ReceivedRequest> {
        let left = self.shared.script.lock().unwrap().len();
        assert_eq!(left, 0, "replies were not used: {:#?}", self.seen());
        self.seen()
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl ReceivedRequest {
    /// Parses the body as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// Returns the ids of the contributions; null if one has none.
    #[track_caller]
    pub(crate) fn ids(&self) -> Vec<Value> {
        let items = self.json();
        let items = items.as_array().unwrap().iter();
        items.map(|item| item["id"].clone()).collect()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let found = lines.find(|(other, _)| other.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value)
    }
}

async fn serve(stream: TcpStream, shared: Arc<Shared>) {
    let mut stream = BufReader::new(stream);
    while let Some(seen) = request(&mut stream).await {
        shared.seen.lock().unwrap().push(seen);
        let reply = shared.script.lock().unwrap().pop_front();
        let text = match reply {
            None | Some(Reply::Break) => return,
            Some(Reply::BreakWithin) => {
                let text = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"applied\"";
                let _ = stream.write_all(text.as_bytes()).await;
                return;
            }
            Some(Reply::Answer(status, headers, body)) => {
                let headers = headers.iter();
                let headers: Vec<_> = headers
                    .map(|(name, it)| format!("{name}: {it}\r\n"))
                    .collect();
                let headers = headers.concat();
                let length = body.len();
                format!("HTTP/1.1 {status} S\r\n{headers}content-length: {length}\r\n\r\n{body}")
            }
            Some(Reply::Events(text, then)) => {
                let text = format!(
                    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\
                     transfer-encoding: chunked\r\n\r\n{:x}\r\n{text}\r\n",
                    text.len()
                );
                let _ = stream.write_all(text.as_bytes()).await;
                match then {
                    Then::Ends => {
                        let _ = stream.write_all(b"0\r\n\r\n").await;
                    }
                    // Waits until the client closes the connection.
                    Then::StaysOpen => drop(stream.read_u8().await),
                }
                return;
            }
        };
        if stream.write_all(text.as_bytes()).await.is_err() {
            return;
        }
    }
}

/// Reads the next request, or `None` at the end of the connection.
async fn request(stream: &mut BufReader<TcpStream>) -> Option<ReceivedRequest> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8(head).unwrap();
    let line = head.lines().next().unwrap();
    let mut seen = ReceivedRequest {
        line: line.trim_end_matches(" HTTP/1.1").to_owned(),
        head,
        body: String::new(),
    };
    let length = seen
        .header("content-length")
        .map_or(0, |it| it.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    seen.body = String::from_utf8(body).unwrap();
    Some(seen)
}
