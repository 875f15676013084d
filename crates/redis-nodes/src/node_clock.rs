//! A reading of a node's clock: [`NodeClock`].

use std::time::Duration;

use tokio::time::Instant;

/// A reading that took longer is used only if it contradicts the previous one.
const SHARP: Duration = Duration::from_millis(100);

/// How far two clocks that agree may drift apart between two readings, in microseconds.
const DRIFT_US: u64 = 1_000;

/// A reading of a node's clock. It continues with our monotonic clock, which no change of the date
/// affects.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NodeClock {
    /// Microseconds since 1970.
    us: u64,
    /// When the reply arrived: the node's clock showed `us` by then, or up to `trip` more.
    read: Instant,
    trip: Duration,
}

impl NodeClock {
    pub(crate) fn new(us: u64, asked: Instant, read: Instant) -> Self {
        let trip = read.saturating_duration_since(asked);
        Self { us, read, trip }
    }

    /// Returns how long the reply took.
    pub(crate) const fn trip(&self) -> Duration {
        self.trip
    }

    /// Returns this reading, unless it took long and agrees with the previous one, which took less.
    pub(crate) fn or_better(self, before: Self) -> Self {
        let earlier = before.at(self.read);
        let agrees = self.us <= earlier + micros(before.trip) + DRIFT_US
            && earlier <= self.us + micros(self.trip) + DRIFT_US;
        if self.trip > SHARP && before.trip < self.trip && agrees {
            before
        } else {
            self
        }
    }

    /// Returns how far a clock that shows `own_us` at `moment` is at least ahead of the node's.
    pub(crate) fn skew_us(&self, own_us: i64, moment: Instant) -> i64 {
        let signed = |us: u64| i64::try_from(us).unwrap_or(i64::MAX);
        let skew_us = own_us.saturating_sub(signed(self.at(moment)));
        if skew_us > 0 {
            skew_us.saturating_sub(signed(micros(self.trip))).max(0)
        } else {
            skew_us
        }
    }

    /// Returns what the node's clock shows at `moment`, in microseconds, or shortly before: a caller
    /// that stops then stops in time.
    pub(crate) fn at(&self, moment: Instant) -> u64 {
        let ahead = micros(moment.saturating_duration_since(self.read));
        let behind = micros(self.read.saturating_duration_since(moment));
        (self.us + ahead).saturating_sub(behind)
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn a_reading_continues_with_the_monotonic_clock() {
        let read = Instant::now();
        let clock = NodeClock::new(1_000_000, read, read);
        assert_eq!(clock.at(read + Duration::from_millis(1_500)), 2_500_000);
        assert_eq!(clock.at(read), 1_000_000);
        let before = read.checked_sub(Duration::from_millis(10)).unwrap();
        assert_eq!(clock.at(before), 990_000);
    }

    #[test]
    fn an_answer_that_came_late_makes_no_clock_look_wrong() {
        let begun = Instant::now();
        let asked = begun + 2_000 * MS;
        let late = NodeClock::new(1_000_000_000, asked, asked + 1_900 * MS);
        let now = asked + 1_900 * MS;
        for (own_us, skew_us) in [
            (1_001_900_000, 0),
            (1_000_000_000, 0),
            (1_002_000_000, 100_000),
            (999_900_000, -100_000),
        ] {
            assert_eq!(late.skew_us(own_us, now), skew_us);
        }
        let sharp = NodeClock::new(998_000_000, begun, begun + MS);
        assert_eq!(late.or_better(sharp).at(now), 1_001_899_000);
        // A clock that was set is used, however late the reply.
        for us in [1_500_000_000, 500_000_000] {
            let set = NodeClock::new(us, asked, asked + 1_900 * MS);
            assert_eq!(set.or_better(sharp).at(now), us);
        }
        let sharper = NodeClock::new(1_000_000_000, now, now);
        assert_eq!(sharper.or_better(late).at(now), 1_000_000_000);
    }
}
