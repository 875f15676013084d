//! The outcome of contributions: [`Outcome`], or [`ContributeError`] if some are undecided.

use std::fmt::{self, Display, Formatter};

use super::receipt::{PartialItem, ReceiptItem, Written};
use crate::error::Error;

/// The outcome of contributions. A contribution counts once for each of its boards.
///
/// A contribution that was sent again may be reported as a duplicate of the first attempt, so that
/// `applied + duplicates` is the number that count. All others are in [`rejected`](Self::rejected).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outcome {
    /// The number that were applied now.
    pub applied: u64,
    /// The number that were applied before, with the same id.
    pub duplicates: u64,
    /// The applied contributions that did not count in all windows of their kind, ordered by index.
    pub partial: Vec<PartialItem>,
    /// The number of these. The server lists 100 of each request.
    pub partial_count: u64,
    /// The invalid contributions, ordered by index. Do not send them again.
    pub rejected: Vec<ReceiptItem>,
    /// The number of invalid contributions. Greater than the length of `rejected` only if the server
    /// did not list all of them.
    pub rejected_count: u64,
    /// If requested: the standings after each applied contribution, and the current ones of duplicates.
    pub standings: Vec<Written>,
}

/// A contribution whose outcome is undecided.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Undecided {
    /// The index in the list of contributions.
    pub index: usize,
    /// The boards on which it is undecided.
    pub boards: Vec<String>,
    /// Whether it may have been applied there. If false, it definitely was not.
    pub may_be_applied: bool,
    /// Whether it counts once if it is sent again unchanged: it definitely was not applied, or has an id.
    pub may_be_sent_again: bool,
}

/// Some contributions are undecided, and the retry policy is exhausted or a retry would not help.
#[derive(Debug)]
#[non_exhaustive]
pub struct ContributeError {
    /// The outcome of the decided contributions.
    pub outcome: Outcome,
    /// The undecided contributions, ordered by index.
    pub undecided: Vec<Undecided>,
    /// The error because of which they are undecided.
    pub cause: Error,
}

impl ContributeError {
    /// Returns whether all [`undecided`](Self::undecided) contributions count once if they are sent again
    /// unchanged.
    #[must_use]
    pub fn may_be_sent_again(&self) -> bool {
        self.undecided.iter().all(|it| it.may_be_sent_again)
    }
}

impl Display for ContributeError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let unknown = self.undecided.iter().filter(|it| it.may_be_applied);
        write!(
            f,
            "{}; {} applied, {} duplicates, {} rejected; {} contributions are undecided, of which {} may be applied",
            self.cause,
            self.outcome.applied,
            self.outcome.duplicates,
            self.outcome.rejected_count,
            self.undecided.len(),
            unknown.count(),
        )
    }
}

impl std::error::Error for ContributeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // The cause is part of the message, so its source is the next one.
        self.cause.source()
    }
}

/// Sorts by index, and merges the items of the same contribution.
pub(super) fn merged(mut undecided: Vec<Undecided>) -> Vec<Undecided> {
    undecided.sort_by_key(|it| it.index);
    let mut merged: Vec<Undecided> = Vec::with_capacity(undecided.len());
    for next in undecided {
        match merged.last_mut().filter(|last| last.index == next.index) {
            None => merged.push(next),
            Some(last) => {
                let others = next.boards.into_iter();
                let others: Vec<_> = others.filter(|it| !last.boards.contains(it)).collect();
                last.boards.extend(others);
                last.may_be_applied |= next.may_be_applied;
                last.may_be_sent_again &= next.may_be_sent_again;
            }
        }
    }
    merged
}
