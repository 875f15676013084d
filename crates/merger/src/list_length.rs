//! The length of a top list whose kind hides members.
//!
//! A list is the best `keep` of all members. A hidden member among them leaves a position empty:
//! the next member may have been trimmed off a shard's list already. So each query of a shard also
//! counts what that shard has above every hidden member that may be on the list, and the sums of a
//! read show which of them are on it. If one of them has moved since it was located, the read is
//! repeated.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use board::{Bound, Member, RankKey};
use futures::FutureExt as _;
use futures::future::try_join_all;
use shard_store::{Anchor, Ask, Entry, Part, Reading, StoreError};

use crate::scope::Scope;

/// Attempts at a read whose hidden members keep moving.
const MOVES_MAX: usize = 16;

/// The keys of the hidden members that may be on the list.
#[derive(Debug, Default)]
pub(crate) struct HiddenKeys {
    keep: u64,
    keys: Vec<RankKey>,
    moved: AtomicBool,
}

impl HiddenKeys {
    /// Returns the additional asks for every shard.
    pub(crate) fn asks(&self) -> impl Iterator<Item = Ask> {
        let bounds = self.keys.iter().map(Bound::key);
        bounds.map(|bound| Ask::rank_of(Anchor::Bound(bound)))
    }

    /// Returns how many of them are better than the bound.
    pub(crate) fn above(&self, bound: &Bound) -> u64 {
        self.keys.iter().filter(|key| bound.is_below(key)).count() as u64
    }

    /// Checks whether a hidden member has moved.
    pub(crate) fn check(&self, member: &Member, part: &Part) {
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

    fn may_list(&self, part: &Part) -> bool {
        part.anchor.is_some_and(|rank| rank < self.keep)
    }
}

/// Returns an ask for a member's own entry.
pub(crate) fn own(member: &Member) -> Ask {
    Ask {
        anchor: Anchor::Member(member.clone()),
        before: 0,
        after: 1,
    }
}

fn entry(part: &Part) -> Option<&Entry> {
    part.entries.last().or(part.unlisted.as_ref())
}

/// Counts the entries of a list, from one reading of each shard after the other.
pub(crate) struct Counting {
    keep: u64,
    /// How many members are above each hidden member that may be on the list.
    above: Vec<u64>,
}

impl Counting {
    /// Adds the counts that follow the requested parts of a reading.
    pub(crate) fn see(&mut self, reading: &Reading) {
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

impl Scope<'_> {
    /// Returns how many members are on the list at most, including hidden ones.
    pub(crate) fn keep(&self) -> u64 {
        self.kind.retain().map_or(u64::MAX, |retain| retain.keep)
    }

    /// Starts counting the entries of the list.
    pub(crate) fn counting(&self) -> Counting {
        let keys = self
            .hidden_keys
            .as_ref()
            .map_or(0, |hidden_keys| hidden_keys.keys.len());
        Counting {
            keep: self.keep(),
            above: vec![0; keys],
        }
    }

    /// Returns how many entries are listed at most, given a reading of each shard.
    pub(crate) fn listed(&self, readings: &[Reading]) -> u64 {
        let mut counting = self.counting();
        for reading in readings {
            counting.see(reading);
        }
        counting.listed()
    }

    /// Returns whether a position with `above` visible members above it is on the list.
    pub(crate) fn lists(&self, bound: &Bound, above: u64) -> bool {
        let hidden = self
            .hidden_keys
            .as_ref()
            .map_or(0, |hidden_keys| hidden_keys.above(bound));
        above.saturating_add(hidden) < self.keep()
    }

    /// Returns whether the kind has a list and hidden members, which leave positions of it empty.
    fn hides_listed(&self) -> bool {
        self.kind.retain().is_some() && !self.kind.hidden().is_empty()
    }

    /// Locates the hidden members that may be on the list.
    async fn find_hidden_keys(&self) -> Result<HiddenKeys, StoreError> {
        let shards = (0..self.shards()).filter_map(|shard| {
            let hidden = self.kind.hidden().on_shard(self.record.shards, shard);
            let asks: Vec<Ask> = hidden.map(own).collect();
            (!asks.is_empty()).then_some((shard, asks))
        });
        let looks = shards.map(|(shard, asks)| self.look_at(shard, asks.into(), None));
        let readings = try_join_all(looks).await?;
        self.counters.count_round(0);
        let mut hidden_keys = HiddenKeys {
            keep: self.keep(),
            ..HiddenKeys::default()
        };
        let parts = readings.iter().flat_map(|reading| &reading.parts).flatten();
        let listed = parts.filter(|part| hidden_keys.may_list(part));
        hidden_keys.keys = listed.filter_map(entry).map(|e| e.key.clone()).collect();
        Ok(hidden_keys)
    }
}

/// Repeats a read until no hidden member has moved in the meantime.
pub(crate) async fn steady<'a, T, Read>(
    scope: Scope<'a>,
    read: impl Fn(Scope<'a>) -> Read + Send + Sync,
) -> Result<T, StoreError>
where
    Read: Future<Output = Result<T, StoreError>> + Send,
{
    if !scope.hides_listed() {
        return read(scope).await;
    }
    for _ in 0..MOVES_MAX {
        // Boxed, since this is rare and would increase the size of every read.
        let hidden_keys = Arc::new(scope.find_hidden_keys().boxed().await?);
        let there = Scope {
            hidden_keys: Some(hidden_keys.clone()),
            ..scope.clone()
        };
        let answer = read(there).await?;
        if !hidden_keys.moved.load(Ordering::Relaxed) {
            return Ok(answer);
        }
    }
    Err(StoreError::Unavailable(
        "a hidden member moves faster than it can be read".to_owned(),
    ))
}
