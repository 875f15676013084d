//! [`WriteRate`]: how many contributions a board gets, averaged with a half-life.
//!
//! Each contribution has a weight, which is halved every [`HALF_LIFE_S`]; the sum of the weights is in proportion to
//! the rate. So one word is enough, and it is brought to the current time only where it is changed or read.

use std::sync::atomic::{AtomicU64, Ordering};

use board::Timestamp;

/// The time in which the weight of a contribution is halved, in seconds.
const HALF_LIFE_S: u32 = 60;

/// Units of the weight of a new contribution.
const UNITS: u32 = 16;

/// A rate, which any number of threads change. It counts up to 3 million contributions a second.
#[derive(Debug, Default)]
pub(crate) struct WriteRate(AtomicU64);

/// The sum of all weights at a time.
#[derive(Debug, Clone, Copy)]
struct Weight {
    /// When, in seconds since 1970.
    at_s: u32,
    units: u32,
}

impl Weight {
    #[expect(clippy::cast_possible_truncation, reason = "both halves are taken")]
    const fn of(word: u64) -> Self {
        Self {
            at_s: (word >> u32::BITS) as u32,
            units: word as u32,
        }
    }

    const fn word(self) -> u64 {
        ((self.at_s as u64) << u32::BITS) | self.units as u64
    }

    /// Returns the sum at a time. Slightly earlier than that of the sum it is the same. A sum that is more than a
    /// half-life ahead was counted by a clock that has been set back since: it is dropped, or it would not decay until
    /// the clock reaches it.
    fn at(self, now_s: u32) -> Self {
        if now_s <= self.at_s {
            let is_far = self.at_s - now_s > HALF_LIFE_S;
            return if is_far {
                Self {
                    at_s: now_s,
                    units: 0,
                }
            } else {
                self
            };
        }
        let half_lives = f64::from(now_s - self.at_s) / f64::from(HALF_LIFE_S);
        // Rounded, or frequent changes would each lose a part of a unit.
        let units = (f64::from(self.units) * (-half_lives).exp2()).round();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "at most the units before"
        )]
        let units = units as u32;
        Self { at_s: now_s, units }
    }

    fn plus(self, contributions: usize) -> Self {
        let contributions = u32::try_from(contributions).unwrap_or(u32::MAX);
        let units = contributions.saturating_mul(UNITS);
        Self {
            units: self.units.saturating_add(units),
            ..self
        }
    }

    /// Returns the rate at which contributions keep the sum as it is.
    fn per_minute(self) -> f64 {
        let half_life_min = f64::from(HALF_LIFE_S) / 60.0;
        f64::from(self.units) / f64::from(UNITS) * std::f64::consts::LN_2 / half_life_min
    }
}

fn seconds(at: Timestamp) -> u32 {
    u32::try_from(at.millis() / 1_000).unwrap_or(0)
}

impl WriteRate {
    /// Counts contributions that were applied.
    pub(crate) fn count(&self, contributions: usize, now: Timestamp) {
        // Each change rounds the sum, so that frequent ones of nothing would keep it as it is.
        if contributions == 0 {
            return;
        }
        let now_s = seconds(now);
        let counted = |word| Some(Weight::of(word).at(now_s).plus(contributions).word());
        // It has no error: the closure never returns `None`.
        let _ = (self.0).fetch_update(Ordering::Relaxed, Ordering::Relaxed, counted);
    }

    /// Returns the contributions per minute; 0 once less than a sixteenth of one is left.
    pub(crate) fn per_minute(&self, now: Timestamp) -> f64 {
        let weight = Weight::of(self.0.load(Ordering::Relaxed));
        weight.at(seconds(now)).per_minute()
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    fn at_s(seconds: i64) -> Timestamp {
        Timestamp::from_millis(1_790_000_000_000 + 1_000 * seconds)
    }

    fn is_near(rate: f64, expected: f64) -> bool {
        (rate - expected).abs() <= expected / 50.0
    }

    #[test]
    fn a_steady_rate_is_reached_in_six_minutes_whatever_its_steps_are() {
        // Each is 600 contributions a minute.
        for (step_s, contributions) in [(1, 10), (5, 50), (30, 300)] {
            let rate = WriteRate::default();
            let mut rates = Vec::new();
            for now_s in (0..360).step_by(step_s) {
                rate.count(contributions, at_s(now_s));
                rates.push(rate.per_minute(at_s(now_s)));
            }
            // Between two steps the sum falls, and the rate is in the middle.
            let last = rates.last().unwrap();
            let next = rate.per_minute(at_s(360));
            let middle = f64::midpoint(*last, next);
            assert!(is_near(middle, 600.0), "{step_s}: {last} {next}");
            assert!(rates.is_sorted());
        }
    }

    #[test]
    fn a_rate_is_halved_in_a_minute_and_ends_at_nothing() {
        let rate = WriteRate::default();
        rate.count(1_000, at_s(0));
        let first = rate.per_minute(at_s(0));
        assert!(is_near(first, 693.0), "{first}");
        for minutes in 1..8 {
            let now = rate.per_minute(at_s(60 * minutes));
            let expected = first / f64::from(1 << minutes);
            assert!(is_near(now, expected), "{minutes}: {now}");
        }
        assert!(rate.per_minute(at_s(60 * 15)).abs() < f64::EPSILON);
    }

    #[test]
    fn a_clock_that_is_set_back_a_little_changes_no_rate() {
        let rate = WriteRate::default();
        rate.count(100, at_s(50));
        let before = rate.per_minute(at_s(50));
        assert_eq!(rate.per_minute(at_s(0)).to_bits(), before.to_bits());
        rate.count(100, at_s(0));
        assert!(is_near(rate.per_minute(at_s(50)), 2.0 * before));
    }

    #[test]
    fn what_a_clock_counted_that_was_far_ahead_is_dropped() {
        let rate = WriteRate::default();
        rate.count(100, at_s(7 * 3_600));
        assert!(rate.per_minute(at_s(0)).abs() < f64::EPSILON);
        rate.count(10, at_s(0));
        let first = rate.per_minute(at_s(0));
        assert!(is_near(first, 6.93), "{first}");
        assert!(is_near(rate.per_minute(at_s(60)), first / 2.0));
    }

    #[test]
    fn writes_without_contributions_do_not_keep_a_rate_up() {
        let rate = WriteRate::default();
        rate.count(100, at_s(0));
        for now_s in 0..15 * 60 {
            rate.count(0, at_s(now_s));
        }
        assert!(rate.per_minute(at_s(15 * 60)).abs() < f64::EPSILON);
    }

    #[test]
    fn slow_and_fast_rates_are_within_four_percent() {
        for (step_s, per_minute) in [(1, 60.0), (2, 30.0), (10, 6.0)] {
            let rate = WriteRate::default();
            for now_s in (0..900).step_by(step_s) {
                rate.count(1, at_s(now_s));
            }
            let step = i64::try_from(step_s).unwrap();
            let (last, next) = (
                rate.per_minute(at_s(900 - step)),
                rate.per_minute(at_s(900)),
            );
            let middle = f64::midpoint(last, next);
            assert!(
                (middle - per_minute).abs() <= per_minute / 25.0,
                "{step_s}: {middle}"
            );
        }
    }

    #[test]
    fn no_contribution_of_concurrent_writers_is_lost() {
        let (rate, all) = (WriteRate::default(), WriteRate::default());
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..10_000).for_each(|_| rate.count(1, at_s(0))));
            }
        });
        all.count(40_000, at_s(0));
        let [counted, expected] = [&rate, &all].map(|rate| rate.per_minute(at_s(0)));
        assert_eq!(counted.to_bits(), expected.to_bits());
    }

    #[test]
    fn a_rate_beyond_what_can_be_counted_is_the_greatest() {
        let rate = WriteRate::default();
        rate.count(usize::MAX, at_s(0));
        let greatest = rate.per_minute(at_s(0));
        rate.count(1, at_s(0));
        assert_eq!(rate.per_minute(at_s(0)).to_bits(), greatest.to_bits());
    }
}
