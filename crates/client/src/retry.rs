//! The timing of retries: [`RetryPolicy`], and [`Backoff`], which computes the pauses.
//!
//! Callers decide what may be sent again. The commands use these types, too. `redis_link::Backoff` is separate: this
//! crate is for other programs, and depends on no crate of the service.

use std::time::Duration;

use tokio::time::{self, Instant};

const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// Counted from the first failure.
const GIVE_UP_AFTER: Duration = Duration::from_mins(1);

/// How often and how long failed requests are retried. Pauses double from the first to the longest. Each
/// is random, between half of that value and all of it, so that clients that failed together do not retry
/// together, and is never shorter than `Retry-After`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The pause before the first retry: 100 ms by default.
    pub first_pause: Duration,
    /// The longest pause: 5 s by default.
    pub longest_pause: Duration,
    /// The maximum time without progress: 1 min by default. Keep it below the `dedupe` of the kinds, so
    /// that ids are remembered for as long as requests are retried.
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
    /// Returns a policy without retries.
    #[must_use]
    pub fn none() -> Self {
        Self {
            give_up_after: Duration::ZERO,
            ..Self::default()
        }
    }
}

/// The pauses after one series of failures. After a success, begin with a new one.
#[derive(Debug)]
pub struct Backoff {
    policy: RetryPolicy,
    next: Duration,
    /// `None` if retries have no time limit.
    give_up_at: Option<Instant>,
}

impl Backoff {
    /// Begins a series of failures now.
    #[must_use]
    pub fn new(policy: RetryPolicy) -> Self {
        Self {
            policy,
            next: policy.first_pause,
            give_up_at: Instant::now().checked_add(policy.give_up_after),
        }
    }

    /// Returns the pause before the next attempt, or `None` if that would be after the time limit.
    pub fn next(&mut self, retry_after: Option<Duration>) -> Option<Duration> {
        let pause = self.next.mul_f64(f64::midpoint(1.0, random_share()));
        let pause = retry_after.map_or(pause, |least| least.saturating_add(pause));
        self.next = (self.next * 2).min(self.policy.longest_pause);
        let end = Instant::now().checked_add(pause);
        let in_time = match (end, self.give_up_at) {
            (_, None) => true,
            (None, _) => false,
            (Some(end), Some(give_up_at)) => end < give_up_at,
        };
        in_time.then_some(pause)
    }

    /// Waits until the next attempt. Returns false without waiting if there is none.
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

/// Returns a random number between 0 and 1, or 1 if no randomness is available: pauses are then not spread.
fn random_share() -> f64 {
    getrandom::u32().map_or(1.0, |random| f64::from(random) / f64::from(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_longest_with_jitter() {
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
    fn retry_after_is_respected_or_ends_the_retries() {
        let mut backoff = Backoff::new(RetryPolicy::default());
        assert!(backoff.next(Some(Duration::from_secs(7))).unwrap() >= Duration::from_secs(7));
        assert_eq!(backoff.next(Some(Duration::from_secs(61))), None);
    }

    #[test]
    fn a_policy_may_have_no_retries_or_no_time_limit() {
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
