//! How calls to a store fail, narrow by operation.

use std::time::Duration;

use super::record::BoardRecord;
use super::write::Failure;

/// More work waits than can be done in time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct Overload {
    /// What waits, and where.
    pub why: String,
    /// About how long until that is done.
    pub wait: Duration,
}

/// A call to a store did not end as it should.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The board's incarnation is dead, or the store never knew it: ask for the board again.
    #[error("this incarnation of the board has ended")]
    Dead,
    /// The window to be read has been dropped: it is past its retention, whatever the clock says.
    #[error("the window has been dropped")]
    WindowDropped,
    /// The board was created from a kind that means something else than the caller's, which has been
    /// replaced: read the kind again.
    #[error("the kind has just changed")]
    StaleKind,
    /// The batch's own deadline ([`Batch::until`](super::Batch::until)) had passed when it was to be
    /// applied. Nothing happened.
    #[error("its deadline had passed when it was to be applied")]
    Late,
    /// The store has more to do than it can do before the call's deadline. Nothing happened.
    #[error("the store is overloaded: {0}")]
    Overloaded(Overload),
    /// The store could not take the call. Nothing happened.
    #[error("the store is unavailable: {0}")]
    Unavailable(String),
    /// The answer did not arrive. The call may have happened.
    #[error("the store's answer did not arrive: {0}")]
    Unknown(String),
}

impl StoreError {
    /// Why an item was not applied, of a call that came before the one that would have applied it.
    #[must_use]
    pub fn of_unsent(self) -> Failure {
        match self {
            Self::Overloaded(overload) => Failure::Overloaded(overload),
            error => Failure::Unavailable(error.to_string()),
        }
    }
}

/// A board could not be created.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CreateBoardError {
    /// The kind has changed or gone since the caller read it: read it again.
    #[error("the kind has changed")]
    StaleKind,
    /// The board has settings that bound its time, which the caller has not seen: the record of
    /// them, not yet created.
    #[error("the board has settings of its own")]
    Unseen(Box<BoardRecord>),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The settings of one board could not be set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PutSettingsError {
    /// The board has had its first contribution.
    #[error("the board has contributions already")]
    Created,
    /// The kind has changed or gone since the caller read it: read it again.
    #[error("the kind has changed")]
    StaleKind,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A board could not be deleted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeleteBoardError {
    /// There is no such board.
    #[error("there is no such board")]
    NotThere,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A kind could not be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KindWriteError {
    /// Somebody else wrote it since the caller read it: read it again.
    #[error("the kind has changed")]
    Stale,
    /// It would be one more than [`KINDS_MAX`](board::limits::KINDS_MAX).
    #[error(
        "there are {} kinds, deleted ones included: that is the limit",
        board::limits::KINDS_MAX
    )]
    TooMany,
    /// It has boards, and the caller wanted it only without.
    #[error("the kind has boards")]
    HasBoards,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
