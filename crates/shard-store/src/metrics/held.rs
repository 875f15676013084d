//! What is held in this process, as the sweep finds it on its way through all boards.

use metering::{FloatGauge, Gauge, Registry, Unit};

/// Standings that a board has before the skew of its shards says anything.
const SKEW_STANDINGS_MIN: u64 = 10_000;

/// What the last whole sweep found.
#[derive(Debug, Default)]
pub(crate) struct Held {
    boards: Gauge,
    split: Gauge,
    standings: Gauge,
    shard_standings_max: Gauge,
    skew_max: FloatGauge,
    id_bytes: Gauge,
}

/// What a sweep has found so far.
#[derive(Debug, Default)]
pub(crate) struct Census {
    boards: u64,
    split: u64,
    standings: u64,
    shard_standings_max: u64,
    skew_max: f64,
}

impl Census {
    /// Counts a board by the standings of its shards, windows together; one that is small is one shard.
    pub(crate) fn count(&mut self, shards: &[u64]) {
        let standings: u64 = shards.iter().sum();
        let largest = shards.iter().copied().max().unwrap_or(0);
        self.boards += 1;
        self.standings += standings;
        self.shard_standings_max = self.shard_standings_max.max(largest);
        if shards.len() > 1 {
            self.split += 1;
            if standings >= SKEW_STANDINGS_MIN {
                self.skew_max = self.skew_max.max(skew(shards.len(), standings, largest));
            }
        }
    }
}

/// The largest shard over the mean of all.
#[expect(
    clippy::cast_precision_loss,
    reason = "a ratio that is looked at by people"
)]
fn skew(shards: usize, standings: u64, largest: u64) -> f64 {
    largest as f64 * shards as f64 / standings as f64
}

impl Held {
    /// Tells what a sweep has found.
    pub(crate) fn note(&self, found: &Census, id_bytes: usize) {
        let set = |gauge: &Gauge, count: u64| {
            gauge.set(i64::try_from(count).unwrap_or(i64::MAX));
        };
        set(&self.boards, found.boards);
        set(&self.split, found.split);
        set(&self.standings, found.standings);
        set(&self.shard_standings_max, found.shard_standings_max);
        self.skew_max.set(found.skew_max);
        set(&self.id_bytes, id_bytes as u64);
    }

    /// Names them.
    pub(crate) fn register(&self, registry: &mut Registry) {
        registry.register(
            "store_boards",
            "Boards held in this process, at the last sweep",
            self.boards.clone(),
        );
        registry.register(
            "store_split_boards",
            "Of them those that are spread over shards",
            self.split.clone(),
        );
        registry.register(
            "store_standings",
            "Standings held: one for each member and window, at the last sweep",
            self.standings.clone(),
        );
        registry.register(
            "store_shard_standings_max",
            "Standings of the largest shard of any board",
            self.shard_standings_max.clone(),
        );
        registry.register(
            "store_shard_skew_max_ratio",
            "The largest shard over the mean of its board, where that is worst, of boards of 10,000 standings and more; 0 without any",
            self.skew_max.clone(),
        );
        registry.register_with_unit(
            "store_remembered_id",
            "Memory of remembered contribution ids, at the last sweep",
            Unit::Bytes,
            self.id_bytes.clone(),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skew_is_of_large_boards_alone_and_the_worst_counts() {
        let mut census = Census::default();
        census.count(&[7]);
        census.count(&[9_999, 0]);
        assert!(census.skew_max.abs() < f64::EPSILON, "{census:?}");
        census.count(&[10_000, 30_000]);
        census.count(&[10_000, 10_000]);
        assert!((census.skew_max - 1.5).abs() < 1e-9, "{census:?}");
        assert_eq!((census.boards, census.split), (4, 3));
        assert_eq!(census.standings, 7 + 9_999 + 40_000 + 20_000);
        assert_eq!(census.shard_standings_max, 30_000);
    }
}
