//! [`Changes`]: whether entries of a cache have changed, without a lookup.
//!
//! What was derived from an entry can be used again while the entry is the same. Each key belongs to one of some
//! counters, so a counter may also count changes of other keys: then the entry is looked up in vain.
//!
//! **Invariant:** a counter changes before the entry does. So nobody finds a new entry while others still use what was
//! derived from the old one.

use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of counters of a cache with many keys.
const COUNTERS: usize = 1024;

/// Counts the changes of a cache.
#[derive(Debug)]
pub struct Changes(Box<[Counter]>);

/// The changes that have begun, and those that have ended.
#[derive(Debug, Default)]
struct Counter {
    begun: AtomicU64,
    ended: AtomicU64,
}

/// The changes of an entry that were counted before a lookup.
#[derive(Debug, Clone, Copy)]
pub struct ChangesSeen {
    counter: usize,
    begun: u64,
}

impl Default for Changes {
    fn default() -> Self {
        Self::with_counters(COUNTERS)
    }
}

impl Changes {
    /// Counts all changes together.
    pub(crate) fn of_everything() -> Self {
        Self::with_counters(1)
    }

    fn with_counters(counters: usize) -> Self {
        Self((0..counters).map(|_| Counter::default()).collect())
    }

    /// Changes the entry of this key.
    pub fn change<T>(&self, key: &impl Hash, change: impl FnOnce() -> T) -> T {
        let counter = &self.0[self.index_of(key)];
        counter.begun.fetch_add(1, Ordering::SeqCst);
        let changed = change();
        counter.ended.fetch_add(1, Ordering::SeqCst);
        changed
    }

    /// Returns the changes of this key so far, for a lookup that follows; `None` during a change.
    pub fn seen(&self, key: &impl Hash) -> Option<ChangesSeen> {
        let counter = self.index_of(key);
        let Counter { begun, ended } = &self.0[counter];
        // In this order: what has ended was begun before.
        let ended = ended.load(Ordering::SeqCst);
        let begun = begun.load(Ordering::SeqCst);
        (begun == ended).then_some(ChangesSeen { counter, begun })
    }

    /// Returns whether a lookup would find what it found then.
    #[must_use]
    pub fn none_since(&self, seen: ChangesSeen) -> bool {
        self.0[seen.counter].begun.load(Ordering::SeqCst) == seen.begun
    }

    fn index_of(&self, key: &impl Hash) -> usize {
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        // The remainder is less than the number of counters.
        usize::try_from(hasher.finish() % self.0.len() as u64).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_seen_from_its_beginning_on() {
        let changes = Changes::default();
        let seen = changes.seen(&"a").unwrap();
        assert!(changes.none_since(seen));
        changes.change(&"a", || {
            assert!(!changes.none_since(seen));
            assert!(changes.seen(&"a").is_none(), "a lookup may find either");
        });
        assert!(!changes.none_since(seen));
        let seen = changes.seen(&"a").unwrap();
        assert!(changes.none_since(seen));
    }

    #[test]
    fn changes_of_most_other_keys_are_not_seen() {
        let changes = Changes::default();
        let seen = changes.seen(&0).unwrap();
        (1..100).for_each(|key| changes.change(&key, || ()));
        assert!(changes.none_since(seen));
        let all = Changes::of_everything();
        let seen = all.seen(&0).unwrap();
        all.change(&1, || ());
        assert!(!all.none_since(seen));
    }
}
