//! The length of a top list whose kind hides members.
//!
//! A list is the best `keep` of all members. A hidden member among them leaves a position empty:
//! the next member may have been trimmed off a shard's list already. So each query of a shard also
//! counts what that shard has above every hidden member that may be on the list, and the sums of a
//! read show which of them are on it. If one of them has moved since it was located, the read is
//! repeated.

use std::sync::atomic::{AtomicBool, Ordering};

use board::{Bound, Member, RankKey};
use shard_store::{Anchor, RangeAsk, RangePart, ShardEntry, ShardReading};

/// The keys of the hidden members that may be on the list.
#[derive(Debug, Default)]
pub(crate) struct HiddenKeys {
    keep: u64,
    keys: Vec<RankKey>,
    moved: AtomicBool,
}

impl HiddenKeys {
    /// Finds the hidden members that may be on a list of `keep`, from their own entries.
    pub(crate) fn of(keep: u64, readings: &[ShardReading]) -> Self {
        let mut hidden_keys = Self {
            keep,
            ..Self::default()
        };
        let parts = readings.iter().flat_map(|reading| &reading.parts).flatten();
        let listed = parts.filter(|part| hidden_keys.may_list(part));
        hidden_keys.keys = listed.filter_map(entry).map(|e| e.key.clone()).collect();
        hidden_keys
    }

    /// Returns whether a hidden member has moved since.
    pub(crate) fn have_moved(&self) -> bool {
        self.moved.load(Ordering::Relaxed)
    }

    /// Returns the additional asks for every shard.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = RangeAsk> {
        let bounds = self.keys.iter().map(Bound::key);
        bounds.map(|bound| RangeAsk::rank_of(Anchor::Bound(bound)))
    }

    /// Returns how many of them are better than the bound.
    pub(crate) fn above(&self, bound: &Bound) -> u64 {
        self.keys.iter().filter(|key| bound.is_below(key)).count() as u64
    }

    /// Checks whether a hidden member has moved.
    pub(crate) fn check(&self, member: &Member, part: &RangePart) {
        let was = self.keys.iter().find(|key| key.member == *member);
        let is = entry(part).map(|entry| &entry.key);
        let has_moved = match was {
            Some(_) => was != is,
            None => self.may_list(part),
        };
        if has_moved {
            self.moved.store(true, Ordering::Relaxed);
        }
    }

    fn may_list(&self, part: &RangePart) -> bool {
        part.anchor.is_some_and(|rank| rank < self.keep)
    }
}

/// Returns an ask for a member's own entry.
pub(crate) fn own(member: &Member) -> RangeAsk {
    RangeAsk {
        anchor: Anchor::Member(member.clone()),
        before: 0,
        after: 1,
    }
}

fn entry(part: &RangePart) -> Option<&ShardEntry> {
    part.entries.last().or(part.unlisted.as_ref())
}

/// Counts the entries of a list, from one reading of each shard after the other.
pub(crate) struct Counting {
    keep: u64,
    /// How many members are above each hidden member that may be on the list.
    above: Vec<u64>,
}

impl Counting {
    /// Starts counting the entries of a list of `keep`.
    pub(crate) fn new(keep: u64, hidden_keys: Option<&HiddenKeys>) -> Self {
        let keys = hidden_keys.map_or(0, |hidden_keys| hidden_keys.keys.len());
        Self {
            keep,
            above: vec![0; keys],
        }
    }

    /// Adds the counts that follow the requested parts of a reading.
    pub(crate) fn see(&mut self, reading: &ShardReading) {
        let parts = reading.parts.as_deref().unwrap_or_default();
        let beside = parts.len().saturating_sub(self.above.len());
        for (above, part) in self.above.iter_mut().zip(&parts[beside..]) {
            *above += part.anchor.unwrap_or(0);
        }
    }

    /// Returns how many entries the list has at most.
    pub(crate) fn listed(&self) -> u64 {
        let hidden = self.above.iter().filter(|above| **above < self.keep);
        self.keep.saturating_sub(hidden.count() as u64)
    }
}
