//! What reads cost, counted: round trips and entries fetched.
//!
//! Tests hold algorithms to these; they are no clock.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts since the merger was made.
#[derive(Debug, Default)]
pub struct Counters {
    round_trips: AtomicU64,
    entries_fetched: AtomicU64,
    merges: AtomicU64,
    taken: AtomicU64,
}

impl Counters {
    /// Rounds of calls to shards: calls of one round go out together.
    #[must_use]
    pub fn round_trips(&self) -> u64 {
        self.round_trips.load(Ordering::Relaxed)
    }

    /// Entries that shards sent.
    #[must_use]
    pub fn entries_fetched(&self) -> u64 {
        self.entries_fetched.load(Ordering::Relaxed)
    }

    /// Merges of global boards for the cache, those that found nothing changed included.
    #[must_use]
    pub fn merges(&self) -> u64 {
        self.merges.load(Ordering::Relaxed)
    }

    /// Global boards for the cache that other servers merged, those that were at hand already
    /// included.
    #[must_use]
    pub fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    pub(crate) fn count_round(&self, entries: usize) {
        self.round_trips.fetch_add(1, Ordering::Relaxed);
        self.entries_fetched
            .fetch_add(entries as u64, Ordering::Relaxed);
    }

    pub(crate) fn count_taken(&self) {
        self.taken.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count_merge(&self) {
        self.merges.fetch_add(1, Ordering::Relaxed);
    }
}
