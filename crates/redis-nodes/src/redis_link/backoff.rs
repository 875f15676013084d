//! Pauses between attempts: [`Backoff`]. They grow, and are random, so that clients do not retry in
//! step.

use std::time::Duration;

/// The pauses between the attempts of one operation.
#[derive(Debug, Clone)]
pub struct Backoff {
    next: Duration,
    longest: Duration,
}

impl Backoff {
    /// Creates pauses that begin at `first` and double up to `longest`.
    #[must_use]
    pub const fn new(first: Duration, longest: Duration) -> Self {
        Self {
            next: first,
            longest,
        }
    }

    /// Returns the next pause: between half and all of a time that doubles up to the longest.
    pub fn next_pause(&mut self) -> Duration {
        let whole = self.next;
        self.next = (whole * 2).min(self.longest);
        // Without randomness clients may retry in step, which does no lasting harm.
        let dice = getrandom::u32().unwrap_or(u32::MAX);
        whole / 2 + (whole / 2).mul_f64(f64::from(dice) / f64::from(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_longest() {
        let mut pause = Backoff::new(Duration::from_millis(4), Duration::from_millis(10));
        for whole in [4, 8, 10, 10] {
            let next = pause.next_pause();
            let whole = Duration::from_millis(whole);
            assert!(next >= whole / 2 && next <= whole, "{next:?} of {whole:?}");
        }
    }
}
