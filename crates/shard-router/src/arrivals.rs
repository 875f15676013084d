//! [`Arrivals`]: the times of contributions that bring none.
//!
//! Of equal standings the one that was reached first is first, and a later write replaces an earlier one: both by their
//! times. So no two contributions get the same time, and their times are in the order in which they arrived, also within
//! a microsecond, and while the clock stands still because it was set back. All ways of writing take them from here;
//! times that clients send stay as they are.

use std::sync::atomic::{AtomicI64, Ordering};

use board::Timestamp;

/// How far times may be ahead of the clock, in microseconds: clocks that jump by no more than this stand still until the
/// time has caught up. If they are ahead by more, the clock has been corrected, and they follow it.
const AHEAD_MAX_US: i64 = 60_000_000;

/// The last time that was given, in microseconds.
#[derive(Debug)]
pub(crate) struct Arrivals(AtomicI64);

impl Default for Arrivals {
    fn default() -> Self {
        Self(AtomicI64::new(i64::MIN))
    }
}

impl Arrivals {
    /// Returns the time of what arrives now: later than all before, and no earlier than `now`, unless the clock was
    /// corrected.
    pub(crate) fn next(&self, now: Timestamp) -> Timestamp {
        let now = now.micros();
        let next = |last: i64| {
            if last.saturating_sub(now) > AHEAD_MAX_US {
                now
            } else {
                now.max(last.saturating_add(1))
            }
        };
        let last = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| {
                Some(next(last))
            });
        let (Ok(last) | Err(last)) = last;
        Timestamp::from_micros(next(last))
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    const NOW_US: i64 = 1_795_186_342_123_456;

    fn next(arrivals: &Arrivals, now_us: i64) -> i64 {
        arrivals.next(Timestamp::from_micros(now_us)).micros()
    }

    proptest! {
        /// Runs of up to a thousand contributions, by a clock that goes on, stands still, or is set back by up to a minute.
        #[test]
        fn later_arrivals_have_later_times_whatever_the_clock_does(
            runs in vec((-AHEAD_MAX_US + 100_000..1_000_000_i64, 1..1_000_usize), 1..50),
        ) {
            let arrivals = Arrivals::default();
            let (mut latest_us, mut last) = (NOW_US, i64::MIN);
            for (step_us, length) in runs {
                let now_us = latest_us + step_us;
                latest_us = latest_us.max(now_us);
                for _ in 0..length {
                    let time = next(&arrivals, now_us);
                    prop_assert!(time > last && time >= now_us);
                    prop_assert!(time < latest_us + 50_000, "no later than needed");
                    last = time;
                }
            }
        }
    }

    #[test]
    fn a_clock_that_was_corrected_is_followed() {
        let arrivals = Arrivals::default();
        let hour_us = 3_600_000_000;
        assert_eq!(next(&arrivals, NOW_US + hour_us), NOW_US + hour_us);
        for _ in 0..3 {
            let first = next(&arrivals, NOW_US);
            assert!((NOW_US..NOW_US + 3).contains(&first));
        }
        assert_eq!(next(&arrivals, NOW_US), NOW_US + 3);
    }

    #[test]
    fn concurrent_arrivals_have_different_times_each_thread_in_order() {
        let arrivals = Arrivals::default();
        let of_thread = |offset: i64| {
            let arrivals = &arrivals;
            // Each reads the clock at another time.
            move || {
                let times = (0..10_000).map(|step| next(arrivals, NOW_US + (step + offset) % 7));
                times.collect::<Vec<_>>()
            }
        };
        let mut all: Vec<i64> = thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|offset| scope.spawn(of_thread(offset)))
                .collect();
            let times = threads.into_iter().map(|thread| thread.join().unwrap());
            times
                .flat_map(|times| {
                    assert!(times.is_sorted_by(|a, b| a < b));
                    times
                })
                .collect()
        });
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 40_000);
    }
}
