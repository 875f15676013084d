//! Streams of a board's changes: [`Board::stream`], [`Events`].
//!
//! `sse` parses server-sent events, `follow` reconnects, `event` has the types that are returned.

mod event;
mod follow;
mod sse;
#[cfg(test)]
mod tests;

use std::fmt::{self, Debug, Display, Formatter};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::stream::{self, BoxStream, Stream, StreamExt as _};

use crate::board::Board;
use crate::error::Error;
use crate::request::Request;
use crate::responses::Top;
use crate::retry::RetryPolicy;
pub use event::{Changes, Event};
use follow::Follower;

/// Three times the interval at which the server sends a comment.
const SILENCE_MAX: Duration = Duration::from_secs(45);
/// Enough for a top of 10,000 entries with profiles, the maximum.
const EVENT_BYTES_MAX: usize = 32 << 20;

/// A request for a stream: [`Board::stream`].
#[derive(Debug, Clone)]
#[must_use = "nothing is sent until `events` is polled"]
pub struct BoardStream {
    request: Request<Top>,
    /// Whether to send the client's key.
    sends_key: bool,
    retry: RetryPolicy,
    /// How long a connection may be silent.
    silence: Duration,
    event_bytes_max: usize,
}

impl Board {
    /// Streams the top of the board: first all of it, then its changes.
    pub fn stream(&self) -> BoardStream {
        BoardStream {
            request: self.get("/stream"),
            sends_key: true,
            retry: RetryPolicy {
                give_up_after: Duration::MAX,
                ..self.client.shared.retry
            },
            silence: SILENCE_MAX,
            event_bytes_max: EVENT_BYTES_MAX,
        }
    }
}

impl BoardStream {
    /// Sets the number of entries: up to the kind's `top`, 100 by default.
    pub fn n(self, n: u64) -> Self {
        self.with("n", n)
    }

    /// Selects a window (any selector); the kind's first by default. Selectors such as `day` follow the
    /// calendar.
    pub fn window(self, window: impl Display) -> Self {
        self.with("window", window.to_string())
    }

    /// Requests [`Event::Changes`] instead of [`Event::Board`], except for the first event and whenever
    /// the whole top is needed.
    pub fn changes(self) -> Self {
        self.with("changes", true)
    }

    /// Adds the profile of each member that has one. A change of a profile is a change of the top.
    pub fn profiles(self) -> Self {
        self.with("profiles", true)
    }

    /// Requests [`Event::Member`] for this member, in addition to the top.
    pub fn member(self, member: impl Display) -> Self {
        self.with("member", member.to_string())
    }

    /// Sends this token instead of the client's key.
    pub fn token(mut self, token: impl Display) -> Self {
        self.sends_key = false;
        self.with("token", token.to_string())
    }

    /// Sets the retry policy of reconnects. By default it is that of the client, without a time limit.
    pub fn retry_policy(mut self, policy: RetryPolicy) -> Self {
        self.retry = policy;
        self
    }

    /// Sets how long the connection may be silent before the client reconnects: 45 s by default. The
    /// server sends a comment every 15 s.
    pub fn silence(mut self, silence: Duration) -> Self {
        self.silence = silence;
        self
    }

    /// Returns the events. The request is sent when they are polled first.
    ///
    /// If a connection is lost, the client reconnects. An error that a retry cannot solve is the last item:
    /// an invalid request (400), an invalid key or an expired token (401), insufficient rights (403), an
    /// unknown kind (404), a window past its retention (410), and other errors of this sort.
    #[must_use]
    pub fn events(self) -> Events {
        let events = stream::unfold(Follower::new(self), |mut follower| async move {
            let event = follower.next().await?;
            Some((event, follower))
        });
        Events(events.boxed())
    }

    fn with(mut self, name: &'static str, value: impl Into<serde_json::Value>) -> Self {
        self.request = self.request.with(name, value);
        self
    }
}

/// The events of a board. The stream ends with the first error, or when this is dropped.
pub struct Events(BoxStream<'static, Result<Event, Error>>);

impl Events {
    /// Returns the next event, or `None` after an error. Cancel safe: no event is lost if the future is
    /// dropped.
    pub async fn next(&mut self) -> Option<Result<Event, Error>> {
        self.0.next().await
    }
}

impl Stream for Events {
    type Item = Result<Event, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_next_unpin(context)
    }
}

impl Debug for Events {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events").finish_non_exhaustive()
    }
}
