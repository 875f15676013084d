//! A shard made again from what a [`FrozenShard`](super::frozen::FrozenShard) told.
//!
//! A [`ShardLoader`] takes the parts as they are read. Large rankings are unordered until everything
//! is there, what is replayed after the snapshot included: writes touch their tables alone, and
//! [`Shard::put_in_order`] sorts each once. Whether what is read is whole is the reader's to check:
//! here every window, member and id comes once, and words are as many as the rules say.

use board::{Rules, ShardCount, Timestamp, Window};

use super::{Dropped, Shard};
use crate::ids::{IdBudget, Noted, RememberedIds};
use crate::ranking::{Ranking, RankingFull};

/// Makes a shard, part by part. Ids are taken from the budget, whatever it says.
#[derive(Debug)]
pub struct ShardLoader<'a> {
    rules: &'a Rules,
    shards: ShardCount,
    whole: bool,
    budget: &'a IdBudget,
    shard: Shard,
    /// The window that takes the rows.
    place: usize,
}

impl<'a> ShardLoader<'a> {
    /// Nothing yet: of one shard of a board of so many, or, `whole`, of all of a small one.
    pub fn new(rules: &'a Rules, shards: ShardCount, whole: bool, budget: &'a IdBudget) -> Self {
        Self {
            rules,
            shards,
            whole,
            budget,
            shard: Shard::unordered(),
            place: 0,
        }
    }

    /// The windows that were dropped.
    pub fn set_dropped(&mut self, dropped: Option<Box<Dropped>>) {
        self.shard.dropped = dropped;
    }

    /// So many ids are to follow of a generation that began then, 0 the younger, 1 the elder.
    pub fn begin_ids(&mut self, generation: usize, began: Timestamp, ids: usize) {
        let none = || Box::new(RememberedIds::new(began));
        let held = self.shard.ids.get_or_insert_with(none);
        held.begin(generation, began, ids, self.budget);
    }

    /// An id of a generation, 0 the younger, 1 the elder.
    pub fn push_id(&mut self, generation: usize, noted: Noted) {
        let ids = self.shard.ids.as_mut().expect("ids were begun");
        ids.put(generation, noted, self.budget);
    }

    /// A window at its version, counter and digest: so many rows are to follow.
    pub fn begin_window(&mut self, window: Window, version: (u64, u64), rows: usize) {
        let ranking = Ranking::restored(self.rules, self.whole, version, rows);
        self.place = self.shard.place(window).expect_err("a window comes once");
        self.shard.rankings.reserve_exact(1);
        self.shard.rankings.insert(self.place, (window, ranking));
    }

    /// A row of the window begun last: the member's bytes and the words of its standing.
    pub fn push_row(&mut self, member: &[u8], words: &[u64]) -> Result<(), RankingFull> {
        let shards = self.shards;
        let ranking = &mut self.shard.rankings[self.place].1;
        ranking.push_row(self.rules, member, words, |hash| shards.shard_of(hash))
    }

    /// The shard, to be written and then put in order, not to be read before.
    #[must_use]
    pub fn finish(self) -> Shard {
        self.shard
    }
}

impl Shard {
    /// A shard of a board that begins while others are recovered.
    #[must_use]
    pub fn unordered() -> Self {
        Self {
            unordered: true,
            ..Self::default()
        }
    }

    /// Closes what others have dropped of the same board, and tells what of it is dropped by now.
    pub fn close(&mut self, others: Dropped) -> Dropped {
        if others.iter().any(Option::is_some) {
            let dropped = self.dropped.get_or_insert_default();
            for (latest, other) in dropped.iter_mut().zip(others) {
                *latest = other.max(*latest);
            }
            let rankings = std::mem::take(&mut self.rankings).into_iter();
            let open = rankings.filter(|(window, _)| !self.was_dropped(*window));
            self.rankings = open.collect();
        }
        self.dropped.as_deref().copied().unwrap_or_default()
    }

    /// Ends the recovery: large rankings that are unordered get their order.
    pub fn put_in_order(&mut self, rules: &Rules) {
        for (_, ranking) in &mut self.rankings {
            ranking.put_in_order(rules);
        }
        self.unordered = false;
    }
}
