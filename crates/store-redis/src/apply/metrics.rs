//! The number of ids that shards remember, as their writes report it: [`ShardIds`].

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use board::BoardName;
use metering::{Registry, ScrapedMetric, as_float};
use parking_lot::Mutex;
use shard_store::is_limit_nearly_used;
use tokio::time::Instant;

/// How long the fullest shard that was written to counts at least; at most twice as long.
const SPAN: Duration = Duration::from_mins(10);

/// The remembered ids of the fullest of the shards to which this server has recently written with
/// ids.
#[derive(Debug)]
pub(super) struct ShardIds {
    /// The maximum number of ids that one shard may remember.
    pub(super) limit: u64,
    /// The maximum of a shard in this span, and in the previous one.
    max: AtomicU64,
    max_before: AtomicU64,
    began: Mutex<Instant>,
    /// Whether a shard has had more than half of the limit, and since then not all were well below
    /// it for a whole span.
    is_high: AtomicBool,
}

impl ShardIds {
    pub(super) fn new(limit: u64, now: Instant) -> Self {
        Self {
            limit,
            max: AtomicU64::new(0),
            max_before: AtomicU64::new(0),
            began: Mutex::new(now),
            is_high: AtomicBool::new(false),
        }
    }

    /// Records how many ids a shard remembers. Logs a warning when that exceeds half of the limit,
    /// and again only after no shard had more than three eighths of it for a span.
    pub(super) fn note(&self, board: &BoardName, shard: u16, ids: u64) {
        self.max.fetch_max(ids, Ordering::Relaxed);
        if is_limit_nearly_used(ids, self.limit, false)
            && !self.is_high.swap(true, Ordering::Relaxed)
        {
            tracing::warn!(
                %board,
                shard,
                ids,
                limit = self.limit,
                "a shard remembers more than half of the ids that it may; at the limit contributions to it with an id \
                 are unavailable: shorten dedupe, give the boards of this kind more shards, or raise \
                 redis.ids_per_shard_max"
            );
        }
    }

    /// Begins another span, if this one has passed.
    pub(super) fn pass_time(&self, now: Instant) {
        let mut began = self.began.lock();
        if now < *began + SPAN {
            return;
        }
        *began = now;
        let max = self.max.swap(0, Ordering::Relaxed);
        self.max_before.store(max, Ordering::Relaxed);
        if !is_limit_nearly_used(max, self.limit, true) {
            self.is_high.store(false, Ordering::Relaxed);
        }
    }

    /// Returns the maximum number of ids of a shard.
    pub(super) fn max(&self) -> u64 {
        let maxima = [&self.max, &self.max_before].map(|max| max.load(Ordering::Relaxed));
        maxima[0].max(maxima[1])
    }

    /// Registers the metrics.
    pub(super) fn register(self: &Arc<Self>, registry: &mut Registry) {
        let ids = self.clone();
        registry.register(
            "redis_shard_remembered_ids_max",
            "Contribution ids that the fullest shard remembers, of those written to with ids in the last 10 to 20 minutes",
            ScrapedMetric::gauge(move || as_float(ids.max())),
        );
        let limit = as_float(self.limit);
        registry.register(
            "redis_shard_remembered_ids_limit",
            "Contribution ids that one shard may remember",
            ScrapedMetric::gauge(move || limit),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: u64 = 800;

    #[test]
    fn the_fullest_recent_shard_counts_and_use_around_the_half_crosses_it_once() {
        let board = "gifts/a".parse().unwrap();
        let mut now = Instant::now();
        let ids = ShardIds::new(LIMIT, now);
        // What a span has seen: the ids of shards, the maximum of one in it and in the previous
        // one, and whether that is high.
        for (seen, max, is_high) in [
            (&[100, LIMIT / 2, 7][..], LIMIT / 2, false),
            (&[LIMIT / 2 + 1], LIMIT / 2 + 1, true),
            // It varies around the half, and has crossed it once.
            (&[LIMIT / 8 * 3 + 1], LIMIT / 2 + 1, true),
            (&[LIMIT / 8 * 3], LIMIT / 8 * 3 + 1, true),
            (&[9], LIMIT / 8 * 3, false),
            (&[], 9, false),
            (&[], 0, false),
            (&[LIMIT], LIMIT, true),
        ] {
            for count in seen {
                ids.note(&board, 0, *count);
            }
            ids.pass_time(now);
            let found = (ids.max(), ids.is_high.load(Ordering::Relaxed));
            assert_eq!(found, (max, is_high), "{seen:?}");
            now += SPAN;
            ids.pass_time(now);
        }
    }
}
