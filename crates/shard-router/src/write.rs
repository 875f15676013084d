//! What the router takes and answers.

use std::sync::Arc;

use board::{BoardName, ContributionId, Member, NotAdmitted, NotOpen, Timestamp, Window};
use shard_store::{Change, Failure, Refused, WindowStanding};

use crate::catalogue::KnownKind;

/// One contribution to one board; of an event on several boards there is one for each.
#[derive(Debug, Clone)]
pub struct Write {
    /// The board. Writes that share the `Arc` are gathered without comparing names.
    pub board: Arc<BoardName>,
    /// Its kind, by whose rules the values were read.
    pub kind: KnownKind,
    /// Whose standing changes.
    pub member: Member,
    /// What happens to it.
    pub change: Change,
    /// When.
    pub at: Timestamp,
    /// The client's id of it.
    pub id: Option<ContributionId>,
    /// This window alone, which has to contain `at`.
    pub only: Option<Window>,
}

impl Write {
    pub(crate) fn is_removal(&self) -> bool {
        self.change == Change::Remove
    }
}

/// What became of a [`Write`].
#[derive(Debug, Clone, PartialEq)]
pub enum Written {
    /// Applied, whole. Standings, when asked for, are those after it.
    Applied(Vec<WindowStanding>),
    /// Applied before under its id. Standings, when asked for, are those now.
    Duplicate(Vec<WindowStanding>),
    /// It is wrong.
    Refused(Reason),
    /// The store could not take it.
    Failed(Failure),
}

/// Why a write is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// By its time.
    #[error(transparent)]
    NotAdmitted(#[from] NotAdmitted),
    /// By the time of its board.
    #[error(transparent)]
    NotOpen(#[from] NotOpen),
    /// The one window it names does not hold its time.
    #[error("window: {window} does not contain {at}")]
    OtherWindow {
        /// The window's name.
        window: String,
        /// The write's time.
        at: Timestamp,
    },
    /// By what its shard holds.
    #[error(transparent)]
    Shard(#[from] Refused),
}
