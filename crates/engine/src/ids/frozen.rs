//! [`FrozenIds`]: a copy of remembered ids for a snapshot, and how ids are restored from one.
//!
//! The copy shares the pages of both generations. Its entries are restored by
//! [`RememberedIds::begin`] and [`RememberedIds::put`], in any order.

use board::Timestamp;

use super::generation::{Generation, IdEntry};
use super::{IdBudget, RememberedIds};
use crate::pages::Pages;

/// Ids that no longer change: the younger generation, then the elder.
#[derive(Debug)]
pub struct FrozenIds {
    /// The younger and the elder generation.
    pub generations: [FrozenGeneration; 2],
}

/// One generation of frozen ids.
#[derive(Debug)]
pub struct FrozenGeneration {
    began: Timestamp,
    log: Pages<IdEntry>,
}

impl FrozenGeneration {
    /// Returns when the generation began.
    pub const fn began(&self) -> Timestamp {
        self.began
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.log.iter().map(<[IdEntry]>::len).sum()
    }

    /// Iterates over the entries, in the form in which they are stored.
    pub fn entries(&self) -> impl Iterator<Item = IdEntry> {
        self.log.iter().flatten().copied()
    }
}

impl RememberedIds {
    /// Copies the ids as they are now. The cost is per page, not per id.
    pub(crate) fn freeze(&self) -> FrozenIds {
        let frozen = |generation: &Generation| FrozenGeneration {
            began: generation.began,
            log: generation.log.clone(),
        };
        FrozenIds {
            generations: [frozen(&self.younger), frozen(&self.elder)],
        }
    }

    /// Restarts a generation without entries (0 the younger, 1 the elder) with capacity for
    /// `entries`.
    pub(crate) fn begin(
        &mut self,
        generation: usize,
        began: Timestamp,
        entries: usize,
        budget: &IdBudget,
    ) {
        *self.generation_mut(generation) = Generation::with_room(began, entries, budget);
    }

    /// Adds an entry to a generation (0 the younger, 1 the elder) that does not contain it. It was
    /// accepted before, so the budget is not checked.
    pub(crate) fn put(&mut self, generation: usize, noted: IdEntry, budget: &IdBudget) {
        let generation = self.generation_mut(generation);
        generation.reserve_anyway(budget);
        generation.put(noted);
    }

    const fn generation_mut(&mut self, generation: usize) -> &mut Generation {
        match generation {
            0 => &mut self.younger,
            _ => &mut self.elder,
        }
    }
}
