//! One stream over many connections: [`Follower`].

use std::collections::VecDeque;
use std::time::Duration;

use reqwest::Response;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use tokio::time::timeout;

use super::event::Event;
use super::sse::{Message, Parser, TooLong};
use crate::client::{Response as ApiResponse, retry_after};
use crate::error::Error;
use crate::query::ApiRequest;
use crate::retry::{Backoff, RetryPolicy};

const EVENT_STREAM: &str = "text/event-stream";
const LAST_EVENT_ID: &str = "last-event-id";

/// What a stream needs to know from its beginning.
pub(super) struct Wanted {
    pub(super) request: ApiRequest,
    /// Whether the client's key goes with it.
    pub(super) takes_key: bool,
    pub(super) retry: RetryPolicy,
    /// How long nothing at all may come.
    pub(super) silence: Duration,
    pub(super) event_bytes_max: usize,
}

/// Follows a stream, connection after connection.
pub(super) struct Follower {
    wanted: Wanted,
    connection: Option<Connection>,
    waiting: VecDeque<Message>,
    /// Of the last event, from whichever connection.
    last_id: Option<String>,
    /// How long the server asks to wait before a reconnect.
    retry: Option<Duration>,
    /// The pauses since the last event; none while the stream works.
    backoff: Option<Backoff>,
    has_ended: bool,
}

struct Connection {
    response: Response,
    parser: Parser,
}

impl Follower {
    pub(super) fn new(wanted: Wanted) -> Self {
        Self {
            wanted,
            connection: None,
            waiting: VecDeque::new(),
            last_id: None,
            retry: None,
            backoff: None,
            has_ended: false,
        }
    }

    /// The next event; an error is the last of them.
    pub(super) async fn next(&mut self) -> Option<Result<Event, Error>> {
        while !self.has_ended {
            let event = match self.waiting.pop_front() {
                Some(message) => match Event::read(&message) {
                    Err(error) if may_mend(&error) => {
                        self.waiting.clear();
                        self.pause(error).await
                    }
                    read => read,
                },
                None => self.go_on().await,
            };
            match event {
                Ok(None) => {}
                Ok(Some(event)) => {
                    if !matches!(event, Event::Interrupted(_)) {
                        self.backoff = None;
                    }
                    return Some(Ok(event));
                }
                Err(error) => {
                    self.has_ended = true;
                    self.connection = None;
                    return Some(Err(error));
                }
            }
        }
        None
    }

    /// Takes what comes next on the connection, or makes one. Errors are those that end the stream.
    async fn go_on(&mut self) -> Result<Option<Event>, Error> {
        let gone_on = match &mut self.connection {
            Some(connection) => {
                let silence = self.wanted.silence;
                let taken = connection.take(silence, &mut self.waiting).await;
                self.last_id.clone_from(&connection.parser.last_id);
                self.retry = connection.parser.retry.or(self.retry);
                taken.map_err(|lost| match lost {
                    Lost::Ended => self.broken("the stream has ended"),
                    Lost::Silent => self.broken(&format!("nothing came for {silence:?}")),
                    Lost::TooLong => Error::TooLarge {
                        bytes_max: self.wanted.event_bytes_max,
                    },
                    Lost::Broken(error) => self.wanted.request.client.failure(&error),
                })
            }
            None => self.connect().await,
        };
        match gone_on {
            Ok(()) => Ok(None),
            Err(error) if may_mend(&error) => self.pause(error).await,
            Err(error) => Err(error),
        }
    }

    /// Waits for the time to connect again. What was lost is returned before the first wait.
    async fn pause(&mut self, error: Error) -> Result<Option<Event>, Error> {
        self.connection = None;
        let Some(backoff) = &mut self.backoff else {
            self.backoff = Some(Backoff::new(self.wanted.retry));
            return Ok(Some(Event::Interrupted(error)));
        };
        let retry_after = error.problem().and_then(|problem| problem.retry_after);
        if backoff.wait(retry_after.or(self.retry)).await {
            return Ok(None);
        }
        Err(error)
    }

    async fn connect(&mut self) -> Result<(), Error> {
        let client = &self.wanted.request.client;
        let (mut call, _) = client.request(&self.wanted.request.call()?);
        call = call.header(ACCEPT, EVENT_STREAM);
        let id = self.last_id.as_deref().filter(|id| !id.is_empty());
        if let Some(id) = id.and_then(|id| HeaderValue::from_str(id).ok()) {
            call = call.header(LAST_EVENT_ID, id);
        }
        let request = call.build().map_err(|error| client.failure(&error))?;
        let request = self.without_key(request);
        let sent = timeout(client.shared.timeout, client.shared.http.execute(request)).await;
        let response = match sent {
            Ok(response) => response.map_err(|error| client.failure(&error))?,
            Err(_) => return Err(self.broken("the stream did not begin in time")),
        };
        let status = response.status().as_u16();
        if status != 200 {
            let retry_after = retry_after(response.headers());
            let body = client.body_of(response).await?;
            let answer = ApiResponse {
                status,
                retry_after,
                etag: None,
                body,
            };
            return Err(Error::Problem(answer.problem()));
        }
        let media_type = response.headers().get(CONTENT_TYPE);
        let media_type = media_type.map_or(&b""[..], HeaderValue::as_bytes);
        if !media_type.starts_with(EVENT_STREAM.as_bytes()) {
            return Err(Error::unreadable("it is no stream of events"));
        }
        let parser = Parser::new(self.wanted.event_bytes_max, self.last_id.clone());
        self.connection = Some(Connection { response, parser });
        Ok(())
    }

    /// A key wins over a token, so that it stays behind where there is one.
    fn without_key(&self, mut request: reqwest::Request) -> reqwest::Request {
        if !self.wanted.takes_key {
            request.headers_mut().remove(AUTHORIZATION);
        }
        request
    }

    fn broken(&self, cause: &str) -> Error {
        Error::Broken {
            url: self.wanted.request.client.url().to_owned(),
            cause: cause.to_owned(),
        }
    }
}

/// Why a connection is no more.
enum Lost {
    Ended,
    Silent,
    TooLong,
    Broken(reqwest::Error),
}

impl Connection {
    /// Takes what comes next.
    async fn take(&mut self, silence: Duration, into: &mut VecDeque<Message>) -> Result<(), Lost> {
        match timeout(silence, self.response.chunk()).await {
            Err(_) => Err(Lost::Silent),
            Ok(Err(error)) => Err(Lost::Broken(error)),
            Ok(Ok(None)) => Err(Lost::Ended),
            Ok(Ok(Some(chunk))) => {
                let taken = self.parser.take(&chunk, into);
                taken.map_err(|TooLong| Lost::TooLong)
            }
        }
    }
}

/// Whether another connection may meet something else.
fn may_mend(error: &Error) -> bool {
    error.is_passing() || error.problem().is_some_and(|problem| problem.status >= 500)
}
