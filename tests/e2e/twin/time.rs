//! The clock of a server and its twin: [`Time`].

use std::cell::Cell;

use testkit::clock::{self, WrongClock, now_us};

pub(super) const MINUTE_US: i64 = 1_000 * clock::MINUTE_MS;
pub(super) const HOUR_US: i64 = 60 * MINUTE_US;
pub(super) const DAY_US: i64 = 24 * HOUR_US;

/// How close to an edge it is uncertain by which time a request is decided.
pub(super) const UNSURE_US: i64 = 2_500_000;

/// A clock that is set forward again and again.
pub(super) struct Time {
    clock: WrongClock,
    /// The current offset from the machine's clock.
    ahead_us: Cell<i64>,
    /// The maximum offset.
    ahead_max_us: i64,
    /// How much later than its end the store reports something as final.
    pub(super) final_late_us: i64,
}

impl Time {
    /// For a store without another clock.
    pub(super) fn unbounded() -> Self {
        Self::from_to(0, 3000 * DAY_US, 0)
    }

    /// Within the limit that a store on Redis accepts, but beyond what it corrects.
    pub(super) fn beside_redis() -> Self {
        Self::from_to(HOUR_US, 23 * HOUR_US, 1_000_000)
    }

    fn from_to(from_us: i64, ahead_max_us: i64, final_late_us: i64) -> Self {
        let time = Self {
            clock: WrongClock::off_by("+0"),
            ahead_us: Cell::new(0),
            ahead_max_us,
            final_late_us,
        };
        time.set(from_us);
        time
    }

    pub(super) fn clock(&self) -> &WrongClock {
        &self.clock
    }

    pub(super) fn now(&self) -> i64 {
        now_us() + self.ahead_us.get()
    }

    /// Returns a large step: a part of the remaining offset.
    pub(super) fn far_us(&self) -> i64 {
        let left = self.ahead_max_us - self.ahead_us.get();
        (left / 12).clamp(0, 3 * DAY_US)
    }

    /// Sets the clock forward, unless that exceeds the maximum.
    pub(super) fn advance(&self, by_us: i64) -> bool {
        let ahead_us = self.ahead_us.get() + by_us;
        let may = ahead_us <= self.ahead_max_us;
        if may {
            self.set(ahead_us);
        }
        may
    }

    /// Sets the clock to just after a moment.
    pub(super) fn go_past(&self, moment: i64) {
        self.set(self.ahead_us.get() + moment + 1 - self.now());
    }

    fn set(&self, ahead_us: i64) {
        let sign = if ahead_us < 0 { "-" } else { "+" };
        let us = ahead_us.unsigned_abs();
        self.clock
            .set(&format!("{sign}{}.{:06}", us / 1_000_000, us % 1_000_000));
        self.ahead_us.set(ahead_us);
    }
}

/// Formats a time in UTC: `2026-11-20T14:52:22.123456Z`.
pub(super) fn rfc3339(us: i64) -> String {
    clock::rfc3339_us(us)
}

/// Formats a date in UTC: `2026-11-20`.
pub(super) fn date(us: i64) -> String {
    clock::date(us.div_euclid(1_000))
}
