//! [`ShardLoader`]: restores a shard from the contents of a
//! [`FrozenShard`](super::frozen::FrozenShard).
//!
//! The loader takes the parts as they are read. Large rankings stay unordered until everything is
//! loaded, including what is replayed after the snapshot: writes change only their tables, and
//! [`Shard::build_order`] sorts each once. The reader checks that its input is complete: this
//! module requires that every window, member and id comes once, and that standings have as many
//! words as the rules say.

use board::{Rules, ShardCount, Timestamp, Window};

use super::{Dropped, Shard};
use crate::ids::{IdBudget, IdEntry, RememberedIds};
use crate::ranking::{Ranking, RankingFull};

/// Restores a shard, part by part. Takes ids from the budget without checking it.
#[derive(Debug)]
pub struct ShardLoader<'a> {
    rules: &'a Rules,
    shards: ShardCount,
    whole: bool,
    budget: &'a IdBudget,
    shard: Shard,
    /// Position of the window to which rows are added.
    position: usize,
}

impl<'a> ShardLoader<'a> {
    /// Creates an empty loader: for one shard of a board with `shards`, or, if `whole`, for all of
    /// a small one.
    pub fn new(rules: &'a Rules, shards: ShardCount, whole: bool, budget: &'a IdBudget) -> Self {
        Self {
            rules,
            shards,
            whole,
            budget,
            shard: Shard::unordered(),
            position: 0,
        }
    }

    /// Sets the windows that were dropped.
    pub fn set_dropped(&mut self, dropped: Dropped) {
        self.shard.dropped = (!dropped.is_empty()).then(|| Box::new(dropped));
    }

    /// Starts a generation of ids (0 the younger, 1 the elder) that began at `began`; `ids` of them
    /// follow.
    pub fn begin_ids(&mut self, generation: usize, began: Timestamp, ids: usize) {
        let none = || Box::new(RememberedIds::new(began));
        let held = self.shard.ids.get_or_insert_with(none);
        held.begin(generation, began, ids, self.budget);
    }

    /// Adds an id to a generation (0 the younger, 1 the elder).
    pub fn push_id(&mut self, generation: usize, noted: IdEntry) {
        let ids = self.shard.ids.as_mut().expect("ids were begun");
        ids.put(generation, noted, self.budget);
    }

    /// Starts a window at its version (counter and digest); `rows` rows follow.
    pub fn begin_window(&mut self, window: Window, version: (u64, u64), rows: usize) {
        let ranking = Ranking::restored(self.rules, self.whole, version, rows);
        self.position = self
            .shard
            .position(window)
            .expect_err("a window comes once");
        self.shard.rankings.reserve_exact(1);
        self.shard.rankings.insert(self.position, (window, ranking));
    }

    /// Adds a row to the window that was started last: the member's bytes and the words of its
    /// standing.
    pub fn push_row(&mut self, member: &[u8], words: &[u64]) -> Result<(), RankingFull> {
        let shards = self.shards;
        let ranking = &mut self.shard.rankings[self.position].1;
        ranking.push_row(self.rules, member, words, |hash| shards.shard_of(hash))
    }

    /// Returns the shard. It may be written, and must be ordered before it is read.
    #[must_use]
    pub fn finish(self) -> Shard {
        self.shard
    }
}

impl Shard {
    /// Creates a shard of a board that is created during a recovery.
    #[must_use]
    pub fn unordered() -> Self {
        Self {
            unordered: true,
            ..Self::default()
        }
    }

    /// Closes the windows that other shards of the board have dropped, and returns all windows
    /// dropped by now.
    pub fn close(&mut self, others: &Dropped) -> Dropped {
        if !others.is_empty() {
            self.dropped.get_or_insert_default().merge(others);
            let rankings = std::mem::take(&mut self.rankings).into_iter();
            let open = rankings.filter(|(window, _)| !self.was_dropped(*window));
            self.rankings = open.collect();
        }
        self.dropped.as_deref().cloned().unwrap_or_default()
    }

    /// Ends the recovery: builds the order of large rankings.
    pub fn build_order(&mut self, rules: &Rules) {
        for (_, ranking) in &mut self.rankings {
            ranking.build_order(rules);
        }
        self.unordered = false;
    }
}
