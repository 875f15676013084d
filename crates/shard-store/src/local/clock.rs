//! Whether the clock is trusted by the sweep: [`ClockGuard`].
//!
//! The sweep drops what is past its time for good. A clock that jumps ahead by days would have it drop
//! every window that is kept for fewer, so the wall clock is held against two others: the monotonic
//! clock of this process, and at a start the last time that the store was written at. Where it is ahead
//! of what they expect, nothing is dropped until it has stood there for a while.

use std::time::{Duration, Instant};

use board::Timestamp;
use parking_lot::Mutex;

/// How far the wall clock may be ahead of what was expected.
const AHEAD_MAX: Duration = Duration::from_mins(1);

/// Trusts a clock that does what is expected of it.
#[derive(Debug)]
pub(super) struct ClockGuard {
    /// How long a clock that has jumped ahead has to go on from there.
    pause: Duration,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The last time that was trusted. `None`: nothing was ever written, so nothing can be lost.
    trusted: Option<Moment>,
    /// Where a clock that is ahead of it was first seen.
    suspected: Option<Moment>,
}

/// One moment by both clocks.
#[derive(Debug, Clone, Copy)]
struct Moment {
    wall: Timestamp,
    monotonic: Instant,
}

impl Moment {
    /// What the wall clock should say at a later moment.
    fn expected(self, monotonic: Instant) -> Timestamp {
        self.wall
            .plus(monotonic.saturating_duration_since(self.monotonic))
    }
}

impl ClockGuard {
    /// A guard for a store that was last written at a time, by the wall clock; none without contents.
    pub(super) fn new(pause: Duration, last_write: Option<Timestamp>, monotonic: Instant) -> Self {
        let trusted = last_write.map(|wall| Moment { wall, monotonic });
        let state = State {
            trusted,
            suspected: None,
        };
        Self {
            pause,
            state: Mutex::new(state),
        }
    }

    /// Goes by a clock from here on.
    pub(super) fn trust(&self, wall: Timestamp, monotonic: Instant) {
        *self.state.lock() = State {
            trusted: Some(Moment { wall, monotonic }),
            suspected: None,
        };
    }

    /// Whether what is past its time by the wall clock may be dropped now.
    pub(super) fn trusts(&self, wall: Timestamp, monotonic: Instant) -> bool {
        let now = Moment { wall, monotonic };
        let mut state = self.state.lock();
        let Some(trusted) = state.trusted else {
            state.trusted = Some(now);
            return true;
        };
        let expected = trusted.expected(monotonic);
        // One that is behind drops nothing too early.
        if wall <= expected.plus(AHEAD_MAX) {
            if state.suspected.is_some() {
                tracing::info!("the clock is as expected again: what is past its time is dropped");
            }
            *state = State {
                trusted: Some(now),
                suspected: None,
            };
            return true;
        }
        let same = state.suspected.filter(|suspected| {
            let expected = suspected.expected(monotonic);
            wall <= expected.plus(AHEAD_MAX) && expected <= wall.plus(AHEAD_MAX)
        });
        let since = same.map_or(monotonic, |suspected| suspected.monotonic);
        if monotonic.saturating_duration_since(since) >= self.pause {
            if same.is_some() {
                tracing::info!("the clock has stayed ahead: what is past its time is dropped");
            }
            *state = State {
                trusted: Some(now),
                suspected: None,
            };
            return true;
        }
        if same.is_none() {
            let ahead_ms = wall.millis().saturating_sub(expected.millis());
            tracing::warn!(
                ahead_ms,
                pause = ?self.pause,
                "the clock is ahead of what was expected by the last write or by this process: \
                 nothing is dropped until it has stayed there for the pause (embedded.clock_pause)"
            );
            state.suspected = Some(now);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_795_186_342_123);
    const PAUSE: Duration = Duration::from_mins(10);
    const MINUTE: Duration = Duration::from_mins(1);
    const DAY: Duration = Duration::from_hours(24);

    /// Asks a guard at so many minutes of this process, when the clock is so far ahead.
    struct Asking {
        guard: ClockGuard,
        began: Instant,
    }

    impl Asking {
        fn of(last_write: Option<Timestamp>) -> Self {
            let began = Instant::now();
            Self {
                guard: ClockGuard::new(PAUSE, last_write, began),
                began,
            }
        }

        fn at(&self, minute: u32, ahead: Duration) -> bool {
            let since = MINUTE * minute;
            let wall = NOW.plus(since).plus(ahead);
            self.guard.trusts(wall, self.began + since)
        }
    }

    #[test]
    fn a_clock_that_goes_as_it_should_is_trusted() {
        for last_write in [None, Some(NOW), Some(NOW.plus(DAY))] {
            let asking = Asking::of(last_write);
            assert!((0..10_000).all(|minute| asking.at(minute, Duration::ZERO)));
        }
        // As is one that goes a little too fast, or is set by less than a minute.
        let asking = Asking::of(Some(NOW));
        for minute in 0..10_000 {
            assert!(asking.at(minute, MINUTE * minute / 100));
        }
    }

    #[test]
    fn one_that_jumps_ahead_and_comes_back_is_trusted_again_at_once() {
        let asking = Asking::of(Some(NOW));
        assert!(asking.at(1, Duration::ZERO));
        for minute in 2..11 {
            assert!(!asking.at(minute, DAY * 3));
        }
        assert!(asking.at(12, Duration::ZERO));
        assert!(
            !asking.at(13, DAY * 3),
            "a second jump has a pause of its own"
        );
        assert!(!asking.at(22, DAY * 3));
        assert!(asking.at(23, DAY * 3));
    }

    #[test]
    fn one_that_stays_ahead_is_trusted_after_the_pause() {
        let asking = Asking::of(Some(NOW));
        assert!(!asking.at(0, DAY));
        assert!(!asking.at(9, DAY));
        assert!(asking.at(10, DAY));
        assert!(asking.at(11, DAY));
        assert!(!asking.at(12, DAY * 2));
    }

    #[test]
    fn one_that_wanders_is_not_trusted() {
        let asking = Asking::of(Some(NOW));
        for minute in 1..100 {
            assert!(!asking.at(minute, DAY * minute));
        }
    }

    #[test]
    fn at_a_start_the_last_write_is_held_against_it() {
        let asking = Asking::of(Some(NOW));
        assert!(!asking.at(2, DAY));
        let empty = Asking::of(None);
        assert!(empty.at(2, DAY), "nothing can be lost");
        assert!(!empty.at(3, DAY * 3), "from then on something can");
    }

    #[test]
    fn without_a_pause_any_clock_is_trusted() {
        let began = Instant::now();
        let guard = ClockGuard::new(Duration::ZERO, Some(NOW), began);
        assert!(guard.trusts(NOW.plus(DAY), began));
        assert!(guard.trusts(NOW.plus(DAY * 9), began));
    }
}
