//! When to try again: [`RetryPolicy`], how often and how long, and [`Backoff`], the pauses in between.
//!
//! What may be sent again is not known here. The commands use these too. `redis_link::Backoff` is another: this crate
//! is for others, who have no Redis, and depends on none of the service's crates.

use std::time::Duration;

use tokio::time::{self, Instant};

const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// Counted from the first failure on.
const GIVE_UP_AFTER: Duration = Duration::from_mins(1);

/// How often and how long to try. Backoff double from the first to the longest, and are drawn from
/// their upper half, so that clients that failed together do not come back together. They are never
/// shorter than the server asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Before the first time that something is tried again: 100 ms by default.
    pub first_pause: Duration,
    /// The longest pause: 5 s by default.
    pub longest_pause: Duration,
    /// How long without any progress: 1 min by default. Keep it below the `dedupe` of
    /// the kinds, so that ids are remembered for as long as something is tried.
    pub give_up_after: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            first_pause: FIRST_PAUSE,
            longest_pause: LONGEST_PAUSE,
            give_up_after: GIVE_UP_AFTER,
        }
    }
}

impl RetryPolicy {
    /// Everything is tried once.
    #[must_use]
    pub fn none() -> Self {
        Self {
            give_up_after: Duration::ZERO,
            ..Self::default()
        }
    }
}

/// The pauses of one series of failures. After a success the next series begins with a new one.
#[derive(Debug)]
pub struct Backoff {
    policy: RetryPolicy,
    next: Duration,
    /// None where there is no end.
    give_up_at: Option<Instant>,
}

impl Backoff {
    /// The pauses of a series that begins now.
    #[must_use]
    pub fn new(policy: RetryPolicy) -> Self {
        Self {
            policy,
            next: policy.first_pause,
            give_up_at: Instant::now().checked_add(policy.give_up_after),
        }
    }

    /// How long to wait before the next attempt; none when that would be too late.
    pub fn next(&mut self, retry_after: Option<Duration>) -> Option<Duration> {
        let pause = self.next.mul_f64(f64::midpoint(1.0, random_share()));
        let pause = retry_after.map_or(pause, |asked| asked.saturating_add(pause));
        self.next = (self.next * 2).min(self.policy.longest_pause);
        let end = Instant::now().checked_add(pause);
        let in_time = match (end, self.give_up_at) {
            (_, None) => true,
            (None, _) => false,
            (Some(end), Some(give_up_at)) => end < give_up_at,
        };
        in_time.then_some(pause)
    }

    /// Waits for the time of the next attempt; false when there is to be none.
    pub(crate) async fn wait(&mut self, retry_after: Option<Duration>) -> bool {
        match self.next(retry_after) {
            Some(pause) => {
                time::sleep(pause).await;
                true
            }
            None => false,
        }
    }
}

/// Between 0 and 1. Without a source of randomness the pauses are merely less spread.
fn random_share() -> f64 {
    getrandom::u32().map_or(1.0, |random| f64::from(random) / f64::from(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_longest_and_are_drawn_from_their_upper_half() {
        let mut backoff = Backoff::new(RetryPolicy::default());
        for expected in [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000] {
            let pause = backoff.next(None).unwrap();
            let longest = Duration::from_millis(expected);
            assert!(
                pause >= longest / 2 && pause <= longest,
                "{pause:?} for {expected}"
            );
        }
    }

    #[test]
    fn the_server_is_left_alone_as_long_as_it_asks_or_for_good() {
        let mut backoff = Backoff::new(RetryPolicy::default());
        assert!(backoff.next(Some(Duration::from_secs(7))).unwrap() >= Duration::from_secs(7));
        assert_eq!(backoff.next(Some(Duration::from_secs(61))), None);
    }

    #[test]
    fn a_policy_may_allow_no_retry_or_be_without_end() {
        assert_eq!(Backoff::new(RetryPolicy::none()).next(None), None);
        let endless = RetryPolicy {
            give_up_after: Duration::MAX,
            ..RetryPolicy::default()
        };
        assert!(
            Backoff::new(endless)
                .next(Some(Duration::from_hours(9)))
                .is_some()
        );
    }
}
