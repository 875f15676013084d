//! Boards as they move: [`Board::stream`], [`Events`].
//!
//! `sse` reads the wire, `follow` goes from connection to connection, `event` is what is returned.

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
use crate::query::ApiRequest;
use crate::retry::RetryPolicy;
pub use event::{Changes, Event};
use follow::{Follower, Wanted};

/// The server sends a comment every 15 s, so that three of them are missing.
const SILENCE_MAX: Duration = Duration::from_secs(45);
/// A top has 10,000 entries at most.
const EVENT_BYTES_MAX: usize = 16 << 20;

/// A stream that is asked for: [`Board::stream`].
#[derive(Debug, Clone)]
#[must_use = "nothing is asked before events are wanted"]
pub struct BoardStream {
    request: ApiRequest,
    takes_key: bool,
    retry: RetryPolicy,
    silence: Duration,
}

impl Board {
    /// The top as it moves. Streams begin with the board whole.
    pub fn stream(&self) -> BoardStream {
        BoardStream {
            request: self.request("/stream"),
            takes_key: true,
            retry: RetryPolicy {
                give_up_after: Duration::MAX,
                ..self.client.shared.retry
            },
            silence: SILENCE_MAX,
        }
    }
}

impl BoardStream {
    /// How many: up to the kind's `top`, 100 by default.
    pub fn n(self, n: u64) -> Self {
        self.with("n", n)
    }

    /// Which window (any selector); the kind's first by default. `day` and its like follow
    /// the calendar.
    pub fn window(self, window: impl Display) -> Self {
        self.with("window", window)
    }

    /// Behind the first event, [`Event::Changes`] in place of [`Event::Board`], but where the whole
    /// board is needed.
    pub fn changes(self) -> Self {
        self.with("changes", true)
    }

    /// Tells where this member stands, beside the board.
    pub fn member(self, member: impl Display) -> Self {
        self.with("member", member)
    }

    /// Opens the stream with this token in place of the client's key.
    pub fn token(mut self, token: impl Display) -> Self {
        self.takes_key = false;
        self.with("token", token)
    }

    /// How long to try to connect again, and in what pauses. By default the pauses are the
    /// client's, and there is no end.
    pub fn retry_policy(mut self, policy: RetryPolicy) -> Self {
        self.retry = policy;
        self
    }

    /// How long nothing at all may come before the connection is given up: 45 s by
    /// default. The server sends a comment every 15 s.
    pub fn silence(mut self, silence: Duration) -> Self {
        self.silence = silence;
        self
    }

    /// Begins once it is polled. A connection that is lost is made again, as often as it takes; what
    /// trying again does not mend is the last item, an error: a wrong request (400), no valid key or a
    /// token that is over (401), a key that does not go so far (403), no such kind (404), a window
    /// that is no more (410), and whatever else is refused for good.
    #[must_use]
    pub fn events(self) -> Events {
        let follower = Follower::new(Wanted {
            request: self.request,
            takes_key: self.takes_key,
            retry: self.retry,
            silence: self.silence,
            event_bytes_max: EVENT_BYTES_MAX,
        });
        let events = stream::unfold(follower, |mut follower| async move {
            let event = follower.next().await?;
            Some((event, follower))
        });
        Events(events.boxed())
    }

    fn with(mut self, name: &str, value: impl Display) -> Self {
        self.request = self.request.with(name, value);
        self
    }
}

/// The events of a board. The stream ends with the first error, or when this is dropped.
pub struct Events(BoxStream<'static, Result<Event, Error>>);

impl Events {
    /// The next event; none behind an error. Nothing is lost where this is dropped before it is done.
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
