//! The backoff while a target is unreachable: [`Outage`].

use std::time::Duration;

use tokio::time::Instant;

/// The first wait before a retry.
const BACKOFF_MIN: Duration = Duration::from_millis(100);

/// The longest wait before a retry. Each failure doubles the wait.
const BACKOFF_MAX: Duration = Duration::from_secs(5);

/// The current outage, if there is one.
#[derive(Debug, Default)]
pub(crate) struct Outage {
    current: Option<Backoff>,
}

#[derive(Debug)]
struct Backoff {
    since: Instant,
    wait: Duration,
    retry_at: Instant,
}

impl Outage {
    /// Records that the target was not reached. Returns whether an outage begins.
    pub(crate) fn fail(&mut self, now: Instant) -> bool {
        let (since, wait) = match &self.current {
            // An attempt that began before the last failure does not prolong the wait.
            Some(outage) if now < outage.retry_at => return false,
            Some(outage) => (outage.since, (outage.wait * 2).min(BACKOFF_MAX)),
            None => (now, BACKOFF_MIN),
        };
        let is_new = self.current.is_none();
        let retry_at = now + wait;
        self.current = Some(Backoff {
            since,
            wait,
            retry_at,
        });
        is_new
    }

    /// Records that the target was reached. Returns the duration of the outage that this ends.
    pub(crate) fn end(&mut self, now: Instant) -> Option<Duration> {
        Some(now - self.current.take()?.since)
    }

    /// Returns whether there is an outage.
    pub(crate) const fn is_on(&self) -> bool {
        self.current.is_some()
    }

    /// Returns when the target may be tried again, if it may not be tried now.
    pub(crate) fn retry_at(&self, now: Instant) -> Option<Instant> {
        let retry_at = self.current.as_ref()?.retry_at;
        (retry_at > now).then_some(retry_at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retries_back_off() {
        let mut outage = Outage::default();
        let begun = Instant::now();
        assert_eq!((outage.is_on(), outage.retry_at(begun)), (false, None));
        assert!(outage.fail(begun));
        assert_eq!(outage.retry_at(begun), Some(begun + BACKOFF_MIN));
        // An attempt that began before the failure fails, too.
        assert!(!outage.fail(begun));
        assert_eq!(outage.retry_at(begun), Some(begun + BACKOFF_MIN));
        let mut now = begun + BACKOFF_MIN;
        assert_eq!(outage.retry_at(now), None);
        assert!(!outage.fail(now));
        assert_eq!(outage.retry_at(now), Some(now + 2 * BACKOFF_MIN));
        for _ in 0..20 {
            now = outage.retry_at(now).unwrap();
            outage.fail(now);
        }
        assert_eq!(outage.retry_at(now), Some(now + BACKOFF_MAX));
        assert_eq!(outage.end(now), Some(now - begun));
        assert_eq!((outage.end(now), outage.is_on()), (None, false));
    }
}
