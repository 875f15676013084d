//! Following one stream over several connections: [`Follower`].

use std::collections::VecDeque;
use std::time::Duration;

use reqwest::Response;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use tokio::time::timeout;

use super::BoardStream;
use super::event::Event;
use super::sse::{Message, Parser, TooLong};
use crate::client::{Client, retry_after};
use crate::error::Error;
use crate::problem::Problem;
use crate::retry::Backoff;

const EVENT_STREAM: &str = "text/event-stream";
const LAST_EVENT_ID: &str = "last-event-id";

/// Follows a stream, reconnecting when a connection is lost.
pub(super) struct Follower {
    settings: BoardStream,
    connection: Option<Connection>,
    /// Received messages that were not returned yet.
    messages: VecDeque<Message>,
    /// The id of the last event, of any connection.
    last_id: Option<String>,
    /// The minimum pause before a reconnect, as set by the server.
    retry: Option<Duration>,
    /// The pauses since the last event; `None` while the stream works.
    backoff: Option<Backoff>,
    has_ended: bool,
}

struct Connection {
    response: Response,
    parser: Parser,
}

impl Follower {
    pub(super) fn new(settings: BoardStream) -> Self {
        Self {
            settings,
            connection: None,
            messages: VecDeque::new(),
            last_id: None,
            retry: None,
            backoff: None,
            has_ended: false,
        }
    }

    /// Returns the next event. The first error is the last item.
    pub(super) async fn next(&mut self) -> Option<Result<Event, Error>> {
        while !self.has_ended {
            let event = match self.messages.pop_front() {
                Some(message) => match Event::read(&message) {
                    Err(error) if is_temporary(&error) => {
                        self.messages.clear();
                        self.pause(error).await
                    }
                    read => read,
                },
                None => self.receive().await,
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

    /// Reads from the connection, or connects. Returns only errors that end the stream.
    async fn receive(&mut self) -> Result<Option<Event>, Error> {
        let received = match &mut self.connection {
            Some(Connection { response, parser }) => {
                let (client, silence) = (&self.settings.request.client, self.settings.silence);
                let received = match timeout(silence, response.chunk()).await {
                    Err(_) => Err(broken(
                        client,
                        format!("nothing was received for {silence:?}"),
                    )),
                    Ok(Err(error)) => Err(client.failure(&error)),
                    Ok(Ok(None)) => Err(broken(client, "the stream has ended")),
                    Ok(Ok(Some(chunk))) => {
                        let parsed = parser.parse(&chunk, &mut self.messages);
                        let bytes_max = self.settings.event_bytes_max;
                        parsed.map_err(|TooLong| Error::TooLarge { bytes_max })
                    }
                };
                self.last_id.clone_from(&parser.last_id);
                self.retry = parser.retry.or(self.retry);
                received
            }
            None => self.connect().await,
        };
        match received {
            Ok(()) => Ok(None),
            Err(error) if is_temporary(&error) => self.pause(error).await,
            Err(error) => Err(error),
        }
    }

    /// Waits before the next reconnect. The first call after an event does not wait, but returns
    /// [`Event::Interrupted`].
    async fn pause(&mut self, error: Error) -> Result<Option<Event>, Error> {
        self.connection = None;
        let Some(backoff) = &mut self.backoff else {
            self.backoff = Some(Backoff::new(self.settings.retry));
            return Ok(Some(Event::Interrupted(error)));
        };
        let retry_after = error.problem().and_then(|problem| problem.retry_after);
        if backoff.wait(retry_after.or(self.retry)).await {
            return Ok(None);
        }
        Err(error)
    }

    async fn connect(&mut self) -> Result<(), Error> {
        let client = &self.settings.request.client;
        let (mut request, _) = client.request(&self.settings.request.call()?);
        request = request.header(ACCEPT, EVENT_STREAM);
        let id = self.last_id.as_deref().filter(|id| !id.is_empty());
        if let Some(id) = id.and_then(|id| HeaderValue::from_str(id).ok()) {
            request = request.header(LAST_EVENT_ID, id);
        }
        let mut request = request.build().map_err(|error| client.failure(&error))?;
        if !self.settings.sends_key {
            // A server that gets both a key and a token uses the key.
            request.headers_mut().remove(AUTHORIZATION);
        }
        let sent = timeout(client.shared.timeout, client.shared.http.execute(request)).await;
        let response = match sent {
            Ok(response) => response.map_err(|error| client.failure(&error))?,
            Err(_) => return Err(broken(client, "the stream did not begin in time")),
        };
        let status = response.status().as_u16();
        if status != 200 {
            let retry_after = retry_after(response.headers());
            let body = client.body_of(response).await?;
            let problem = Problem::read(status, &body, retry_after);
            return Err(Error::Problem(problem));
        }
        let media_type = response.headers().get(CONTENT_TYPE);
        let media_type = media_type.map_or(&b""[..], HeaderValue::as_bytes);
        if !media_type.starts_with(EVENT_STREAM.as_bytes()) {
            return Err(Error::unreadable("not an event stream"));
        }
        let parser = Parser::new(self.settings.event_bytes_max, self.last_id.clone());
        self.connection = Some(Connection { response, parser });
        Ok(())
    }
}

fn broken(client: &Client, cause: impl Into<String>) -> Error {
    Error::Broken {
        url: client.url().to_owned(),
        cause: cause.into(),
    }
}

/// Returns whether a reconnect may help.
fn is_temporary(error: &Error) -> bool {
    error.is_temporary() || error.problem().is_some_and(|problem| problem.status >= 500)
}
