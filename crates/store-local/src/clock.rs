//! The time of a store in this process while its clock jumps: [`SteadyClock`].
//!
//! What is written by a clock that has jumped is wrong for good: windows close that are open, `final` is
//! said too early, ids are forgotten. So the wall clock is held against the monotonic clock of the process.
//! Where it has left that by more than a limit, either way, nothing is written, reads go by the time that
//! should be, and the store is not ready. When the wall clock comes back, or has gone on for a while from
//! where it went, it is gone by again.
//!
//! Below the limit the time stands still rather than goes back.
//!
//! A start goes by the time that it finds, which may be any: that a server was down for a day is as usual as
//! a clock that is a day ahead. The sweep alone waits, since it drops for good: where the last write was long
//! before, until the clock has gone on for the pause (until that is over, each start begins to wait anew:
//! `unconfirmed`); and while the clock has jumped, which may be from a wrong start to what is right. A last write
//! that is dated ahead of the clock hides from the next start that its clock is ahead: then each start waits, too.
//! While it waits, ids are judged by what is surely over: the last write, and the time that has gone by since the start.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use board::Timestamp;
use parking_lot::Mutex;

/// How far the wall clock may be from what is expected of it.
const JUMP_MAX: Duration = Duration::from_mins(1);

/// How far it drifts from what is expected before that follows it.
const DRIFT_MAX_MS: u64 = 1_000;

/// A wall clock that is held against the monotonic one.
#[derive(Debug)]
pub(super) struct SteadyClock {
    /// When it was made, as all times here but those of the wall clock: by [`uptime`].
    began: Duration,
    /// Before that nothing is dropped.
    drops_from: Duration,
    /// A time that was surely over when it began, in milliseconds.
    surely_ms: i64,
    /// How long a clock that has jumped has to go on from there.
    pause: Duration,
    /// What the wall clock should have shown at `began`, in milliseconds.
    expected_ms: AtomicI64,
    /// The latest time that was told.
    latest_ms: AtomicI64,
    has_jumped: AtomicBool,
    jump: Mutex<Option<Jump>>,
}

/// Where a jump was first seen.
#[derive(Debug, Clone, Copy)]
struct Jump {
    /// What the wall clock showed since then, had it shown it at `began`.
    own_ms: i64,
    seen: Duration,
}

/// What there is to say of the wall clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Judged {
    /// It shows what is expected.
    Steady,
    /// It has stayed where it jumped to, and is gone by from now on.
    Followed,
    /// It has jumped by so many milliseconds.
    Jumped(i64),
}

impl SteadyClock {
    /// One that goes by what the wall clock shows now.
    pub(super) fn from(own: Timestamp, now: Duration, pause: Duration) -> Self {
        Self {
            began: now,
            drops_from: now,
            surely_ms: own.millis(),
            pause,
            expected_ms: AtomicI64::new(own.millis()),
            latest_ms: AtomicI64::new(i64::MIN),
            has_jumped: AtomicBool::new(false),
            jump: Mutex::default(),
        }
    }

    /// Drops nothing for the pause, where the wall clock was ahead of the last write when it began. Whether it was.
    pub(super) fn wait_where_ahead_of(&mut self, last_write: Timestamp) -> bool {
        let began_at = Timestamp::from_millis(*self.expected_ms.get_mut());
        let is_ahead = is_far_ahead(began_at, last_write);
        if is_ahead {
            tracing::info!(%last_write, "the last write is a while ago");
            self.wait(last_write);
        }
        is_ahead
    }

    /// Whether any clock is gone by at once.
    pub(super) const fn trusts_any(&self) -> bool {
        self.pause.is_zero()
    }

    /// Drops nothing for the pause. `surely` was over when it began, whatever the wall clock shows.
    pub(super) fn wait(&mut self, surely: Timestamp) {
        let pause = self.pause;
        self.drops_from = self.began + pause;
        self.surely_ms = self.surely_ms.min(surely.millis());
        tracing::info!(
            ?pause,
            "nothing is dropped until the clock has gone on for the pause"
        );
    }

    /// Whether what is past its time may be dropped: not before the pause of a start is over, nor while the clock is
    /// not where it is expected, since it may be the expectation that is wrong.
    pub(super) fn may_drop(&self, now: Duration) -> bool {
        now >= self.drops_from && !self.has_jumped.load(Ordering::Relaxed)
    }

    /// Up to when it may be trusted while nothing may be dropped: a time that is surely over. Otherwise `None`.
    pub(super) fn trusted_until(&self, now: Duration) -> Option<Timestamp> {
        let expected_ms = self.expected_ms.load(Ordering::Relaxed);
        let over_ms = self.surely_ms.min(expected_ms);
        let until = Timestamp::from_millis(over_ms.saturating_add(self.elapsed_ms(now)));
        (!self.may_drop(now)).then_some(until)
    }

    /// Judges what the wall clock shows.
    pub(super) fn judge(&self, own: Timestamp, now: Duration) -> Judged {
        let own_ms = own.millis().saturating_sub(self.elapsed_ms(now));
        let off_ms = own_ms.saturating_sub(self.expected_ms.load(Ordering::Relaxed));
        if !is_jump(off_ms) {
            // Where it was set back, the expectation follows once the time no longer stands still: small steps add up.
            let stands_still = own.millis() < self.latest_ms.load(Ordering::Relaxed);
            if off_ms.unsigned_abs() > DRIFT_MAX_MS && !stands_still {
                self.expected_ms.store(own_ms, Ordering::Relaxed);
            }
            if self.has_jumped.swap(false, Ordering::Relaxed) {
                *self.jump.lock() = None;
                tracing::info!("the clock is as expected again");
            }
            return Judged::Steady;
        }
        let mut jump = self.jump.lock();
        let same = jump.filter(|jump| !is_jump(own_ms.saturating_sub(jump.own_ms)));
        let seen = same.map_or(now, |jump| jump.seen);
        if now.saturating_sub(seen) >= self.pause {
            *jump = None;
            self.expected_ms.store(own_ms, Ordering::Relaxed);
            self.latest_ms.store(own.millis(), Ordering::Relaxed);
            self.has_jumped.store(false, Ordering::Relaxed);
            tracing::info!(
                off_ms,
                "the clock has stayed where it jumped to: it is gone by"
            );
            return Judged::Followed;
        }
        if same.is_none() {
            *jump = Some(Jump { own_ms, seen });
            self.has_jumped.store(true, Ordering::Relaxed);
            tracing::warn!("{}", self.trouble(off_ms));
        }
        Judged::Jumped(off_ms)
    }

    /// The time to go by where the wall clock shows `own`.
    pub(super) fn time(&self, own: Timestamp, now: Duration) -> Timestamp {
        let time_ms = match self.judge(own, now) {
            Judged::Steady | Judged::Followed => own.millis(),
            Judged::Jumped(_) => {
                let expected_ms = self.expected_ms.load(Ordering::Relaxed);
                expected_ms.saturating_add(self.elapsed_ms(now))
            }
        };
        let latest_ms = self.latest_ms.fetch_max(time_ms, Ordering::Relaxed);
        // A time told before a jump that was followed holds nobody up.
        let is_ahead = latest_ms > time_ms && !is_jump(latest_ms.saturating_sub(time_ms));
        Timestamp::from_millis(if is_ahead { latest_ms } else { time_ms })
    }

    /// Why nothing is written.
    pub(super) fn trouble(&self, off_ms: i64) -> String {
        let (seconds, side) = (off_ms.unsigned_abs() / 1000, side_of(off_ms));
        let pause = self.pause;
        format!(
            "this server's clock has jumped and is {seconds} s {side} what it should show: nothing is written until \
             it is right, or has gone on from there for {pause:?} (embedded.clock_pause)"
        )
    }

    fn elapsed_ms(&self, now: Duration) -> i64 {
        let elapsed = now.saturating_sub(self.began);
        i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX)
    }
}

/// How long the machine has run, by a clock that nobody sets. Where the system counts the time that it was
/// suspended, so does this: the wall clock goes on in it.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn uptime() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    let since = Duration::try_from(time);
    since.expect("the machine has not run for less than nothing")
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn uptime() -> Duration {
    use std::sync::LazyLock;
    use std::time::Instant;
    static FIRST: LazyLock<Instant> = LazyLock::new(Instant::now);
    FIRST.elapsed()
}

const fn side_of(off_ms: i64) -> &'static str {
    if off_ms < 0 { "behind" } else { "ahead of" }
}

fn is_jump(off_ms: i64) -> bool {
    u128::from(off_ms.unsigned_abs()) > JUMP_MAX.as_millis()
}

/// Whether a time is ahead of another by more than a clock may jump.
pub(super) fn is_far_ahead(time: Timestamp, of: Timestamp) -> bool {
    let ahead_ms = time.millis().saturating_sub(of.millis());
    ahead_ms > 0 && is_jump(ahead_ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Timestamp = Timestamp::from_millis(1_795_186_342_123);
    const PAUSE: Duration = Duration::from_mins(10);
    const DAY_S: i64 = 86_400;

    struct Asking {
        clock: SteadyClock,
    }

    /// When the process of the tests began.
    const BEGAN: Duration = Duration::from_hours(5);

    impl Asking {
        fn new() -> Self {
            Self {
                clock: SteadyClock::from(START, BEGAN, PAUSE),
            }
        }

        /// What it says at so many seconds of this process when the wall clock is so far off: and the time to go by,
        /// in seconds from the start.
        fn at(&self, second: i64, off_s: i64) -> (Judged, i64) {
            let now = BEGAN + Duration::from_secs(second.unsigned_abs());
            let own = Timestamp::from_millis(START.millis() + (second + off_s) * 1000);
            let judged = self.clock.judge(own, now);
            let time = self.clock.time(own, now);
            (judged, (time.millis() - START.millis()) / 1000)
        }
    }

    #[test]
    fn a_clock_that_is_set_a_little_is_followed_and_never_goes_back() {
        let asking = Asking::new();
        assert_eq!(asking.at(1, 0), (Judged::Steady, 1));
        assert_eq!(asking.at(2, 30), (Judged::Steady, 32));
        assert_eq!(asking.at(3, 0), (Judged::Steady, 32));
        assert_eq!(asking.at(40, 0), (Judged::Steady, 40));
        // It drifts, in the end by more than it may jump.
        for second in 40..20_000 {
            assert_eq!(asking.at(second, second / 100).0, Judged::Steady);
        }
    }

    #[test]
    fn small_steps_back_that_add_up_are_a_jump() {
        let asking = Asking::new();
        assert_eq!(asking.at(100, 0), (Judged::Steady, 100));
        assert_eq!(asking.at(101, -40), (Judged::Steady, 100));
        assert_eq!(asking.at(102, -80), (Judged::Jumped(-80_000), 102));
        assert_eq!(asking.at(103, 0), (Judged::Steady, 103));
        // Forth and back.
        assert_eq!(asking.at(104, 50), (Judged::Steady, 154));
        assert_eq!(asking.at(105, 0), (Judged::Steady, 154));
        assert_eq!(asking.at(106, -50), (Judged::Jumped(-100_000), 156));
        assert_eq!(asking.at(200, 0), (Judged::Steady, 200));
    }

    #[test]
    fn one_that_jumps_is_not_gone_by_until_it_is_back() {
        for off_s in [3 * DAY_S, 90, -90, -3 * DAY_S] {
            let asking = Asking::new();
            assert_eq!(asking.at(1, 0), (Judged::Steady, 1));
            for second in 2..600 {
                let expected = (Judged::Jumped(off_s * 1000), second);
                assert_eq!(asking.at(second, off_s), expected);
            }
            assert_eq!(asking.at(600, 0), (Judged::Steady, 600));
            // A second jump has a pause of its own.
            assert_eq!(asking.at(601, off_s).0, Judged::Jumped(off_s * 1000));
            assert_eq!(asking.at(1_200, off_s).0, Judged::Jumped(off_s * 1000));
        }
    }

    #[test]
    fn one_that_stays_is_gone_by_after_the_pause() {
        for off_s in [3 * DAY_S, -3 * DAY_S] {
            let asking = Asking::new();
            assert_eq!(asking.at(9, off_s), (Judged::Jumped(off_s * 1000), 9));
            assert_eq!(asking.at(608, off_s), (Judged::Jumped(off_s * 1000), 608));
            assert_eq!(asking.at(609, off_s), (Judged::Followed, 609 + off_s));
            assert_eq!(asking.at(610, off_s), (Judged::Steady, 610 + off_s));
            assert_eq!(asking.at(611, 0).0, Judged::Jumped(-off_s * 1000));
        }
    }

    #[test]
    fn one_that_wanders_is_not_gone_by() {
        let asking = Asking::new();
        for second in 1..5_000 {
            let (judged, time) = asking.at(second, second * 600);
            assert_eq!((judged, time), (Judged::Jumped(second * 600_000), second));
        }
    }

    #[test]
    fn without_a_pause_any_clock_is_gone_by() {
        let mut clock = SteadyClock::from(START, BEGAN, Duration::ZERO);
        let own = Timestamp::from_millis(START.millis() + DAY_S * 1000);
        assert_eq!(clock.judge(own, BEGAN), Judged::Followed);
        assert_eq!(clock.judge(own, BEGAN), Judged::Steady);
        clock.wait_where_ahead_of(Timestamp::from_millis(0));
        assert!(clock.may_drop(BEGAN));
    }

    #[test]
    fn a_start_long_after_the_last_write_drops_nothing_for_the_pause() {
        let after = |last_write_s: i64| {
            let mut clock = SteadyClock::from(START, BEGAN, PAUSE);
            clock.wait_where_ahead_of(Timestamp::from_millis(START.millis() + last_write_s * 1000));
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
    fn a_start_by_a_wrong_clock_that_is_set_right_drops_nothing_by_it() {
        let mut clock = SteadyClock::from(START, BEGAN, PAUSE);
        clock.wait_where_ahead_of(Timestamp::from_millis(START.millis() - 3 * DAY_S * 1000));
        // Set back by three days two minutes later, it is gone by after the pause: two minutes after that of the start.
        for second in [0, 60, 119, 120, 599, 600, 660, 719] {
            let now = BEGAN + Duration::from_secs(second);
            let off_s = if second < 120 { 0 } else { -3 * DAY_S };
            let own_s = i64::try_from(second).unwrap() + off_s;
            clock.judge(Timestamp::from_millis(START.millis() + own_s * 1000), now);
            assert!(!clock.may_drop(now), "after {second} s");
        }
        let now = BEGAN + Duration::from_mins(12);
        let own = Timestamp::from_millis(START.millis() + (720 - 3 * DAY_S) * 1000);
        assert_eq!(clock.judge(own, now), Judged::Followed);
        assert!(clock.may_drop(now));
    }

    #[test]
    fn what_is_surely_over_goes_on_from_the_last_write_while_nothing_is_dropped() {
        let after = |seconds| START.plus(Duration::from_secs(seconds));
        let mut clock = SteadyClock::from(START, BEGAN, PAUSE);
        assert_eq!(clock.trusted_until(BEGAN), None);
        clock.wait_where_ahead_of(START.minus(Duration::from_hours(1)));
        let at = |seconds| clock.trusted_until(BEGAN + Duration::from_secs(seconds));
        let hour = Duration::from_hours(1);
        for second in [0, 1, 599] {
            assert_eq!(at(second), Some(after(second).minus(hour)));
        }
        assert_eq!(at(600), None);
        // It jumps while it runs.
        let now = BEGAN + Duration::from_secs(700);
        clock.judge(after(700).plus(hour * 72), now);
        assert_eq!(at(700), Some(after(700).minus(hour)));
    }

    #[test]
    fn the_machine_runs_on() {
        let first = uptime();
        assert!(uptime() >= first);
    }
}
