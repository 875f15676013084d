//! The times at which requests are due: [`Pace`], an open loop.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// Requests at regular intervals.
pub(super) struct Pace {
    start: Instant,
    end: Instant,
    interval: Duration,
    /// The number of requests that were due.
    due: u32,
    /// The number of all requests.
    planned: u32,
}

impl Pace {
    /// Creates a pace of `rate` requests per second. A rate of 0 has no requests.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "rates and durations are not negative; the conversion saturates"
    )]
    pub(super) fn new(rate: f64, duration: Duration) -> Self {
        let start = Instant::now();
        Self {
            start,
            end: start + duration,
            interval: Duration::from_secs_f64(if rate > 0.0 { rate.recip() } else { 0.0 }),
            due: 0,
            planned: (rate * duration.as_secs_f64()).round() as u32,
        }
    }

    /// Returns the number of all requests.
    pub(super) const fn planned(&self) -> u32 {
        self.planned
    }

    /// Returns the end of the duration.
    pub(super) const fn end(&self) -> Instant {
        self.end
    }

    /// Waits until the next request is due, and returns the start of its latency, or `None` after the last one. For a
    /// request that is late, this is the time at which it was due. For others it is the current time, so that the
    /// latency does not include the inaccuracy of the timer.
    pub(super) async fn next(&mut self) -> Option<Instant> {
        if self.due == self.planned {
            return None;
        }
        let due = self.start + self.interval * self.due;
        self.due += 1;
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
    async fn requests_are_due_at_regular_intervals() {
        let start = Instant::now();
        let mut pace = Pace::new(100.0, Duration::from_millis(50));
        assert_eq!(pace.planned(), 5);
        let mut due = Vec::new();
        while let Some(at) = pace.next().await {
            due.push((at - start).as_millis());
        }
        assert_eq!(due, [0, 10, 20, 30, 40]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_late_request_counts_from_when_it_was_due() {
        let start = Instant::now();
        let mut pace = Pace::new(100.0, Duration::from_millis(50));
        pace.next().await;
        tokio::time::advance(Duration::from_millis(25)).await;
        let mut due = Vec::new();
        while let Some(at) = pace.next().await {
            due.push((at - start).as_millis());
        }
        assert_eq!(due, [10, 20, 30, 40]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_rate_of_zero_has_no_requests() {
        let mut pace = Pace::new(0.0, Duration::from_secs(10));
        assert_eq!(pace.next().await, None);
    }
}
