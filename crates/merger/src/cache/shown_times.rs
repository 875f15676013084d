//! [`ShownTimes`]: when boards were last merged, including those that the cache has evicted.
//!
//! The version of a cached board shows whether one that another server merged is older. Of an
//! evicted board only its time is left: a merge that began after it is not older. Boards share
//! slots in a table of fixed size; a collision costs a merge.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

use super::snapshot::Key;

/// Slots, of eight bytes each.
const SLOTS: usize = 16_384;

/// When the boards of each slot were last merged.
pub(super) struct ShownTimes {
    /// The origin of times, which are in microseconds.
    start: Instant,
    hasher: RandomState,
    slots: Box<[AtomicU64]>,
}

impl Default for ShownTimes {
    fn default() -> Self {
        Self {
            start: Instant::now(),
            hasher: RandomState::new(),
            slots: (0..SLOTS).map(|_| AtomicU64::new(0)).collect(),
        }
    }
}

impl ShownTimes {
    /// Records that a board was merged and is shown from now on.
    pub(super) fn record(&self, key: &Key) {
        let since = self.start.elapsed().as_micros() + 1;
        let since = u64::try_from(since).unwrap_or(u64::MAX);
        self.slot(key).fetch_max(since, Ordering::Relaxed);
    }

    /// Returns when the board was last merged, or a later time; `None` if it definitely never was.
    pub(super) fn last(&self, key: &Key) -> Option<Instant> {
        let since = self.slot(key).load(Ordering::Relaxed);
        (since != 0).then(|| self.start + Duration::from_micros(since))
    }

    fn slot(&self, key: &Key) -> &AtomicU64 {
        // Below SLOTS, which is a usize.
        let slot = usize::try_from(self.hasher.hash_one(key) % SLOTS as u64).unwrap_or(0);
        &self.slots[slot]
    }
}

#[cfg(test)]
mod tests {
    use board::{Incarnation, Window};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_end_of_a_merge_is_remembered() {
        let shown = ShownTimes::default();
        let key = (Incarnation(1), Window::ALL_TIME);
        assert_eq!(shown.last(&key), None);
        for _ in 0..3 {
            tokio::time::advance(Duration::from_millis(5)).await;
            let before = Instant::now();
            shown.record(&key);
            assert!(shown.last(&key) > Some(before));
        }
        // Every board has a slot, and most have different ones.
        let incarnations =
            (2..2002).map(|incarnation| (Incarnation(incarnation), Window::ALL_TIME));
        assert!(incarnations.filter(|key| shown.last(key).is_some()).count() < 20);
    }
}
