//! When to send again: [`Patience`], how long it lasts, and [`Pauses`], the pauses in between.
//!
//! What may be sent again is the command's to know.

use std::time::{Duration, Instant};

const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// Without any progress, counted from the first failure on.
const GIVE_UP_AFTER: Duration = Duration::from_mins(1);

/// How often and how long to try.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    pub(crate) first_pause: Duration,
    pub(crate) longest_pause: Duration,
    pub(crate) give_up_after: Duration,
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

/// The pauses of one stall. Progress ends a stall; the next begins with new pauses.
pub(crate) struct Pauses {
    patience: Patience,
    next: Duration,
    give_up_at: Instant,
}

impl Pauses {
    pub(crate) fn new(patience: Patience) -> Self {
        let give_up_at = Instant::now() + patience.give_up_after;
        Self {
            patience,
            next: patience.first_pause,
            give_up_at,
        }
    }

    /// How long to wait before the next attempt; none when that would be too late. Never shorter
    /// than the server asks for.
    pub(crate) fn next(&mut self, retry_after: Option<Duration>) -> Option<Duration> {
        // Half of the pause is drawn, so that clients that failed together do not return together.
        let pause = self.next.mul_f64(f64::midpoint(1.0, random_share()));
        let pause = retry_after.map_or(pause, |asked| asked + pause);
        self.next = (self.next * 2).min(self.patience.longest_pause);
        (Instant::now() + pause < self.give_up_at).then_some(pause)
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
}
