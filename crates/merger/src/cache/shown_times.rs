//! When boards were last made, those included that the cache has let go of.
//!
//! What the cache holds of a board tells whether one that another server merged goes back behind
//! it. Of a board that was let go of only this is left: no board that began to be merged since
//! then is older. Boards share places here, in little room; what that costs is a merge.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

use super::top::Key;

/// Places, of eight bytes each.
const PLACES: usize = 16_384;

/// When the boards of each place were last made.
pub(super) struct Shown {
    /// What times are counted from, in microseconds.
    start: Instant,
    hasher: RandomState,
    places: Box<[AtomicU64]>,
}

impl Default for Shown {
    fn default() -> Self {
        Self {
            start: Instant::now(),
            hasher: RandomState::new(),
            places: (0..PLACES).map(|_| AtomicU64::new(0)).collect(),
        }
    }
}

impl Shown {
    /// A board was made, and is shown from now on.
    pub(super) fn note(&self, key: &Key) {
        let since = self.start.elapsed().as_micros() + 1;
        let since = u64::try_from(since).unwrap_or(u64::MAX);
        self.place(key).fetch_max(since, Ordering::Relaxed);
    }

    /// When the board was last made, or later; none if it surely never was.
    pub(super) fn last(&self, key: &Key) -> Option<Instant> {
        let since = self.place(key).load(Ordering::Relaxed);
        (since != 0).then(|| self.start + Duration::from_micros(since))
    }

    fn place(&self, key: &Key) -> &AtomicU64 {
        // Below PLACES, which is a usize.
        let place = usize::try_from(self.hasher.hash_one(key) % PLACES as u64).unwrap_or(0);
        &self.places[place]
    }
}

#[cfg(test)]
mod tests {
    use board::{Incarnation, Window};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_was_made_is_known_to_the_end_of_it() {
        let shown = Shown::default();
        let key = (Incarnation(1), Window::ALL_TIME);
        assert_eq!(shown.last(&key), None);
        for _ in 0..3 {
            tokio::time::advance(Duration::from_millis(5)).await;
            let before = Instant::now();
            shown.note(&key);
            assert!(shown.last(&key) > Some(before));
        }
        // Every board has a place, and most have another.
        let incarnations =
            (2..2002).map(|incarnation| (Incarnation(incarnation), Window::ALL_TIME));
        assert!(incarnations.filter(|key| shown.last(key).is_some()).count() < 20);
    }
}
