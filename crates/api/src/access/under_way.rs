//! How many requests are under way, and no more than so many.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts requests up to a limit.
#[derive(Debug)]
pub(super) struct UnderWay {
    now: AtomicUsize,
    max: usize,
}

/// The place of one request; free again when this is dropped.
#[derive(Debug)]
pub(super) struct Place<'a>(&'a UnderWay);

impl UnderWay {
    pub(super) const fn up_to(max: usize) -> Self {
        let now = AtomicUsize::new(0);
        Self { now, max }
    }

    /// How many places there are.
    pub(super) const fn max(&self) -> usize {
        self.max
    }

    /// A place, where there is one.
    pub(super) fn enter(&self) -> Option<Place<'_>> {
        // Counted first: of two that come at once for the last place at most one is let in.
        let place = Place(self);
        let before = self.now.fetch_add(1, Ordering::Relaxed);
        (before < self.max).then_some(place)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.now.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_so_many_places_and_they_come_back() {
        let under_way = UnderWay::up_to(2);
        let first = under_way.enter();
        let second = under_way.enter();
        assert!(first.is_some() && second.is_some());
        for _ in 0..10 {
            assert!(under_way.enter().is_none());
        }
        drop(first);
        let third = under_way.enter();
        assert!(third.is_some() && under_way.enter().is_none());
        drop((second, third));
        assert_eq!(under_way.now.load(Ordering::Relaxed), 0);
    }
}
