//! Remembered ids as they were at a moment, and made again from that.
//!
//! [`FrozenIds`] shares the pages of both generations. Its entries go back into ids by
//! [`RememberedIds::begin`] and [`RememberedIds::put`], in whatever order.

use board::Timestamp;

use super::generation::{Generation, Noted};
use super::{IdBudget, RememberedIds};
use crate::pages::Pages;

/// Ids that do not change any more: the younger generation, then the elder.
#[derive(Debug)]
pub struct FrozenIds {
    /// The current generation, and the one before.
    pub generations: [FrozenGeneration; 2],
}

/// One generation of them.
#[derive(Debug)]
pub struct FrozenGeneration {
    began: Timestamp,
    log: Pages<Noted>,
}

impl FrozenGeneration {
    /// When the current generation began.
    pub const fn began(&self) -> Timestamp {
        self.began
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.log.iter().map(<[Noted]>::len).sum()
    }

    /// What is remembered, to be kept as it is.
    pub fn entries(&self) -> impl Iterator<Item = Noted> {
        self.log.iter().flatten().copied()
    }
}

impl RememberedIds {
    /// The ids as they are now. Takes time by the page, not by the id.
    pub(crate) fn freeze(&self) -> FrozenIds {
        let frozen = |generation: &Generation| FrozenGeneration {
            began: generation.began,
            log: generation.log.clone(),
        };
        FrozenIds {
            generations: [frozen(&self.younger), frozen(&self.elder)],
        }
    }

    /// Begins a generation anew that has had no entries, 0 the younger, 1 the elder: so many are to
    /// be put into it.
    pub(crate) fn begin(
        &mut self,
        generation: usize,
        began: Timestamp,
        entries: usize,
        budget: &IdBudget,
    ) {
        *self.generation_mut(generation) = Generation::with_room(began, entries, budget);
    }

    /// Adds an entry of a generation, 0 the younger, 1 the elder, which does not have it yet. It is
    /// held already: the budget is not asked.
    pub(crate) fn put(&mut self, generation: usize, noted: Noted, budget: &IdBudget) {
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
