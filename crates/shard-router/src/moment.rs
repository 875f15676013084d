//! [`Moment`]: when a request came, by two clocks.

use std::time::{Duration, Instant};

use board::Timestamp;
use shard_store::{Clock, Deadline};

/// One moment by the server's clock, and by the one of this process that is never set. What has to be over by a time
/// of the server's clock has a deadline by both: a store in another process can only be given an instant.
#[derive(Clone)]
pub struct Moment {
    /// The time, in whole milliseconds: rounded down.
    pub now: Timestamp,
    /// Never later than `now`.
    began: Instant,
    /// The server's clock. `None`: nobody sets it.
    clock: Option<Clock>,
}

/// The most that rounding takes off the time of a moment.
const ROUNDED: Duration = Duration::from_millis(1);

impl Moment {
    /// This moment, by the server's clock.
    pub fn of(clock: &Clock) -> Self {
        // First, so that deadlines that are counted from it come early rather than late.
        let began = Instant::now();
        Self {
            now: clock(),
            began,
            clock: Some(clock.clone()),
        }
    }

    /// Returns the deadline of what has to be over when it is `at` by the server's clock. It may come shortly before.
    /// `None`: no clock of this process reaches it.
    pub(crate) fn deadline(&self, at: Timestamp) -> Option<Deadline<'_>> {
        let left = at.millis().saturating_sub(self.now.millis());
        let left = Duration::from_millis(u64::try_from(left).unwrap_or(0));
        Some(Deadline {
            instant: self.began.checked_add(left.saturating_sub(ROUNDED))?,
            closing: self.clock.as_ref().map(|clock| (at, clock)),
        })
    }

    /// Returns the moment that it is now by whichever clock is ahead, rounded up: what has missed a deadline, by
    /// either, is not admitted again to what closed then. The server's clock may stand still, having been set back:
    /// by that alone the same deadline would be missed again and again.
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
            clock: self.clock.clone(),
        }
    }
}

impl From<Timestamp> for Moment {
    fn from(now: Timestamp) -> Self {
        Self {
            now,
            began: Instant::now(),
            clock: None,
        }
    }
}
