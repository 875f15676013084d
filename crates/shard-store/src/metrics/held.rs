//! What is held in this process, as the sweep finds it on its way through all boards.

use metering::{FloatGauge, Gauge, Registry, Unit};

use crate::engine::Holding;

/// Members that the shards of a board have, on average, before their skew says anything: of fewer the
/// largest of many shards may have twice the mean by chance. Members, and not standings: all windows
/// have a member on the same shard.
const SKEW_SHARD_MEMBERS_MIN: u64 = 100;

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
    /// Counts a board by what its shards hold; one that is small is one shard.
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

/// The largest shard over the mean of all.
#[expect(
    clippy::cast_precision_loss,
    reason = "a ratio that is looked at by people"
)]
fn skew(shards: usize, members: u64, largest: u64) -> f64 {
    largest as f64 * shards as f64 / members as f64
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
            "The largest shard over the mean of its board, in members, where that is worst, of boards with 100 members a shard and more; 0 without any",
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

    /// So many members in five windows.
    fn shard(members: u64) -> Holding {
        let standings = 5 * members;
        Holding { standings, members }
    }

    #[test]
    fn skew_is_of_large_boards_alone_and_the_worst_counts() {
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
    fn what_chance_does_to_many_shards_is_no_skew() {
        // 12,000 members by a hash: 11.7 on average, and 26 on one of them.
        let mut shards = vec![shard(11); 1_024];
        shards[77] = shard(26);
        let mut census = Census::default();
        census.count(&shards);
        assert!(census.skew_max.abs() < f64::EPSILON, "{census:?}");
    }
}
