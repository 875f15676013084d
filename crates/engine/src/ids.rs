//! The ids that a shard remembers, to count a re-sent contribution once.
//!
//! [`RememberedIds`] has two generations of one dedupe span each: an id is looked up in both and added to the
//! younger, and the elder is dropped whole when the younger is one span old. Each entry has its own time, so that an
//! id counts for exactly the span. [`IdBudget`] bounds the bytes of all shards together; a contribution whose id
//! cannot be remembered is refused as `unavailable`. [`FrozenIds`] is what was remembered at a moment.

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
pub(crate) use generation::Noted;

const PLACE_BITS: u32 = 12;

/// What may go by from one look to the next: a clock that has gone on by more may have jumped.
const STEP_MAX: Duration = Duration::from_mins(1);

fn shortened(digest: IdDigest, placement_hash: u64) -> Noted {
    let bytes = digest.0.to_le_bytes();
    let word = |i: usize| u32::from_le_bytes([bytes[i], bytes[i + 1], bytes[i + 2], bytes[i + 3]]);
    let place = u32::try_from(placement_hash >> (64 - PLACE_BITS)).expect("12 bits are left");
    [word(0), word(4), word(8) << PLACE_BITS | place, 0]
}

fn shard_of(noted: &Noted, shards: ShardCount) -> usize {
    let place = u64::from(noted[2] & ((1 << PLACE_BITS) - 1));
    usize::from(shards.shard_of(place << (64 - PLACE_BITS)))
}

/// Ids of one shard, each for one dedupe span from when it was applied.
#[derive(Debug)]
pub(crate) struct RememberedIds {
    younger: Generation,
    elder: Generation,
    /// Boxed, as it is there while a clock is wrong alone.
    behind: Option<Box<Behind>>,
}

/// A clock that is behind the younger generation by more than a span.
#[derive(Debug)]
struct Behind {
    seen: Timestamp,
    /// What has gone by since it was behind, in steps that are none of the clock's jumps.
    passed: Duration,
}

impl RememberedIds {
    /// No ids, from now on.
    pub(crate) const fn new(now: Timestamp) -> Self {
        Self {
            younger: Generation::new(now),
            elder: Generation::new(now),
            behind: None,
        }
    }

    /// Whether the id was applied within the span, by a time that the budget [trusts](IdBudget::trust).
    pub(crate) fn holds(
        &self,
        digest: IdDigest,
        placement_hash: u64,
        now: Timestamp,
        span: Duration,
        budget: &IdBudget,
    ) -> bool {
        let digest = shortened(digest, placement_hash);
        let surely = budget.surely(now);
        let holds = |generation: &Generation| {
            let noted_at = generation.noted_at(&digest);
            noted_at.is_some_and(|noted_at| !span.is_zero() && surely < noted_at.plus(span))
        };
        holds(&self.younger) || holds(&self.elder)
    }

    /// Makes sure that the next [`RememberedIds::note`] has room.
    pub(crate) fn reserve(
        &mut self,
        now: Timestamp,
        span: Duration,
        budget: &IdBudget,
    ) -> Result<(), IdsFull> {
        self.age(now, span, budget);
        self.younger.reserve(budget)
    }

    /// The same for an id that was noted before, whatever the budget says.
    pub(crate) fn reserve_anyway(&mut self, now: Timestamp, span: Duration, budget: &IdBudget) {
        self.age(now, span, budget);
        self.younger.reserve_anyway(budget);
    }

    /// Remembers an id from `now` on.
    pub(crate) fn note(&mut self, digest: IdDigest, placement_hash: u64, now: Timestamp) {
        self.younger.note(shortened(digest, placement_hash), now);
    }

    /// Lets go of what is past the span. True when nothing is left. While the budget does not [trust](IdBudget::trust)
    /// the clock, nothing goes.
    pub(crate) fn age(&mut self, now: Timestamp, span: Duration, budget: &IdBudget) -> bool {
        let keeps_all = budget.keeps_all();
        if keeps_all && !self.elder.is_empty() {
            if self.younger.is_over_at(now) {
                self.fold(now, budget);
            }
            return false;
        }
        let of_age = self.came_of_age(now, span, keeps_all);
        if now >= of_age {
            let younger = std::mem::replace(&mut self.younger, Generation::new(now));
            let elder = std::mem::replace(&mut self.elder, younger);
            self.behind = None;
            budget.give_back(elder.bytes());
            // What was noted last, just before it came of age, is past its span too, unless it was noted
            // later, under a longer span.
            if !keeps_all && now >= of_age.plus(span) && now >= self.elder.ends_at(span) {
                let elder = std::mem::replace(&mut self.elder, Generation::new(now));
                budget.give_back(elder.bytes());
            }
        }
        self.is_empty()
    }

    /// When the younger comes of age: a span after it began. Where it began by a clock that was ahead and has been set
    /// right, that would be too late, so once a span has gone by while that was seen. If it is seen while the clock is
    /// behind and is then set right, nothing has changed.
    fn came_of_age(&mut self, now: Timestamp, span: Duration, keeps_all: bool) -> Timestamp {
        let of_age = self.younger.began.plus(span);
        if now >= self.younger.began {
            self.behind = None;
        } else if let Some(behind) = self.behind.as_mut().filter(|_| !keeps_all) {
            let step_ms = now.millis().saturating_sub(behind.seen.millis());
            let step = Duration::from_millis(u64::try_from(step_ms).unwrap_or(0));
            if step <= STEP_MAX {
                behind.passed += step;
            }
            behind.seen = now;
            if behind.passed >= span {
                return now;
            }
        } else if !keeps_all && self.younger.began > now.plus(span) {
            self.behind = Some(Box::new(Behind {
                seen: now,
                passed: Duration::ZERO,
            }));
        }
        of_age
    }

    /// Begins a younger generation though the elder may not go: that takes in what the younger had.
    fn fold(&mut self, now: Timestamp, budget: &IdBudget) {
        let younger = std::mem::replace(&mut self.younger, Generation::new(now));
        for noted in younger.entries() {
            self.elder.reserve_anyway(budget);
            self.elder.note(*noted, younger.noted(noted));
        }
        budget.give_back(younger.bytes());
    }

    /// Whether none is remembered.
    pub(crate) fn is_empty(&self) -> bool {
        self.younger.is_empty() && self.elder.is_empty()
    }

    /// The ids shard by shard, for a board that was small until now.
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

    /// Gives back what the ids took of the budget, when their shard goes.
    pub(crate) fn release(&self, budget: &IdBudget) {
        budget.give_back(self.younger.bytes() + self.elder.bytes());
    }
}
