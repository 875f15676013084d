//! Whether a target is away, and when it is asked again: [`Outage`].

use std::time::Duration;

use tokio::time::Instant;

/// How long a target that is away is left alone at first.
const BACKOFF_MIN: Duration = Duration::from_millis(100);

/// How long at most: each failure doubles it.
const BACKOFF_MAX: Duration = Duration::from_secs(5);

/// The outage that is on, if one is.
#[derive(Debug, Default)]
pub(crate) struct Outage {
    on: Option<On>,
}

#[derive(Debug)]
struct On {
    since: Instant,
    wait: Duration,
    until: Instant,
}

impl Outage {
    /// The target was not reached. Answers whether that is new.
    pub(crate) fn begin(&mut self, now: Instant) -> bool {
        let (since, wait) = match &self.on {
            // What was under way together with what failed is nothing new.
            Some(on) if now < on.until => return false,
            Some(on) => (on.since, (on.wait * 2).min(BACKOFF_MAX)),
            None => (now, BACKOFF_MIN),
        };
        let is_new = self.on.is_none();
        let until = now + wait;
        self.on = Some(On { since, wait, until });
        is_new
    }

    /// The target has answered. Answers how long it was away.
    pub(crate) fn end(&mut self, now: Instant) -> Option<Duration> {
        Some(now - self.on.take()?.since)
    }

    pub(crate) const fn is_on(&self) -> bool {
        self.on.is_some()
    }

    /// When it may be asked again, where it has to be left alone now.
    pub(crate) fn until(&self, now: Instant) -> Option<Instant> {
        let until = self.on.as_ref()?.until;
        (until > now).then_some(until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_asked_again_after_longer_and_longer() {
        let mut outage = Outage::default();
        let begun = Instant::now();
        assert_eq!((outage.is_on(), outage.until(begun)), (false, None));
        assert!(outage.begin(begun));
        assert_eq!(outage.until(begun), Some(begun + BACKOFF_MIN));
        // One that was under way.
        assert!(!outage.begin(begun));
        assert_eq!(outage.until(begun), Some(begun + BACKOFF_MIN));
        let mut now = begun + BACKOFF_MIN;
        assert_eq!(outage.until(now), None);
        assert!(!outage.begin(now));
        assert_eq!(outage.until(now), Some(now + 2 * BACKOFF_MIN));
        for _ in 0..20 {
            now = outage.until(now).unwrap();
            outage.begin(now);
        }
        assert_eq!(outage.until(now), Some(now + BACKOFF_MAX));
        assert_eq!(outage.end(now), Some(now - begun));
        assert_eq!((outage.end(now), outage.is_on()), (None, false));
    }
}
