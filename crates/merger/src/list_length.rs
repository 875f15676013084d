//! How long a top list is whose kind hides members.
//!
//! A list is the best `keep` of all. A hidden member among them leaves a position that nobody takes: the member
//! behind it need not be on a shard's list any more. So each look at a shard also counts what that shard has above
//! every hidden member that may be on the list, and the sums of a read tell which of them are on it. Where one of
//! them has moved since it was found, the read is made again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use board::{Bound, Member, RankKey};
use futures::FutureExt as _;
use futures::future::try_join_all;
use shard_store::{Anchor, Ask, Entry, Part, Reading, StoreError};

use crate::scope::Scope;

/// Tries at a read until it is given up, whose hidden members move all the time.
const MOVES_MAX: usize = 16;

/// Where hidden members stand that may be on the list.
#[derive(Debug, Default)]
pub(crate) struct HiddenPlaces {
    keep: u64,
    keys: Vec<RankKey>,
    moved: AtomicBool,
}

impl HiddenPlaces {
    /// What every shard is asked beside.
    pub(crate) fn asks(&self) -> impl Iterator<Item = Ask> {
        let bounds = self.keys.iter().map(Bound::key);
        bounds.map(|bound| Ask::rank_of(Anchor::Bound(bound)))
    }

    /// How many of them are better than the bound.
    pub(crate) fn above(&self, bound: &Bound) -> u64 {
        self.keys.iter().filter(|key| bound.is_below(key)).count() as u64
    }

    /// Holds where a hidden member stands against where it stood.
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

/// Asks for a member's own entry.
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

/// Counts how many a list shows, one reading of each shard after the other.
pub(crate) struct Counting {
    keep: u64,
    /// What is above each hidden member that may be on the list.
    above: Vec<u64>,
}

impl Counting {
    /// Takes in what stands behind the parts that were asked for.
    pub(crate) fn see(&mut self, reading: &Reading) {
        let parts = reading.parts.as_deref().unwrap_or_default();
        let beside = parts.len().saturating_sub(self.above.len());
        for (above, part) in self.above.iter_mut().zip(&parts[beside..]) {
            *above += part.anchor.unwrap_or(0);
        }
    }

    /// How many the list shows at most.
    pub(crate) fn listed(&self) -> u64 {
        let hidden = self.above.iter().filter(|above| **above < self.keep);
        self.keep.saturating_sub(hidden.count() as u64)
    }
}

impl Scope<'_> {
    /// So many of the board are on its list at most, with those that are hidden.
    pub(crate) fn keep(&self) -> u64 {
        self.kind.retain().map_or(u64::MAX, |retain| retain.keep)
    }

    /// Counts how many are listed.
    pub(crate) fn counting(&self) -> Counting {
        let keys = self.places.as_ref().map_or(0, |places| places.keys.len());
        Counting {
            keep: self.keep(),
            above: vec![0; keys],
        }
    }

    /// How many are listed at most, by a reading of each shard.
    pub(crate) fn listed(&self, readings: &[Reading]) -> u64 {
        let mut counting = self.counting();
        for reading in readings {
            counting.see(reading);
        }
        counting.listed()
    }

    /// Whether a place with so many visible ones above it is on the list.
    pub(crate) fn lists(&self, bound: &Bound, above: u64) -> bool {
        let hidden = self.places.as_ref().map_or(0, |places| places.above(bound));
        above.saturating_add(hidden) < self.keep()
    }

    /// Whether there is a list that hidden members leave places on.
    fn leaves_places(&self) -> bool {
        self.kind.retain().is_some() && !self.kind.hidden().is_empty()
    }

    /// Where those stand who leave them.
    async fn find_places(&self) -> Result<HiddenPlaces, StoreError> {
        let shards = (0..self.shards()).filter_map(|shard| {
            let hidden = self.kind.hidden().on_shard(self.record.shards, shard);
            let asks: Vec<Ask> = hidden.map(own).collect();
            (!asks.is_empty()).then_some((shard, asks))
        });
        let looks = shards.map(|(shard, asks)| self.look_at(shard, asks.into(), None));
        let readings = try_join_all(looks).await?;
        self.counters.count_round(0);
        let mut places = HiddenPlaces {
            keep: self.keep(),
            ..HiddenPlaces::default()
        };
        let parts = readings.iter().flat_map(|reading| &reading.parts).flatten();
        let listed = parts.filter(|part| places.may_list(part));
        places.keys = listed.filter_map(entry).map(|e| e.key.clone()).collect();
        Ok(places)
    }
}

/// Reads until no hidden member has moved meanwhile.
pub(crate) async fn steady<'a, T, Read>(
    scope: Scope<'a>,
    read: impl Fn(Scope<'a>) -> Read + Send + Sync,
) -> Result<T, StoreError>
where
    Read: Future<Output = Result<T, StoreError>> + Send,
{
    if !scope.leaves_places() {
        return read(scope).await;
    }
    for _ in 0..MOVES_MAX {
        // Boxed, since it is rare, and every read would carry its size.
        let places = Arc::new(scope.find_places().boxed().await?);
        let there = Scope {
            places: Some(places.clone()),
            ..scope.clone()
        };
        let answer = read(there).await?;
        if !places.moved.load(Ordering::Relaxed) {
            return Ok(answer);
        }
    }
    Err(StoreError::Unavailable(
        "a hidden member moves faster than it can be read".to_owned(),
    ))
}
