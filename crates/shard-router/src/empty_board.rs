//! Outcomes of items on a board without standings, as the rules alone determine them.

use board::{OutOfRange, Rules};
use shard_store::{Change, ItemRejected};

use crate::batch::BatchItem;
use crate::write::WriteOutcome;

/// Returns whether the item, alone on a board without standings, would create a standing.
pub(crate) fn creates_standing(item: &BatchItem, rules: &Rules) -> bool {
    !item.is_removal() && check(item, rules).is_ok()
}

/// Returns the outcome of an item that creates no standing, where there is no board.
pub(crate) fn rejection(item: &BatchItem, rules: &Rules) -> WriteOutcome {
    let rejected = match check(item, rules) {
        Err(out_of_range) => ItemRejected::from(out_of_range),
        Ok(()) => ItemRejected::NotRanked(item.item.member.clone()),
    };
    WriteOutcome::Rejected(rejected.into())
}

/// Checks an item of a member without a standing by the rules.
fn check(item: &BatchItem, rules: &Rules) -> Result<(), OutOfRange> {
    match &item.item.change {
        Change::Fold(values) => rules.fold(None, values, item.item.at).map(drop),
        Change::Set(_) | Change::Remove | Change::RemoveFrom | Change::Expire => Ok(()),
    }
}
