//! [`WriteOutcome`]: the outcome of a contribution. [`Write`]: a contribution with its board and kind.

use std::sync::Arc;

use board::{
    ActivityRejection, AdmissionError, BoardName, ContributionId, Kind, Member, Period, Timestamp,
    Window, WindowState,
};
use shard_store::{Change, Item, ItemFailure, ItemRejected, Outcome, WindowStanding};

use crate::batch::ItemOrigin;
use crate::catalogue::KnownKind;

/// One contribution with its board and its kind, for callers that have few of them: what
/// [`BoardBatches`](crate::BoardBatches) are collected from.
#[derive(Debug, Clone)]
pub struct Write {
    /// The board.
    pub board: Arc<BoardName>,
    /// Its kind, under whose rules the values were read.
    pub kind: KnownKind,
    /// The member whose standing changes.
    pub member: Member,
    /// The change.
    pub change: Change,
    /// The time of the contribution.
    pub at: Timestamp,
    /// The client's id of it.
    pub id: Option<ContributionId>,
    /// Restricts a removal to this window, or another write, whose `at` it has to contain.
    pub only: Option<Window>,
}

/// The outcome of a contribution to one board.
#[derive(Debug, Clone, PartialEq)]
pub enum WriteOutcome {
    /// Applied as a whole. Standings, if requested, are those after it.
    Applied(Vec<WindowStanding>),
    /// Applied, but not in its windows of these periods: they are closed or no longer kept, or cannot hold its time.
    /// Standings, if requested, are those after it.
    Partial(Vec<WindowStanding>, Vec<Period>),
    /// Applied before under its id. Standings, if requested, are the current ones.
    Duplicate(Vec<WindowStanding>),
    /// Rejected permanently.
    Rejected(WriteRejected),
    /// The store failed.
    Failed(ItemFailure),
}

impl WriteOutcome {
    /// Returns whether a successful removal found its member. `None` if it failed.
    #[must_use]
    pub const fn removed(&self) -> Option<bool> {
        match self {
            Self::Applied(_) | Self::Partial(..) | Self::Duplicate(_) => Some(true),
            Self::Rejected(WriteRejected::Shard(ItemRejected::NotRanked(_))) => Some(false),
            Self::Rejected(_) | Self::Failed(_) => None,
        }
    }

    /// Returns the reported standings of one that was applied, now or before.
    #[must_use]
    pub fn standings(&self) -> Option<&[WindowStanding]> {
        match self {
            Self::Applied(standings) | Self::Partial(standings, _) | Self::Duplicate(standings) => {
                Some(standings)
            }
            Self::Rejected(_) | Self::Failed(_) => None,
        }
    }

    /// Returns the outcome of a write outside of its board's activity.
    pub(crate) fn rejected(rejection: ActivityRejection) -> Self {
        Self::Rejected(rejection.into())
    }

    /// Returns the outcome of an item of a board of this kind.
    pub(crate) fn of(outcome: Outcome, origin: &ItemOrigin, item: &Item, kind: &Kind) -> Self {
        let is_partial = origin.only.is_none()
            && !item.change.is_removal()
            && item.windows.len() < kind.windows().len();
        match outcome {
            Outcome::Applied(standings) if is_partial => {
                let periods = kind.windows().iter().map(|rule| rule.period);
                let is_left_out =
                    |period: &Period| item.windows.iter().all(|window| window.period() != *period);
                Self::Partial(standings, periods.filter(is_left_out).collect())
            }
            outcome => outcome.into(),
        }
    }

    /// Returns whether the write was applied now.
    pub(crate) const fn is_applied(&self) -> bool {
        matches!(self, Self::Applied(_) | Self::Partial(..))
    }

    /// Returns whether the write may have changed the board. A duplicate may have: the request that
    /// applied it may have ended unreported.
    pub(crate) const fn may_have_changed_board(&self) -> bool {
        match self {
            Self::Applied(_)
            | Self::Partial(..)
            | Self::Duplicate(_)
            | Self::Failed(ItemFailure::Unknown(_)) => true,
            Self::Rejected(_)
            | Self::Failed(ItemFailure::Overloaded(_) | ItemFailure::Unavailable(_)) => false,
        }
    }
}

impl From<Outcome> for WriteOutcome {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Applied(standings) => Self::Applied(standings),
            Outcome::Duplicate(standings) => Self::Duplicate(standings),
            Outcome::Rejected(rejected) => Self::Rejected(rejected.into()),
            Outcome::Failed(failure) => Self::Failed(failure),
        }
    }
}

/// Why a write is rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WriteRejected {
    /// Its time is not admitted.
    #[error(transparent)]
    NotAdmitted(#[from] AdmissionError),
    /// It is outside of its board's activity.
    #[error(transparent)]
    NotOpen(#[from] ActivityRejection),
    /// The window that it names does not contain its time.
    #[error("window: {window} does not contain {at}")]
    OtherWindow {
        /// The window's name.
        window: String,
        /// The write's time.
        at: Timestamp,
    },
    /// The window that it names accepts no contributions.
    #[error("window: {window} {}", why_not_open(*.state))]
    WindowNotOpen {
        /// The window's name.
        window: String,
        /// Its state.
        state: WindowState,
    },
    /// Its shard rejects it.
    #[error(transparent)]
    Shard(#[from] ItemRejected),
}

const fn why_not_open(state: WindowState) -> &'static str {
    match state {
        WindowState::Open => "is open",
        WindowState::Closed => "is closed",
        WindowState::Expired => "is past its retention",
        WindowState::BeforePeriod => "began before its period was added to the kind",
    }
}
