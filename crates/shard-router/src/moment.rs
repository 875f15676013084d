//! [`Moment`]: when a request arrived, by two clocks.

use std::time::{Duration, Instant};

use board::Timestamp;
use shard_store::{Clock, Deadline, ShardStore};

/// One moment by the server's clock, and by the monotonic clock of this process. A deadline by the
/// server's clock is also a deadline by the other one: a store in another process can only use an
/// instant.
#[derive(Clone)]
pub struct Moment {
    /// The time.
    pub now: Timestamp,
    /// Never later than `now`.
    began: Instant,
    /// Until when the caller waits for a store that is unavailable, if it asked to.
    pub(crate) waits_until: Option<Instant>,
    /// The server's clock. `None`: it cannot be set (in tests).
    clock: Option<Clock>,
}

/// Maximum that rounding subtracts from a deadline: stores may compare whole milliseconds.
const ROUNDED: Duration = Duration::from_millis(1);

/// The pause between attempts at an unavailable store, of a caller that waits for it.
const WAITING_PAUSE: Duration = Duration::from_millis(200);

impl Moment {
    /// Returns the current moment, by the server's clock.
    pub fn of(clock: &Clock) -> Self {
        // Read first, so that deadlines computed from it are early rather than late.
        let began = Instant::now();
        Self {
            now: clock(),
            began,
            waits_until: None,
            clock: Some(clock.clone()),
        }
    }

    /// Waits for a store that is unavailable for so long from this moment on, instead of briefly.
    #[must_use]
    pub fn waiting(self, wait: Option<Duration>) -> Self {
        Self {
            waits_until: wait.map(|wait| self.began + wait),
            ..self
        }
    }

    /// Returns the wait of the caller for this store.
    pub(crate) fn wait<'a>(&self, store: &'a dyn ShardStore) -> Wait<'a> {
        Wait {
            store,
            until: self.waits_until,
            was_ready: false,
        }
    }

    /// Returns the deadline of what must end before the server's clock shows `at`. It may be
    /// slightly early. `None`: no clock of this process reaches it.
    pub(crate) fn deadline(&self, at: Timestamp) -> Option<Deadline<'_>> {
        let left = at.since(self.now).saturating_sub(ROUNDED);
        Some(Deadline {
            instant: self.began.checked_add(left)?,
            closing: self.clock.as_ref().map(|clock| (at, clock)),
        })
    }

    /// Returns the current moment by whichever clock is ahead, rounded up: what has missed a
    /// deadline by either is not admitted again to what closed then. The server's clock may stand
    /// still after it was set back: by that clock alone the same deadline would be missed again and
    /// again.
    pub(crate) fn later(&self) -> Self {
        let began = Instant::now();
        let went_on = self.now.plus(began - self.began);
        let now = self
            .clock
            .as_ref()
            .map_or(went_on, |clock| clock().max(went_on));
        Self {
            now: now.plus(ROUNDED),
            began,
            waits_until: self.waits_until,
            clock: self.clock.clone(),
        }
    }
}

/// A caller that may wait for a store that is unavailable.
pub(crate) struct Wait<'a> {
    store: &'a dyn ShardStore,
    until: Option<Instant>,
    /// Whether a call has failed after which the store was ready.
    was_ready: bool,
}

impl Wait<'_> {
    /// Waits until a store that was unavailable may be tried again. Returns whether the caller still waited.
    ///
    /// A store that is ready is tried once more, since it may just have become ready. If that fails, too, no wait
    /// helps: it is full, or has rejected the write.
    pub(crate) async fn may_try_again(&mut self) -> bool {
        let Some(until) = self.until else {
            return false;
        };
        if self.store.check_ready().await.is_ok() {
            return !std::mem::replace(&mut self.was_ready, true);
        }
        self.was_ready = false;
        let again = Instant::now() + WAITING_PAUSE;
        if again >= until {
            return false;
        }
        tokio::time::sleep_until(again.into()).await;
        true
    }
}

impl From<Timestamp> for Moment {
    fn from(now: Timestamp) -> Self {
        Self {
            now,
            began: Instant::now(),
            waits_until: None,
            clock: None,
        }
    }
}
