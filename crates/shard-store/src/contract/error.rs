//! Errors of calls to a store, one type for each operation.

use super::failure::{ItemFailure, Overload};
use super::record::BoardRecord;

/// A call to a store failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The board's incarnation has ended, or the store never knew it: read the board again.
    #[error("this incarnation of the board has ended")]
    IncarnationEnded,
    /// The window has been dropped: it was past its retention, whatever the clock shows now.
    #[error("the window has been dropped")]
    WindowDropped,
    /// The board was created under a kind of another meaning, which has replaced the caller's: read
    /// the kind again.
    #[error("the kind has just changed")]
    StaleKind,
    /// The board's activity was changed after the caller read its record: read it again. Nothing
    /// happened.
    #[error("the settings of the board have just changed")]
    SettingsChanged,
    /// The batch's deadline ([`Batch::until`](super::Batch::until)) passed before it could be
    /// applied. Nothing happened.
    #[error("its deadline had passed when it was to be applied")]
    DeadlinePassed,
    /// The store cannot serve the call before its deadline. Nothing happened.
    #[error("the store is overloaded: {0}")]
    Overloaded(Overload),
    /// The store could not accept the call. Nothing happened.
    #[error("the store is unavailable: {0}")]
    Unavailable(String),
    /// The response did not arrive. The call may have taken effect.
    #[error("the store's response did not arrive: {0}")]
    Unknown(String),
}

impl StoreError {
    /// Returns the failure of items that were not sent because an earlier call failed.
    #[must_use]
    pub fn of_unsent(self) -> ItemFailure {
        match self {
            Self::Overloaded(overload) => ItemFailure::Overloaded(overload),
            Self::Unavailable(why) => ItemFailure::Unavailable(why),
            error => ItemFailure::Unavailable(error.to_string()),
        }
    }
}

/// A board could not be created.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CreateBoardError {
    /// The kind was changed or deleted after the caller read it: read it again.
    #[error("the kind has changed")]
    StaleKind,
    /// The board has settings with bounds that the caller has not seen. Contains their record.
    #[error("the board has settings of its own")]
    SettingsUnseen(Box<BoardRecord>),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The settings of a board could not be set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PutSettingsError {
    /// The board has contributions.
    #[error(
        "shards: the board has contributions already: its number of shards can be set again after it has been deleted"
    )]
    AlreadyCreated,
    /// The kind was changed or deleted after the caller read it: read it again.
    #[error("the kind has changed")]
    StaleKind,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The activity of a board with contributions could not be changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChangeActivityError {
    /// The caller's record is not the board's: it was changed or deleted after the caller read it, or
    /// was never created. Nothing happened.
    #[error("the settings of the board have changed")]
    Stale,
    /// The moment before which the change had to be made has passed. Nothing happened.
    #[error("the board ended or expired before its settings could be changed")]
    DeadlinePassed,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A board could not be deleted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeleteBoardError {
    /// There is no such board.
    #[error("there is no such board")]
    NotFound,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A kind could not be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KindWriteError {
    /// The kind was written after the caller read it: read it again.
    #[error("the kind has changed")]
    Stale,
    /// The limit of [`KINDS_MAX`](board::limits::KINDS_MAX) is reached.
    #[error(
        "there are {} kinds, deleted ones included: that is the limit",
        board::limits::KINDS_MAX
    )]
    TooMany,
    /// It has boards, and the call requires that it has none.
    #[error("the kind has boards")]
    HasBoards,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The store does not support a kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{setting}: {reason}")]
pub struct UnsupportedKind {
    setting: &'static str,
    reason: String,
}

impl UnsupportedKind {
    /// Creates an error about a setting.
    #[must_use]
    pub fn new(setting: &'static str, reason: impl Into<String>) -> Self {
        Self {
            setting,
            reason: reason.into(),
        }
    }
}
