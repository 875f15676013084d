//! When to try again: [`Patience`], how long it lasts, and [`Pauses`], the pauses in between.
//!
//! What may be sent again is not known here.

use std::time::Duration;

use tokio::time::{self, Instant};

const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// Counted from the first failure on.
const GIVE_UP_AFTER: Duration = Duration::from_mins(1);

/// How often and how long to try. Pauses double from the first to the longest, and are drawn from
/// their upper half, so that clients that failed together do not come back together. They are never
/// shorter than the server asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// Before the first time that something is tried again: 100 ms unless told otherwise.
    pub first_pause: Duration,
    /// The longest pause: 5 s unless told otherwise.
    pub longest_pause: Duration,
    /// How long without any progress: 1 min unless told otherwise. Keep it below the `dedupe` of
    /// the kinds, so that ids are remembered for as long as something is tried.
    pub give_up_after: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            first_pause: FIRST_PAUSE,
            longest_pause: LONGEST_PAUSE,
            give_up_after: GIVE_UP_AFTER,
        }
    }
}

impl Patience {
    /// Everything is tried once.
    #[must_use]
    pub fn none() -> Self {
        Self {
            give_up_after: Duration::ZERO,
            ..Self::default()
        }
    }
}

/// The pauses of one stall, also for whoever sends by other means. Progress ends a stall; the next begins with
/// new pauses.
#[derive(Debug)]
pub struct Pauses {
    patience: Patience,
    next: Duration,
    /// None where there is no end.
    give_up_at: Option<Instant>,
}

impl Pauses {
    /// Those of a stall that begins now.
    #[must_use]
    pub fn new(patience: Patience) -> Self {
        Self {
            patience,
            next: patience.first_pause,
            give_up_at: Instant::now().checked_add(patience.give_up_after),
        }
    }

    /// How long to wait before the next attempt; none when that would be too late.
    pub fn next(&mut self, retry_after: Option<Duration>) -> Option<Duration> {
        let pause = self.next.mul_f64(f64::midpoint(1.0, random_share()));
        let pause = retry_after.map_or(pause, |asked| asked.saturating_add(pause));
        self.next = (self.next * 2).min(self.patience.longest_pause);
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
        let mut pauses = Pauses::new(Patience::default());
        for expected in [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000] {
            let pause = pauses.next(None).unwrap();
            let longest = Duration::from_millis(expected);
            assert!(
                pause >= longest / 2 && pause <= longest,
                "{pause:?} for {expected}"
            );
        }
    }

    #[test]
    fn the_server_is_left_alone_as_long_as_it_asks_or_for_good() {
        let mut pauses = Pauses::new(Patience::default());
        assert!(pauses.next(Some(Duration::from_secs(7))).unwrap() >= Duration::from_secs(7));
        assert_eq!(pauses.next(Some(Duration::from_secs(61))), None);
    }

    #[test]
    fn patience_may_be_none_or_without_end() {
        assert_eq!(Pauses::new(Patience::none()).next(None), None);
        let endless = Patience {
            give_up_after: Duration::MAX,
            ..Patience::default()
        };
        assert!(
            Pauses::new(endless)
                .next(Some(Duration::from_hours(9)))
                .is_some()
        );
    }
}
