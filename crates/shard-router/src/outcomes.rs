//! [`Outcomes`]: the outcomes of a request, each put in by the step that determines it.

use parking_lot::Mutex;
use shard_store::ItemFailure;

use crate::write::WriteOutcome;

/// The outcomes of a request, by index. The boards and shards of a request are written to concurrently, but by one task:
/// nobody waits for the lock.
pub(crate) struct Outcomes(Mutex<Vec<Option<WriteOutcome>>>);

impl Outcomes {
    /// Creates an empty slot for each contribution.
    pub(crate) fn of(count: usize) -> Self {
        Self(Mutex::new(vec![None; count]))
    }

    /// Puts outcomes into the slots of these indexes.
    pub(crate) fn put(&self, outcomes: impl IntoIterator<Item = (usize, WriteOutcome)>) {
        let mut slots = self.0.lock();
        for (index, outcome) in outcomes {
            slots[index] = Some(outcome);
        }
    }

    /// Returns all outcomes in order.
    pub(crate) fn all(self) -> Vec<WriteOutcome> {
        let lost = || ItemFailure::Unknown("the write has no outcome".to_owned());
        let slots = self.0.into_inner().into_iter();
        slots
            .map(|slot| slot.unwrap_or_else(|| WriteOutcome::Failed(lost())))
            .collect()
    }
}
