//! Gauges of the contents of this process, set by each sweep over all boards.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use metering::{FloatGauge, Gauge, Registry};

use engine::{Holding, IdUse};
use shard_store::{BOARD_WEIGHT, STANDING_WEIGHT};

/// Minimum average members per shard for the skew of a board to be meaningful: with fewer, the largest of many shards
/// may have twice the mean by chance. Counts members, not standings: a member is on the same shard in all windows.
const SKEW_SHARD_MEMBERS_MIN: u64 = 100;

metering::metrics! {
    /// The result of the last complete sweep.
    #[derive(Debug)]
    struct Gauges {
        boards: Gauge = Gauge::default(), "store_boards",
            "Boards held in this process, at the last sweep";
        split: Gauge = Gauge::default(), "store_split_boards",
            "Of them those that are spread over shards";
        standings: Gauge = Gauge::default(), "store_standings",
            "Standings held: one for each member and window, at the last sweep";
        shard_standings_max: Gauge = Gauge::default(), "store_shard_standings_max",
            "Standings of the largest shard of any board";
        skew_max: FloatGauge = FloatGauge::default(), "store_shard_skew_max_ratio",
            "The largest shard over the mean of its board, in members, where that is worst, of boards with 100 members a shard and more; 0 without any";
        id_bytes: Gauge = Gauge::default(), "store_remembered_id" in Bytes,
            "Memory of remembered contribution ids, at the last sweep";
        id_limit_bytes: Gauge = Gauge::default(), "store_remembered_id_limit" in Bytes,
            "Memory that remembered contribution ids may take";
        id_sustained_rate: FloatGauge = FloatGauge::default(), "store_remembered_id_sustained_rate",
            "Contributions with an id a second that the limit sustains, by the longest dedupe of all kinds; 0 without any";
    }
}

/// The gauges, and what the next sweep has to know of the last.
#[derive(Debug, Default)]
pub(crate) struct ContentsMetrics {
    gauges: Gauges,
    /// Whether ids exceeded half of their limit, and have not fallen well below it since.
    ids_are_high: AtomicBool,
}

fn set(gauge: &Gauge, count: u64) {
    gauge.set(i64::try_from(count).unwrap_or(i64::MAX));
}

/// The counts of a sweep in progress.
#[derive(Debug, Default)]
pub(crate) struct Census {
    boards: u64,
    split: u64,
    standings: u64,
    shard_standings_max: u64,
    skew_max: f64,
}

impl Census {
    /// Returns approximately how many bytes of memory all boards use, with `id_bytes` of ids.
    pub(crate) const fn weight(&self, id_bytes: usize) -> u64 {
        self.boards * BOARD_WEIGHT + self.standings * STANDING_WEIGHT + id_bytes as u64
    }

    /// Adds a board, given what each of its shards holds; a small board has one.
    pub(crate) fn count(&mut self, shards: &[Holding]) {
        let standings = shards.iter().map(|shard| shard.standings);
        self.boards += 1;
        self.standings += standings.clone().sum::<u64>();
        self.shard_standings_max = self.shard_standings_max.max(standings.max().unwrap_or(0));
        if shards.len() > 1 {
            self.split += 1;
            let members = shards.iter().map(|shard| shard.members);
            let (all, largest): (u64, u64) = (members.clone().sum(), members.max().unwrap_or(0));
            if all >= SKEW_SHARD_MEMBERS_MIN * shards.len() as u64 {
                self.skew_max = self.skew_max.max(skew(shards.len(), all, largest));
            }
        }
    }
}

/// Rates of at least this are logged without decimals, smaller ones with up to
/// `SHOWN_DECIMALS_MAX`.
const SHOWN_WHOLE_MIN: f64 = 100.0;
const SHOWN_DECIMALS_MAX: usize = 9;

/// Formats a rate with its first three significant digits.
fn significant(rate: f64) -> String {
    let (mut scaled, mut decimals) = (rate, 0);
    while scaled > 0.0 && scaled < SHOWN_WHOLE_MIN && decimals < SHOWN_DECIMALS_MAX {
        scaled *= 10.0;
        decimals += 1;
    }
    format!("{rate:.decimals$}")
}

/// Returns the size of the largest shard divided by the mean.
#[expect(
    clippy::cast_precision_loss,
    reason = "an approximate ratio for people"
)]
fn skew(shards: usize, members: u64, largest: u64) -> f64 {
    largest as f64 * shards as f64 / members as f64
}

impl ContentsMetrics {
    /// Publishes the result of a sweep.
    pub(crate) fn update(&self, found: &Census) {
        set(&self.gauges.boards, found.boards);
        set(&self.gauges.split, found.split);
        set(&self.gauges.standings, found.standings);
        set(&self.gauges.shard_standings_max, found.shard_standings_max);
        self.gauges.skew_max.set(found.skew_max);
    }

    /// Sets the gauges of remembered ids, the longest of which are kept for `dedupe_max`. Logs a warning when they
    /// exceed half of their limit, and again only after they fell to three eighths of it.
    pub(crate) fn update_ids(&self, ids: IdUse, dedupe_max: Duration) {
        set(&self.gauges.id_bytes, ids.used_bytes as u64);
        set(&self.gauges.id_limit_bytes, ids.limit_bytes as u64);
        let rate = ids.sustained_rate(dedupe_max);
        self.gauges
            .id_sustained_rate
            .set(if rate.is_finite() { rate } else { 0.0 });
        // There is one sweep at a time.
        let was_high = self.ids_are_high.load(Ordering::Relaxed);
        let is_high = ids.is_high(was_high);
        self.ids_are_high.store(is_high, Ordering::Relaxed);
        if is_high && !was_high {
            tracing::warn!(
                used_bytes = ids.used_bytes,
                limit_bytes = ids.limit_bytes,
                sustained_per_second = significant(rate),
                dedupe = ?dedupe_max,
                "remembered ids take more than half of their limit; at the limit contributions with an id are \
                 unavailable: shorten dedupe, or raise server.limits.remembered_id_bytes"
            );
        }
    }

    /// Registers the gauges.
    pub(crate) fn register(&self, registry: &mut Registry) {
        self.gauges.register_all(registry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a shard with this many members in five windows.
    fn shard(members: u64) -> Holding {
        let standings = 5 * members;
        Holding { standings, members }
    }

    #[test]
    fn skew_counts_only_large_boards_and_the_worst_of_them() {
        let mut census = Census::default();
        census.count(&[shard(7)]);
        census.count(&[shard(199), shard(0)]);
        assert!(census.skew_max.abs() < f64::EPSILON, "{census:?}");
        census.count(&[shard(100), shard(300)]);
        census.count(&[shard(100), shard(100)]);
        assert!((census.skew_max - 1.5).abs() < 1e-9, "{census:?}");
        assert_eq!((census.boards, census.split), (4, 3));
        assert_eq!(census.standings, 5 * (7 + 199 + 400 + 200));
        assert_eq!(census.shard_standings_max, 5 * 300);
    }

    #[test]
    fn the_sustained_rate_follows_from_the_limit_and_the_span() {
        let ids = |used_bytes| IdUse {
            used_bytes,
            limit_bytes: 2 << 30,
        };
        let rate = |hours| ids(0).sustained_rate(Duration::from_hours(hours)).floor();
        assert!((rate(1) - 11_471.0).abs() < 1.0, "{}", rate(1));
        assert!((rate(7 * 24) - 68.0).abs() < 1.0, "{}", rate(7 * 24));
        let held = ContentsMetrics::default();
        let half = 1 << 30;
        for (used, is_high) in [
            (half, false),
            (half + 1, true),
            // It swings around the half, and has crossed it once.
            (half - 1, true),
            (half / 4 * 3 + 1, true),
            (half / 4 * 3, false),
            (half, false),
            (half + 1, true),
            (5, false),
        ] {
            held.update_ids(ids(used), Duration::ZERO);
            assert_eq!(held.ids_are_high.load(Ordering::Relaxed), is_high);
        }
    }

    #[test]
    fn a_small_rate_is_shown_with_its_first_digits() {
        for (rate, shown) in [
            (11_471.9, "11472"),
            (68.27, "68.3"),
            (1.0, "1.00"),
            (0.041_349, "0.0413"),
            (0.000_001_234, "0.00000123"),
            (0.0, "0"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(significant(rate), shown);
        }
    }

    #[test]
    fn chance_on_many_shards_is_not_skew() {
        // 12,000 members by a hash: 11.7 on average, and 26 on one of them.
        let mut shards = vec![shard(11); 1_024];
        shards[77] = shard(26);
        let mut census = Census::default();
        census.count(&shards);
        assert!(census.skew_max.abs() < f64::EPSILON, "{census:?}");
    }
}
