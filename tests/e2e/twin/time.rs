//! The clock that a server and its twin go by: [`Time`].

use std::cell::Cell;

use testkit::clock::{DAY_MS, HOUR_MS, WrongClock, now_ms};

/// Around the end of a window or a board it is not sure by which time a request is decided.
pub(super) const UNSURE_MS: i64 = 2_500;

/// A clock that is set ahead again and again.
pub(super) struct Time {
    clock: WrongClock,
    /// How far it is ahead of the machine's.
    ahead_ms: Cell<i64>,
    /// How far it may get.
    ahead_max_ms: i64,
    /// How much later than it is so the store says that something is final.
    pub(super) final_late_ms: i64,
}

impl Time {
    /// For a store that nobody else has a clock for.
    pub(super) fn unbounded() -> Self {
        Self::from_to(0, 3000 * DAY_MS, 0)
    }

    /// Within what a store on Redis takes for right, and further off than what it corrects.
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

    /// A long way: a part of what is left.
    pub(super) fn far_ms(&self) -> i64 {
        let left = self.ahead_max_ms - self.ahead_ms.get();
        (left / 12).clamp(0, 3 * DAY_MS)
    }

    /// Sets it ahead, if it may get there.
    pub(super) fn advance(&self, by_ms: i64) -> bool {
        let ahead_ms = self.ahead_ms.get() + by_ms;
        let may = ahead_ms <= self.ahead_max_ms;
        if may {
            self.set(ahead_ms);
        }
        may
    }

    /// Sets it behind a moment.
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
