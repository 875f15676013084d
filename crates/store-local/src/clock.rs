//! [`SteadyClock`]: the time of a local store, and what it does while the wall clock has jumped.
//!
//! What is written by a clock that has jumped is wrong for good: open windows close, results are reported as `final`
//! too early, ids are forgotten. So the wall clock is compared with the monotonic clock of the process. If it deviates
//! by more than a limit, in either direction, nothing is written, reads use the expected time, and the store is not
//! ready. The wall clock is trusted again when it returns, or when it has run steadily for a while after the jump.
//!
//! Below the limit the time stands still rather than go back.
//!
//! A start trusts the clock that it finds: a server that was down for a day looks the same as a clock that is a day
//! ahead. Only the sweep waits, since what it drops is gone for good: if the last write was long ago, until the clock
//! has run for the pause (until that is over, each restart begins the wait anew: `unconfirmed`); and while the clock
//! has jumped, which may be a correction of a clock that was wrong at the start. If the last write is dated ahead of
//! the clock, the next start cannot see that its clock is ahead: then each start waits, too. While it waits, ids are
//! judged by a time that has definitely passed: the last write, plus the time since the start.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use board::Timestamp;
use parking_lot::Mutex;

/// How far the wall clock may deviate from the expected time.
const JUMP_MAX: Duration = Duration::from_mins(1);

/// How far it may drift before the expected time is adjusted.
const DRIFT_MAX_US: u64 = 1_000_000;

/// A wall clock that is compared with the monotonic one.
#[derive(Debug)]
pub(super) struct SteadyClock {
    /// When it was created. All times here except those of the wall clock are by [`uptime`].
    began: Duration,
    /// Nothing is dropped before this.
    drops_from: Duration,
    /// A time that had definitely passed when it was created, in microseconds.
    trusted_us: i64,
    /// How long a clock that has jumped has to run steadily before it is trusted.
    pause: Duration,
    /// What the wall clock should have shown at `began`, in microseconds.
    expected_us: AtomicI64,
    /// The latest time that was returned.
    latest_us: AtomicI64,
    has_jumped: AtomicBool,
    jump: Mutex<Option<Jump>>,
}

/// A jump of the wall clock.
#[derive(Debug, Clone, Copy)]
struct Jump {
    /// What the wall clock would have shown at `began`, judged by what it shows since the jump.
    own_us: i64,
    seen: Duration,
}

/// The state of the wall clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClockState {
    /// It shows the expected time.
    Steady,
    /// It has run steadily since it jumped, and is trusted from now on.
    Followed,
    /// It deviates by this many microseconds.
    Jumped(i64),
}

impl SteadyClock {
    /// Creates a clock that trusts what the wall clock shows now.
    pub(super) fn from(own: Timestamp, now: Duration, pause: Duration) -> Self {
        Self {
            began: now,
            drops_from: now,
            trusted_us: own.micros(),
            pause,
            expected_us: AtomicI64::new(own.micros()),
            latest_us: AtomicI64::new(i64::MIN),
            has_jumped: AtomicBool::new(false),
            jump: Mutex::default(),
        }
    }

    /// Drops nothing for the pause if the wall clock is ahead of the last write. Returns whether it is.
    pub(super) fn wait_if_ahead_of(&mut self, last_write: Timestamp) -> bool {
        let began_at = Timestamp::from_micros(*self.expected_us.get_mut());
        let is_ahead = is_far_ahead(began_at, last_write);
        if is_ahead {
            tracing::info!(%last_write, "the last write was a while ago");
            self.wait(last_write);
        }
        is_ahead
    }

    /// Returns whether every clock is trusted immediately.
    pub(super) const fn trusts_any(&self) -> bool {
        self.pause.is_zero()
    }

    /// Drops nothing for the pause. `trusted` had passed when the clock was created, whatever the wall clock shows.
    pub(super) fn wait(&mut self, trusted: Timestamp) {
        let pause = self.pause;
        self.drops_from = self.began + pause;
        self.trusted_us = self.trusted_us.min(trusted.micros());
        tracing::info!(
            ?pause,
            "nothing is dropped until the clock has run for the pause"
        );
    }

    /// Returns whether expired data may be dropped: not during the pause after a start, nor while
    /// the clock deviates, since it may be the expected time that is wrong.
    pub(super) fn may_drop(&self, now: Duration) -> bool {
        now >= self.drops_from && !self.has_jumped.load(Ordering::Relaxed)
    }

    /// Returns the time up to which the clock is trusted while nothing may be dropped: a time that
    /// has definitely passed. Otherwise `None`.
    pub(super) fn trusted_until(&self, now: Duration) -> Option<Timestamp> {
        let expected_us = self.expected_us.load(Ordering::Relaxed);
        let over_us = self.trusted_us.min(expected_us);
        let until = Timestamp::from_micros(over_us.saturating_add(self.elapsed_us(now)));
        (!self.may_drop(now)).then_some(until)
    }

    /// Compares the wall clock with the expected time.
    pub(super) fn judge(&self, own: Timestamp, now: Duration) -> ClockState {
        let own_us = own.micros().saturating_sub(self.elapsed_us(now));
        let off_us = own_us.saturating_sub(self.expected_us.load(Ordering::Relaxed));
        if !is_jump(off_us) {
            // After the clock was set back, the expected time follows only once the time no longer
            // stands still: small steps add up.
            let stands_still = own.micros() < self.latest_us.load(Ordering::Relaxed);
            if off_us.unsigned_abs() > DRIFT_MAX_US && !stands_still {
                self.expected_us.store(own_us, Ordering::Relaxed);
            }
            if self.has_jumped.swap(false, Ordering::Relaxed) {
                *self.jump.lock() = None;
                tracing::info!("the clock shows the expected time again");
            }
            return ClockState::Steady;
        }
        let mut jump = self.jump.lock();
        let same = jump.filter(|jump| !is_jump(own_us.saturating_sub(jump.own_us)));
        let seen = same.map_or(now, |jump| jump.seen);
        if now.saturating_sub(seen) >= self.pause {
            *jump = None;
            self.expected_us.store(own_us, Ordering::Relaxed);
            self.latest_us.store(own.micros(), Ordering::Relaxed);
            self.has_jumped.store(false, Ordering::Relaxed);
            tracing::info!(
                off_us,
                "the clock has run steadily since it jumped: it is trusted again"
            );
            return ClockState::Followed;
        }
        if same.is_none() {
            *jump = Some(Jump { own_us, seen });
            self.has_jumped.store(true, Ordering::Relaxed);
            tracing::warn!("{}", self.rejection(off_us));
        }
        ClockState::Jumped(off_us)
    }

    /// Returns the time to use when the wall clock shows `own`.
    pub(super) fn time(&self, own: Timestamp, now: Duration) -> Timestamp {
        let time_us = match self.judge(own, now) {
            ClockState::Steady | ClockState::Followed => own.micros(),
            ClockState::Jumped(_) => {
                let expected_us = self.expected_us.load(Ordering::Relaxed);
                expected_us.saturating_add(self.elapsed_us(now))
            }
        };
        let latest_us = self.latest_us.fetch_max(time_us, Ordering::Relaxed);
        // A time returned before a jump that was accepted does not hold back the clock.
        let is_ahead = latest_us > time_us && !is_jump(latest_us.saturating_sub(time_us));
        Timestamp::from_micros(if is_ahead { latest_us } else { time_us })
    }

    /// Returns why nothing is written.
    pub(super) fn rejection(&self, off_us: i64) -> String {
        let (seconds, side) = (off_us.unsigned_abs() / 1_000_000, side_of(off_us));
        let pause = self.pause;
        format!(
            "this server's clock has jumped and is {seconds} s {side} what it should show: writes are rejected until \
 it is corrected, or has run steadily for {pause:?} (embedded.clock_pause)"
        )
    }

    fn elapsed_us(&self, now: Duration) -> i64 {
        let elapsed = now.saturating_sub(self.began);
        i64::try_from(elapsed.as_micros()).unwrap_or(i64::MAX)
    }
}

/// Returns how long the machine has run, by a clock that cannot be set. It includes the time during
/// which the system was suspended, where the system counts it, like the wall clock does.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn uptime() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    let since = Duration::try_from(time);
    since.expect("the uptime is not negative")
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn uptime() -> Duration {
    use std::sync::LazyLock;
    use std::time::Instant;
    static FIRST: LazyLock<Instant> = LazyLock::new(Instant::now);
    FIRST.elapsed()
}

const fn side_of(off_us: i64) -> &'static str {
    if off_us < 0 { "behind" } else { "ahead of" }
}

fn is_jump(off_us: i64) -> bool {
    u128::from(off_us.unsigned_abs()) > JUMP_MAX.as_micros()
}

/// Returns whether a time is ahead of another by more than a clock may jump.
pub(super) fn is_far_ahead(time: Timestamp, of: Timestamp) -> bool {
    let ahead_us = time.micros().saturating_sub(of.micros());
    ahead_us > 0 && is_jump(ahead_us)
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Timestamp = Timestamp::from_millis(1_795_186_342_123);
    const PAUSE: Duration = Duration::from_mins(10);
    const DAY_S: i64 = 86_400;

    struct TestClock {
        clock: SteadyClock,
    }

    /// When the process of the tests began.
    const BEGAN: Duration = Duration::from_hours(5);

    impl TestClock {
        fn new() -> Self {
            Self {
                clock: SteadyClock::from(START, BEGAN, PAUSE),
            }
        }

        /// Returns the state `second` seconds after the start of this process, when the wall clock
        /// is off by `off_s`, and the time to use, in seconds from the start.
        fn at(&self, second: i64, off_s: i64) -> (ClockState, i64) {
            let now = BEGAN + Duration::from_secs(second.unsigned_abs());
            let own = Timestamp::from_millis(START.millis() + (second + off_s) * 1000);
            let judged = self.clock.judge(own, now);
            let time = self.clock.time(own, now);
            (judged, (time.millis() - START.millis()) / 1000)
        }
    }

    #[test]
    fn a_clock_that_is_adjusted_a_little_is_followed_and_never_goes_back() {
        let clock = TestClock::new();
        assert_eq!(clock.at(1, 0), (ClockState::Steady, 1));
        assert_eq!(clock.at(2, 30), (ClockState::Steady, 32));
        assert_eq!(clock.at(3, 0), (ClockState::Steady, 32));
        assert_eq!(clock.at(40, 0), (ClockState::Steady, 40));
        // It drifts, in total by more than it may jump.
        for second in 40..20_000 {
            assert_eq!(clock.at(second, second / 100).0, ClockState::Steady);
        }
    }

    #[test]
    fn small_steps_back_that_add_up_are_a_jump() {
        let clock = TestClock::new();
        assert_eq!(clock.at(100, 0), (ClockState::Steady, 100));
        assert_eq!(clock.at(101, -40), (ClockState::Steady, 100));
        assert_eq!(clock.at(102, -80), (ClockState::Jumped(-80_000_000), 102));
        assert_eq!(clock.at(103, 0), (ClockState::Steady, 103));
        // Forward and back.
        assert_eq!(clock.at(104, 50), (ClockState::Steady, 154));
        assert_eq!(clock.at(105, 0), (ClockState::Steady, 154));
        assert_eq!(clock.at(106, -50), (ClockState::Jumped(-100_000_000), 156));
        assert_eq!(clock.at(200, 0), (ClockState::Steady, 200));
    }

    #[test]
    fn a_clock_that_jumps_is_not_trusted_until_it_is_back() {
        for off_s in [3 * DAY_S, 90, -90, -3 * DAY_S] {
            let clock = TestClock::new();
            assert_eq!(clock.at(1, 0), (ClockState::Steady, 1));
            for second in 2..600 {
                let expected = (ClockState::Jumped(off_s * 1_000_000), second);
                assert_eq!(clock.at(second, off_s), expected);
            }
            assert_eq!(clock.at(600, 0), (ClockState::Steady, 600));
            // A second jump starts a new pause.
            assert_eq!(
                clock.at(601, off_s).0,
                ClockState::Jumped(off_s * 1_000_000)
            );
            assert_eq!(
                clock.at(1_200, off_s).0,
                ClockState::Jumped(off_s * 1_000_000)
            );
        }
    }

    #[test]
    fn a_clock_that_runs_steadily_after_a_jump_is_trusted_after_the_pause() {
        for off_s in [3 * DAY_S, -3 * DAY_S] {
            let clock = TestClock::new();
            assert_eq!(
                clock.at(9, off_s),
                (ClockState::Jumped(off_s * 1_000_000), 9)
            );
            assert_eq!(
                clock.at(608, off_s),
                (ClockState::Jumped(off_s * 1_000_000), 608)
            );
            assert_eq!(clock.at(609, off_s), (ClockState::Followed, 609 + off_s));
            assert_eq!(clock.at(610, off_s), (ClockState::Steady, 610 + off_s));
            assert_eq!(clock.at(611, 0).0, ClockState::Jumped(-off_s * 1_000_000));
        }
    }

    #[test]
    fn a_clock_that_keeps_jumping_is_not_trusted() {
        let clock = TestClock::new();
        for second in 1..5_000 {
            let (judged, time) = clock.at(second, second * 600);
            assert_eq!(
                (judged, time),
                (ClockState::Jumped(second * 600_000_000), second)
            );
        }
    }

    #[test]
    fn without_a_pause_any_clock_is_trusted() {
        let mut clock = SteadyClock::from(START, BEGAN, Duration::ZERO);
        let own = Timestamp::from_millis(START.millis() + DAY_S * 1000);
        assert_eq!(clock.judge(own, BEGAN), ClockState::Followed);
        assert_eq!(clock.judge(own, BEGAN), ClockState::Steady);
        clock.wait_if_ahead_of(Timestamp::from_millis(0));
        assert!(clock.may_drop(BEGAN));
    }

    #[test]
    fn a_start_long_after_the_last_write_drops_nothing_for_the_pause() {
        let after = |last_write_s: i64| {
            let mut clock = SteadyClock::from(START, BEGAN, PAUSE);
            clock.wait_if_ahead_of(Timestamp::from_millis(START.millis() + last_write_s * 1000));
            clock
        };
        for last_write_s in [-30, 0, 30, DAY_S] {
            assert!(after(last_write_s).may_drop(BEGAN));
        }
        for last_write_s in [-90, -3 * DAY_S] {
            let clock = after(last_write_s);
            assert!(!clock.may_drop(BEGAN));
            assert!(!clock.may_drop(BEGAN + PAUSE.saturating_sub(Duration::from_millis(1))));
            assert!(clock.may_drop(BEGAN + PAUSE));
        }
    }

    #[test]
    fn a_start_by_a_wrong_clock_that_is_corrected_drops_nothing_by_it() {
        let mut clock = SteadyClock::from(START, BEGAN, PAUSE);
        clock.wait_if_ahead_of(Timestamp::from_millis(START.millis() - 3 * DAY_S * 1000));
        // Set back by three days two minutes later, it is trusted after the pause: two minutes
        // after that of the start.
        for second in [0, 60, 119, 120, 599, 600, 660, 719] {
            let now = BEGAN + Duration::from_secs(second);
            let off_s = if second < 120 { 0 } else { -3 * DAY_S };
            let own_s = i64::try_from(second).unwrap() + off_s;
            clock.judge(Timestamp::from_millis(START.millis() + own_s * 1000), now);
            assert!(!clock.may_drop(now), "after {second} s");
        }
        let now = BEGAN + Duration::from_mins(12);
        let own = Timestamp::from_millis(START.millis() + (720 - 3 * DAY_S) * 1000);
        assert_eq!(clock.judge(own, now), ClockState::Followed);
        assert!(clock.may_drop(now));
    }

    #[test]
    fn the_trusted_time_runs_on_from_the_last_write_while_nothing_is_dropped() {
        let after = |seconds| START.plus(Duration::from_secs(seconds));
        let mut clock = SteadyClock::from(START, BEGAN, PAUSE);
        assert_eq!(clock.trusted_until(BEGAN), None);
        clock.wait_if_ahead_of(START.minus(Duration::from_hours(1)));
        let at = |seconds| clock.trusted_until(BEGAN + Duration::from_secs(seconds));
        let hour = Duration::from_hours(1);
        for second in [0, 1, 599] {
            assert_eq!(at(second), Some(after(second).minus(hour)));
        }
        assert_eq!(at(600), None);
        // It jumps during the run.
        let now = BEGAN + Duration::from_secs(700);
        clock.judge(after(700).plus(hour * 72), now);
        assert_eq!(at(700), Some(after(700).minus(hour)));
    }

    #[test]
    fn the_uptime_increases() {
        let first = uptime();
        assert!(uptime() >= first);
    }
}
