//! [`Outcomes`]: the outcomes of a request, as the steps that determine them find them.

use shard_store::ItemFailure;

use crate::write::WriteOutcome;

/// Outcomes, each with the index of its contribution, in any order.
pub(crate) type Outcomes = Vec<(usize, WriteOutcome)>;

/// Returns the outcome of each of `count` contributions, in order.
pub(crate) fn in_order(
    count: usize,
    outcomes: impl IntoIterator<Item = (usize, WriteOutcome)>,
) -> Vec<WriteOutcome> {
    let lost = || ItemFailure::Unknown("the write has no outcome".to_owned());
    let mut slots = vec![None; count];
    for (index, outcome) in outcomes {
        slots[index] = Some(outcome);
    }
    let slots = slots.into_iter();
    slots
        .map(|slot| slot.unwrap_or_else(|| WriteOutcome::Failed(lost())))
        .collect()
}
