//! When requests are due: [`Pace`], an open loop.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// Requests at even distances from a beginning on.
pub(super) struct Pace {
    begun: Instant,
    distance: Duration,
    given: u32,
    last: u32,
    over: Instant,
}

impl Pace {
    /// `rate` requests a second for so long; none where the rate is 0.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "rates and durations are no negative numbers; what is beyond a u32 stops there"
    )]
    pub(super) fn new(rate: f64, duration: Duration) -> Self {
        let begun = Instant::now();
        Self {
            begun,
            over: begun + duration,
            distance: Duration::from_secs_f64(if rate > 0.0 { rate.recip() } else { 0.0 }),
            given: 0,
            last: (rate * duration.as_secs_f64()).round() as u32,
        }
    }

    /// How many requests were planned.
    pub(super) const fn planned(&self) -> u32 {
        self.last
    }

    /// When it ends.
    pub(super) const fn over(&self) -> Instant {
        self.over
    }

    /// Waits until the next request is due, and says from when on its latency counts; none after the
    /// last. A request whose time has passed is due at once, and counts from its time. A timer that rings
    /// late is not the server's, so that others count from when it rang.
    pub(super) async fn next(&mut self) -> Option<Instant> {
        if self.given == self.last {
            return None;
        }
        let due = self.begun + self.distance * self.given;
        self.given += 1;
        if due <= Instant::now() {
            return Some(due);
        }
        sleep_until(due).await;
        Some(Instant::now())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn requests_are_due_at_even_distances() {
        let begun = Instant::now();
        let mut pace = Pace::new(100.0, Duration::from_millis(50));
        assert_eq!(pace.planned(), 5);
        let mut due = Vec::new();
        while let Some(at) = pace.next().await {
            due.push((at - begun).as_millis());
        }
        assert_eq!(due, [0, 10, 20, 30, 40]);
    }

    #[tokio::test(start_paused = true)]
    async fn who_had_to_wait_counts_from_when_it_was_due() {
        let begun = Instant::now();
        let mut pace = Pace::new(100.0, Duration::from_millis(50));
        pace.next().await;
        tokio::time::advance(Duration::from_millis(25)).await;
        let mut due = Vec::new();
        while let Some(at) = pace.next().await {
            due.push((at - begun).as_millis());
        }
        assert_eq!(due, [10, 20, 30, 40]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_rate_of_nothing_has_no_requests() {
        let mut pace = Pace::new(0.0, Duration::from_secs(10));
        assert_eq!(pace.next().await, None);
    }
}
