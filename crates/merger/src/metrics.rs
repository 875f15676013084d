//! [`Counters`]: the metrics of reads. The only place for their names.
//!
//! Tests check algorithms by these counts, which unlike times are deterministic. All names get the
//! prefix `megaboard_`, counters end in `_total`.

use std::sync::Arc;

use board::BoardName;
use metering::{AGES, CALLS, Counter, CounterFamily, Histogram, Registry, ScrapedMetric, Unit};
use metering::{as_float, labels};
use moka::sync::Cache;
use shard_store::StoreError;
use tokio::time::Instant;

use crate::cache::{Key, Snapshot};

metering::metrics! {
    #[derive(Debug)]
    struct Metrics {
        merges: Counter = Counter::default(), "merges",
            "Merges of global boards, including those that found nothing changed";
        unchanged: Counter = Counter::default(), "merges_unchanged",
            "Merges that found no shard changed, and kept the old bytes";
        failures: Counter = Counter::default(), "merge_failures",
            "Merges that failed because the store was unavailable, or its response was lost";
        abandoned: Counter = Counter::default(), "merges_abandoned",
            "Merges whose caller did not wait for the end";
        durations: Histogram = Histogram::new(&CALLS), "merge_duration" in Seconds,
            "Duration of merges of global boards, from the first call to a shard to the bytes, or until they were abandoned";
        waits: Counter = Counter::default(), "merge_waits",
            "Reads that waited for a merge of their board in progress";
        taken: Counter = Counter::default(), "merges_taken",
            "Global boards that were taken from another server";
        round_trips: Counter = Counter::default(), "shard_rounds",
            "Rounds of calls to shards, by all reads: the calls of one round are concurrent";
        entries_fetched: Counter = Counter::default(), "shard_entries_fetched",
            "Entries that shards sent to all reads";
        tops: CounterFamily = CounterFamily::default(), "top_reads",
            "Tops by source: hit (the cache), miss (a merge that was made, taken from another server or waited for), stale (the cache, since the store is unavailable)";
        ages: Histogram = Histogram::new(&AGES), "top_age" in Seconds,
            "Age of the merge of a top when it was served";
    }
}

/// Counts since the merger was created.
#[derive(Debug)]
pub struct Counters {
    metrics: Metrics,
    hits: Counter,
    misses: Counter,
    stale: Counter,
}

/// A merge in progress. If it is dropped before its end, it counts as abandoned: its caller no
/// longer waits.
pub(crate) struct Merging<'a> {
    counters: &'a Counters,
    began: Instant,
    has_ended: bool,
}

impl Default for Counters {
    fn default() -> Self {
        let metrics = Metrics::default();
        let result = |result| {
            let labels = labels([("result", result)]);
            metrics.tops.get_or_create_owned(&labels)
        };
        Self {
            hits: result("hit"),
            misses: result("miss"),
            stale: result("stale"),
            metrics,
        }
    }
}

impl Counters {
    /// Returns the number of rounds. The calls to shards of one round are concurrent.
    #[must_use]
    pub fn round_trips(&self) -> u64 {
        self.metrics.round_trips.get()
    }

    /// Returns the number of entries that shards sent.
    #[must_use]
    pub fn entries_fetched(&self) -> u64 {
        self.metrics.entries_fetched.get()
    }

    /// Returns the number of merges for the cache, including those that found nothing changed.
    #[must_use]
    pub fn merges(&self) -> u64 {
        self.metrics.merges.get()
    }

    /// Returns the number of cached boards that were merged by other servers, including those that
    /// were in the cache already.
    #[must_use]
    pub fn taken(&self) -> u64 {
        self.metrics.taken.get()
    }

    pub(crate) fn count_round(&self, entries: usize) {
        self.metrics.round_trips.inc();
        self.metrics.entries_fetched.inc_by(entries as u64);
    }

    pub(crate) fn count_taken(&self) {
        self.metrics.taken.inc();
    }

    /// Starts a merge.
    pub(crate) fn begin_merge(&self) -> Merging<'_> {
        self.metrics.merges.inc();
        Merging {
            counters: self,
            began: Instant::now(),
            has_ended: false,
        }
    }

    /// Counts a read that waits for a merge in progress.
    pub(crate) fn count_wait(&self) {
        self.metrics.waits.inc();
    }

    /// Counts a top from the cache, for a read that began at `arrived`.
    pub(crate) fn count_hit(&self, arrived: Instant, began: Instant) {
        self.hits.inc();
        self.metrics
            .ages
            .observe(arrived.saturating_duration_since(began));
    }

    /// Counts a top that had to be merged, taken from another server, or waited for.
    pub(crate) fn count_miss(&self, snapshot: &Snapshot) {
        self.misses.inc();
        self.metrics.ages.observe(snapshot.began.elapsed());
    }

    /// Counts a stale top, served because the store is unavailable.
    pub(crate) fn count_stale(&self, snapshot: &Snapshot) {
        self.stale.inc();
        self.metrics.ages.observe(snapshot.began.elapsed());
    }

    /// Registers the metrics, and gauges of the caches.
    pub(crate) fn register(
        &self,
        snapshots: &Cache<Key, Arc<Snapshot>>,
        uncreated: &Cache<BoardName, Arc<Snapshot>>,
        bytes_max: u64,
        registry: &mut Registry,
    ) {
        self.metrics.register_all(registry);
        let bytes = snapshots.clone();
        registry.register_with_unit(
            "cache_size",
            "Memory of cached global boards",
            Unit::Bytes,
            ScrapedMetric::gauge(move || as_float(bytes.weighted_size())),
        );
        registry.register_with_unit(
            "cache_limit",
            "Memory that cached global boards may take",
            Unit::Bytes,
            ScrapedMetric::gauge(move || as_float(bytes_max)),
        );
        let entries = snapshots.clone();
        registry.register(
            "cache_boards",
            "Cached global boards: one for each board and window that is read",
            ScrapedMetric::gauge(move || as_float(entries.entry_count())),
        );
        let uncreated = uncreated.clone();
        registry.register(
            "cache_uncreated_boards",
            "Cached names without contributions",
            ScrapedMetric::gauge(move || as_float(uncreated.entry_count())),
        );
    }
}

impl Merging<'_> {
    /// Ends the merge. `Ok(true)`: the snapshot has new contents.
    pub(crate) fn end(mut self, merged: Result<bool, &StoreError>) {
        self.has_ended = true;
        match merged {
            Ok(false) => {
                self.counters.metrics.unchanged.inc();
            }
            Err(
                StoreError::Overloaded(_) | StoreError::Unavailable(_) | StoreError::Unknown(_),
            ) => {
                self.counters.metrics.failures.inc();
            }
            // These are results, too: the board has ended, the window is gone, the kind has
            // changed.
            Ok(true)
            | Err(
                StoreError::IncarnationEnded
                | StoreError::SettingsChanged
                | StoreError::WindowDropped
                | StoreError::StaleKind
                | StoreError::DeadlinePassed,
            ) => {}
        }
    }
}

impl Drop for Merging<'_> {
    fn drop(&mut self) {
        self.counters
            .metrics
            .durations
            .observe(self.began.elapsed());
        if !self.has_ended {
            self.counters.metrics.abandoned.inc();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_merge_fails_when_the_store_is_unavailable_and_not_when_it_responds() {
        let counters = Counters::default();
        let end = |merged: Result<bool, &StoreError>| counters.begin_merge().end(merged);
        end(Ok(true));
        end(Ok(false));
        for answer in [
            StoreError::IncarnationEnded,
            StoreError::WindowDropped,
            StoreError::StaleKind,
        ] {
            end(Err(&answer));
        }
        assert_eq!(counters.metrics.failures.get(), 0);
        end(Err(&StoreError::Unavailable(String::new())));
        end(Err(&StoreError::Unknown(String::new())));
        assert_eq!(counters.metrics.failures.get(), 2);
        assert_eq!(counters.metrics.unchanged.get(), 1);
        assert_eq!(counters.metrics.durations.count(), 7);
    }

    #[test]
    fn an_abandoned_merge_records_its_duration() {
        let counters = Counters::default();
        drop(counters.begin_merge());
        counters.begin_merge().end(Ok(true));
        assert_eq!(
            (
                counters.metrics.merges.get(),
                counters.metrics.abandoned.get()
            ),
            (2, 1)
        );
        assert_eq!(
            (
                counters.metrics.durations.count(),
                counters.metrics.failures.get()
            ),
            (2, 0)
        );
    }
}
