//! The contribution ids that a shard remembers, so that a re-sent contribution counts once.
//!
//! [`RememberedIds`] has two generations of one dedupe span each: an id is looked up in both and
//! added to the younger, and the elder is dropped as a whole when the younger is one span old. Each
//! entry has its own time, so that an id is remembered for exactly the span. [`IdBudget`] limits
//! the bytes of all shards together; a contribution whose id cannot be remembered is rejected as
//! `unavailable`. [`FrozenIds`] is a copy for a snapshot.

mod budget;
mod frozen;
mod generation;
#[cfg(test)]
mod tests;

use std::time::Duration;

use board::{IdDigest, ShardCount, Timestamp};

pub(crate) use budget::IdsFull;
pub use budget::REMEMBERED_ID_BYTES_MAX;
pub use budget::{IdBudget, IdUse};
pub(crate) use frozen::FrozenIds;
use generation::Generation;
pub(crate) use generation::IdEntry;

const PLACEMENT_BITS: u32 = 12;

/// The longest time between two calls that counts as time passed: a clock that advanced by more may
/// have jumped.
const STEP_MAX: Duration = Duration::from_mins(1);

fn shortened(digest: IdDigest, placement_hash: u64) -> IdEntry {
    let bytes = digest.0.to_le_bytes();
    let word = |i: usize| u32::from_le_bytes([bytes[i], bytes[i + 1], bytes[i + 2], bytes[i + 3]]);
    let place = u32::try_from(placement_hash >> (64 - PLACEMENT_BITS)).expect("12 bits are left");
    [word(0), word(4), word(8) << PLACEMENT_BITS | place, 0]
}

fn shard_of(noted: &IdEntry, shards: ShardCount) -> usize {
    let place = u64::from(noted[2] & ((1 << PLACEMENT_BITS) - 1));
    usize::from(shards.shard_of(place << (64 - PLACEMENT_BITS)))
}

/// Ids of one shard, each remembered for one dedupe span from when it was applied.
#[derive(Debug)]
pub(crate) struct RememberedIds {
    younger: Generation,
    elder: Generation,
    /// Boxed, since it exists only while a clock is wrong.
    behind: Option<Box<ClockBehind>>,
}

/// State while the clock is behind the younger generation by more than a span.
#[derive(Debug)]
struct ClockBehind {
    seen: Timestamp,
    /// The time that has passed since then, not counting jumps of the clock.
    passed: Duration,
}

impl RememberedIds {
    /// Creates an empty set; the younger generation begins now.
    pub(crate) const fn new(now: Timestamp) -> Self {
        Self {
            younger: Generation::new(now),
            elder: Generation::new(now),
            behind: None,
        }
    }

    /// Returns whether the id was applied within the span, by a time that the budget
    /// [trusts](IdBudget::limit_trust).
    pub(crate) fn holds(
        &self,
        digest: IdDigest,
        placement_hash: u64,
        now: Timestamp,
        span: Duration,
        budget: &IdBudget,
    ) -> bool {
        let digest = shortened(digest, placement_hash);
        let trusted_now = budget.trusted_now(now);
        let holds = |generation: &Generation| {
            let remembered_at = generation.remembered_at(&digest);
            remembered_at.is_some_and(|remembered_at| {
                !span.is_zero() && trusted_now < remembered_at.plus(span)
            })
        };
        holds(&self.younger) || holds(&self.elder)
    }

    /// Reserves memory for the next [`RememberedIds::remember`].
    pub(crate) fn reserve(
        &mut self,
        now: Timestamp,
        span: Duration,
        budget: &IdBudget,
    ) -> Result<(), IdsFull> {
        self.age(now, span, budget);
        self.younger.reserve(budget)
    }

    /// Reserves capacity for an id that was remembered before, without checking the budget.
    pub(crate) fn reserve_anyway(&mut self, now: Timestamp, span: Duration, budget: &IdBudget) {
        self.age(now, span, budget);
        self.younger.reserve_anyway(budget);
    }

    /// Remembers an id from `now` on.
    pub(crate) fn remember(&mut self, digest: IdDigest, placement_hash: u64, now: Timestamp) {
        self.younger
            .remember(shortened(digest, placement_hash), now);
    }

    /// Drops ids that are past the span. Returns whether nothing is left. While the budget does not
    /// [trust](IdBudget::limit_trust) the clock, nothing is dropped.
    pub(crate) fn age(&mut self, now: Timestamp, span: Duration, budget: &IdBudget) -> bool {
        let keeps_all = budget.keeps_all();
        if keeps_all && !self.elder.is_empty() {
            if self.younger.is_over_at(now) {
                self.merge_into_elder(now, budget);
            }
            return false;
        }
        let due = self.rotation_due(now, span, keeps_all);
        if now >= due {
            let younger = std::mem::replace(&mut self.younger, Generation::new(now));
            let elder = std::mem::replace(&mut self.elder, younger);
            self.behind = None;
            budget.give_back(elder.bytes());
            // The last entry, added just before the rotation was due, is past its span too, unless
            // it was added later, under a longer span.
            if !keeps_all && now >= due.plus(span) && now >= self.elder.ends_at(span) {
                let elder = std::mem::replace(&mut self.elder, Generation::new(now));
                budget.give_back(elder.bytes());
            }
        }
        self.is_empty()
    }

    /// Returns when the younger generation becomes the elder one: a span after it began. If it
    /// began by a clock that was ahead and has been corrected since, that would be too late: then
    /// when a span has passed since that was noticed. If the clock was merely behind and is
    /// corrected, nothing changes.
    fn rotation_due(&mut self, now: Timestamp, span: Duration, keeps_all: bool) -> Timestamp {
        let due = self.younger.began.plus(span);
        if now >= self.younger.began {
            self.behind = None;
        } else if let Some(behind) = self.behind.as_mut().filter(|_| !keeps_all) {
            let step = now.since(behind.seen);
            if step <= STEP_MAX {
                behind.passed += step;
            }
            behind.seen = now;
            if behind.passed >= span {
                return now;
            }
        } else if !keeps_all && self.younger.began > now.plus(span) {
            self.behind = Some(Box::new(ClockBehind {
                seen: now,
                passed: Duration::ZERO,
            }));
        }
        due
    }

    /// Begins a younger generation while the elder one may not be dropped: the elder takes over the
    /// entries of the younger. If its time range is too short for both, its range moves, and its
    /// oldest entries are remembered for longer: none is dropped before its span is over.
    fn merge_into_elder(&mut self, now: Timestamp, budget: &IdBudget) {
        let younger = std::mem::replace(&mut self.younger, Generation::new(now));
        let began = self.elder.began.max(younger.range_begin());
        let elder = std::mem::replace(&mut self.elder, Generation::new(began));
        for generation in [elder, younger] {
            for noted in generation.entries() {
                self.elder.reserve_anyway(budget);
                self.elder.remember(*noted, generation.added_at(noted));
            }
            budget.give_back(generation.bytes());
        }
    }

    /// Returns whether no id is remembered.
    pub(crate) fn is_empty(&self) -> bool {
        self.younger.is_empty() && self.elder.is_empty()
    }

    /// Distributes the ids of a small board to its shards.
    pub(crate) fn split(self, shards: ShardCount, budget: &IdBudget) -> Vec<Self> {
        let count = usize::from(shards.get());
        let mut parts: Vec<Self> = (0..count).map(|_| Self::new(self.younger.began)).collect();
        for part in &mut parts {
            part.elder.began = self.elder.began;
        }
        for (generation, held) in [&self.younger, &self.elder].into_iter().enumerate() {
            for noted in held.entries() {
                parts[shard_of(noted, shards)].put(generation, *noted, budget);
            }
        }
        self.release(budget);
        parts
    }

    /// Gives the bytes of the ids back to the budget. Called when their shard is dropped.
    pub(crate) fn release(&self, budget: &IdBudget) {
        budget.give_back(self.younger.bytes() + self.elder.bytes());
    }
}
