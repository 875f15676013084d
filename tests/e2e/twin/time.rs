//! The clock of a server and its twin: [`Time`].

use std::cell::Cell;

use testkit::clock::{DAY_MS, HOUR_MS, WrongClock, now_ms};

/// How close to an edge it is uncertain by which time a request is decided.
pub(super) const UNSURE_MS: i64 = 2_500;

/// A clock that is set forward again and again.
pub(super) struct Time {
    clock: WrongClock,
    /// The current offset from the machine's clock.
    ahead_ms: Cell<i64>,
    /// The maximum offset.
    ahead_max_ms: i64,
    /// How much later than its end the store reports something as final.
    pub(super) final_late_ms: i64,
}

impl Time {
    /// For a store without another clock.
    pub(super) fn unbounded() -> Self {
        Self::from_to(0, 3000 * DAY_MS, 0)
    }

    /// Within the limit that a store on Redis accepts, but beyond what it corrects.
    pub(super) fn beside_redis() -> Self {
        Self::from_to(HOUR_MS, 23 * HOUR_MS, 1000)
    }

    fn from_to(from_ms: i64, ahead_max_ms: i64, final_late_ms: i64) -> Self {
        let time = Self {
            clock: WrongClock::off_by("+0"),
            ahead_ms: Cell::new(0),
            ahead_max_ms,
            final_late_ms,
        };
        time.set(from_ms);
        time
    }

    pub(super) fn clock(&self) -> &WrongClock {
        &self.clock
    }

    pub(super) fn now(&self) -> i64 {
        now_ms() + self.ahead_ms.get()
    }

    /// Returns a large step: a part of the remaining offset.
    pub(super) fn far_ms(&self) -> i64 {
        let left = self.ahead_max_ms - self.ahead_ms.get();
        (left / 12).clamp(0, 3 * DAY_MS)
    }

    /// Sets the clock forward, unless that exceeds the maximum.
    pub(super) fn advance(&self, by_ms: i64) -> bool {
        let ahead_ms = self.ahead_ms.get() + by_ms;
        let may = ahead_ms <= self.ahead_max_ms;
        if may {
            self.set(ahead_ms);
        }
        may
    }

    /// Sets the clock to just after a moment.
    pub(super) fn go_past(&self, moment: i64) {
        self.set(self.ahead_ms.get() + moment + 1 - self.now());
    }

    fn set(&self, ahead_ms: i64) {
        let sign = if ahead_ms < 0 { "-" } else { "+" };
        let ms = ahead_ms.unsigned_abs();
        self.clock
            .set(&format!("{sign}{}.{:03}", ms / 1000, ms % 1000));
        self.ahead_ms.set(ahead_ms);
    }
}
