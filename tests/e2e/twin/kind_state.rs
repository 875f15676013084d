//! A kind with its boards and its hidden members: [`KindState`].

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use super::kind::Kind;
use super::possible::PossibleBoards;

/// A kind, its boards by subject, and its hidden members.
pub(super) struct KindState {
    pub(super) kind: Kind,
    pub(super) boards: BTreeMap<&'static str, PossibleBoards>,
    pub(super) hidden: BTreeSet<String>,
    /// Counts changes to all boards that may change a final response.
    pub(super) changes: Cell<u64>,
}

impl KindState {
    pub(super) fn new<const N: usize>(kind: Kind, subjects: [&'static str; N]) -> Self {
        let boards = subjects.map(|subject| (subject, PossibleBoards::new()));
        Self {
            kind,
            boards: boards.into(),
            hidden: BTreeSet::new(),
            changes: Cell::new(0),
        }
    }

    /// Returns the number of changes that may change a final response about a board.
    pub(super) fn changes_of(&self, subject: &str) -> u64 {
        self.changes.get() + self.boards[subject].changes.get()
    }
}
