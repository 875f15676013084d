//! Permits for requests: [`RequestPermits`].

use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts the requests that are being served, up to a limit.
#[derive(Debug)]
pub struct RequestPermits {
    now: AtomicUsize,
    max: usize,
}

/// The permit of one request. It is released when this is dropped.
#[derive(Debug)]
pub struct RequestPermit<'a> {
    permits: &'a RequestPermits,
    /// How many permits were in use before.
    before: usize,
}

impl RequestPermit<'_> {
    /// Returns whether half of the permits were in use before.
    #[must_use]
    pub const fn is_of_second_half(&self) -> bool {
        self.before >= self.permits.max.div_ceil(2)
    }
}

impl RequestPermits {
    /// Creates this number of permits.
    #[must_use]
    pub const fn up_to(max: usize) -> Self {
        let now = AtomicUsize::new(0);
        Self { now, max }
    }

    /// Returns the number of permits.
    #[must_use]
    pub const fn max(&self) -> usize {
        self.max
    }

    /// Returns a permit, if one is free.
    #[must_use]
    pub fn acquire(&self) -> Option<RequestPermit<'_>> {
        // Counted before the check, so that at most one of two concurrent requests gets the last permit.
        let before = self.now.fetch_add(1, Ordering::Relaxed);
        let permit = RequestPermit {
            permits: self,
            before,
        };
        (before < self.max).then_some(permit)
    }
}

impl Drop for RequestPermit<'_> {
    fn drop(&mut self) {
        self.permits.now.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permits_are_limited_and_released() {
        let permits = RequestPermits::up_to(2);
        let first = permits.acquire();
        let second = permits.acquire();
        let [one, two] = [&first, &second].map(|permit| permit.as_ref().unwrap());
        assert!(!one.is_of_second_half() && two.is_of_second_half());
        for _ in 0..10 {
            assert!(permits.acquire().is_none());
        }
        drop(first);
        let third = permits.acquire();
        assert!(third.is_some() && permits.acquire().is_none());
        drop((second, third));
        assert_eq!(permits.now.load(Ordering::Relaxed), 0);
    }
}
