//! [`SingleFlight`]: one merge at a time for each key. A caller that finds one in progress waits for
//! it.
//!
//! The result of the last merge is kept while callers wait, and they share it: a failure, so that
//! not each of them tries an unavailable store, and a snapshot, even if the cache has no space for
//! it.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::time::Instant;

use super::snapshot::Snapshot;
use crate::error::ReadError;

/// When the last merge began, and its result.
pub(super) type Last = Option<(Instant, Result<Arc<Snapshot>, ReadError>)>;

type Slot = Arc<tokio::sync::Mutex<Last>>;

/// The keys in use.
pub(super) struct SingleFlight<K> {
    slots: Mutex<HashMap<K, Slot>>,
}

/// A caller's use of a key. The last one removes the key on drop.
pub(super) struct Flight<'a, K: Eq + Hash> {
    all: &'a SingleFlight<K>,
    key: K,
    /// `None` only during drop.
    slot: Option<Slot>,
}

impl<K> Default for SingleFlight<K> {
    fn default() -> Self {
        Self {
            slots: Mutex::default(),
        }
    }
}

impl<K: Eq + Hash + Clone> SingleFlight<K> {
    pub(super) fn at(&self, key: &K) -> Flight<'_, K> {
        let slot = self.slots.lock().entry(key.clone()).or_default().clone();
        Flight {
            all: self,
            key: key.clone(),
            slot: Some(slot),
        }
    }
}

impl<K: Eq + Hash> Flight<'_, K> {
    /// Waits for the caller that merges now; `wait` is called if there is one.
    pub(super) async fn enter(&self, wait: impl FnOnce()) -> tokio::sync::MutexGuard<'_, Last> {
        let slot = self
            .slot
            .as_ref()
            .expect("the slot is there until the drop");
        if let Ok(entered) = slot.try_lock() {
            return entered;
        }
        wait();
        slot.lock().await
    }
}

impl<K: Eq + Hash> Drop for Flight<'_, K> {
    fn drop(&mut self) {
        let mut slots = self.all.slots.lock();
        // Under the lock, so that exactly one of several concurrent callers is the last.
        self.slot = None;
        if slots
            .get(&self.key)
            .is_some_and(|slot| Arc::strong_count(slot) == 1)
        {
            slots.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_kept_until_its_last_caller_has_left() {
        let merges = SingleFlight::default();
        let (first, second) = (merges.at(&1), merges.at(&1));
        drop(first);
        assert!(merges.slots.lock().contains_key(&1));
        drop(second);
        assert!(merges.slots.lock().is_empty());
    }
}
