//! What became of contributions: [`Outcome`], and [`ContributeError`] where not all are decided.

use std::fmt::{self, Display, Formatter};

use crate::answer::Standing;
use crate::error::Error;
use crate::problem::ProblemType;

/// What became of contributions. Counts go by contribution and board.
///
/// What was sent again may come back as a duplicate of its first sending, so that `applied +
/// duplicates` is what counts now. All that is neither of these is in [`rejected`](Self::rejected).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outcome {
    /// Counted now.
    pub applied: u64,
    /// Counted before, under the same id.
    pub duplicates: u64,
    /// Wrong, and refused: never to be sent again. Those of one contribution stand together.
    pub rejected: Vec<Rejected>,
    /// How many were refused: more than `rejected` names only where a server lists less than it is
    /// asked to.
    pub rejected_count: u64,
    /// Where they were asked for: the standings after each contribution that was applied, and those
    /// of now for duplicates.
    pub standings: Vec<Written>,
}

/// A contribution that was refused, on one of its boards.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rejected {
    /// Its index in what was contributed.
    pub index: usize,
    /// On which board; none where the contribution itself is wrong.
    pub board: Option<String>,
    /// Why, as a stable word.
    pub kind: ProblemType,
    /// The field that is wrong, and its value.
    pub detail: String,
}

/// One contribution on one board: its member's standing in each window.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Written {
    /// The contribution's index in what was contributed.
    pub index: usize,
    /// The board.
    pub board: String,
    /// The member.
    pub member: String,
    /// The standing in each window that the contribution counts in.
    pub windows: Vec<Standing>,
}

/// A contribution that is not decided.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Undecided {
    /// Its index in what was contributed.
    pub index: usize,
    /// On which of its boards it is not decided.
    pub boards: Vec<String>,
    /// Whether it may have been applied there; what is false here surely was not.
    pub may_be_applied: bool,
    /// Whether it may be contributed again as it is, and counts once: it surely was not applied, or
    /// has an id.
    pub may_be_sent_again: bool,
}

/// Not everything is decided, and the retry policy allows no more attempts, or they would not help.
#[derive(Debug)]
#[non_exhaustive]
pub struct ContributeError {
    /// What is decided.
    pub outcome: Outcome,
    /// What is not, by index: everything that the outcome does not count.
    pub undecided: Vec<Undecided>,
    /// Why.
    pub cause: Error,
}

impl ContributeError {
    /// Whether all that is not decided may be contributed again, and counts once: the contributions
    /// at the indices of [`undecided`](Self::undecided), with the ids that they have.
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
        // It is shown above, so that what lies behind it is next.
        self.cause.source()
    }
}

/// By index, one each.
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
