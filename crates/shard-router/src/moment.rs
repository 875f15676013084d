//! [`Moment`]: when a request came, by two clocks.

use std::time::{Duration, Instant};

use board::Timestamp;

/// One moment by the server's clock, and by the one of this process that does not step. What is to be
/// over by a time of the server's clock is held to that by the other.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    /// The time, in whole milliseconds: rounded down.
    pub now: Timestamp,
    /// Never later than `now`.
    began: Instant,
}

/// What [`Timestamp`] does not tell of a moment.
const ROUNDED: Duration = Duration::from_millis(1);

impl Moment {
    /// This moment, by the server's clock.
    pub fn of(clock: impl FnOnce() -> Timestamp) -> Self {
        // First, so that deadlines that are counted from it come early rather than late.
        let began = Instant::now();
        let now = clock();
        Self { now, began }
    }

    /// When it is `at` by the server's clock, or shortly before. `None`: no clock of this process
    /// reaches it.
    pub(crate) fn instant_of(&self, at: Timestamp) -> Option<Instant> {
        let left = at.millis().saturating_sub(self.now.millis());
        let left = Duration::from_millis(u64::try_from(left).unwrap_or(0));
        self.began.checked_add(left.saturating_sub(ROUNDED))
    }

    /// The time that it is now by the server's clock, had nobody set that since.
    pub(crate) fn time(&self) -> Timestamp {
        self.now.plus(self.began.elapsed() + ROUNDED)
    }
}

impl From<Timestamp> for Moment {
    fn from(now: Timestamp) -> Self {
        Self::of(|| now)
    }
}
