//! The possible states of a board: [`PossibleBoards`].
//!
//! A sweep runs at an unknown time, and a request at an edge may be decided before or after it. So
//! several states may agree with all responses so far; each response rules out those that it does
//! not agree with.

use std::cell::{Cell, RefCell};

use super::board::Board;
use super::kind::Kind;

pub(super) struct PossibleBoards {
    boards: RefCell<Vec<Board>>,
    /// The number of changes that may change a final response.
    pub(super) changes: Cell<u64>,
}

/// A possible outcome of a write, and the board after it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct WriteCase<T> {
    pub(super) board: Board,
    pub(super) outcome: T,
    pub(super) now: i64,
}

impl PossibleBoards {
    pub(super) fn new() -> Self {
        Self {
            boards: RefCell::new(vec![Board::default()]),
            changes: Cell::new(0),
        }
    }

    /// Returns all possible states within these moments.
    pub(super) fn within(&self, kind: &Kind, moments: &[i64]) -> Vec<Board> {
        let mut boards = Vec::new();
        for board in self.boards.borrow().iter() {
            let now = moments.first();
            let left = now.map(|now| board.without_what_is_gone(*now));
            merge(&mut boards, left.unwrap_or_else(|| board.clone()));
        }
        let mut next = 0;
        while next < boards.len() {
            let board = boards[next].clone();
            for now in moments {
                merge(&mut boards, board.without_what_is_gone(*now));
                for swept in board.swept(kind, *now) {
                    merge(&mut boards, swept);
                }
            }
            next += 1;
        }
        boards
    }

    /// Returns the possible cases of a write that is decided at one of these moments.
    pub(super) fn cases<T: PartialEq>(
        &self,
        kind: &Kind,
        moments: &[i64],
        write: impl Fn(&mut Board, i64) -> T,
    ) -> Vec<WriteCase<T>> {
        let mut cases: Vec<WriteCase<T>> = Vec::new();
        for board in self.within(kind, moments) {
            for now in moments {
                let mut board = board.clone();
                let outcome = write(&mut board, *now);
                board.is_written_at(*now, moments[0]);
                let is_known =
                    |case: &&mut WriteCase<T>| case.board == board && case.outcome == outcome;
                match cases.iter_mut().find(is_known) {
                    Some(case) => case.board.is_also(&board),
                    None => cases.push(WriteCase {
                        board,
                        outcome,
                        now: *now,
                    }),
                }
            }
        }
        cases
    }

    /// Keeps only these states.
    pub(super) fn keep(&self, boards: impl IntoIterator<Item = Board>) {
        let mut kept = Vec::new();
        for board in boards {
            merge(&mut kept, board);
        }
        assert!(!kept.is_empty(), "no board is possible");
        *self.boards.borrow_mut() = kept;
    }

    /// Returns the incarnation that reads see, if it is certain.
    pub(super) fn incarnation(&self, kind: &Kind, now: i64) -> Option<u64> {
        let boards = self.within(kind, &[now]).into_iter();
        let mut incarnations: Vec<u64> =
            boards.map(|board| board.visible(now).incarnation).collect();
        incarnations.dedup();
        (incarnations.len() == 1).then(|| incarnations[0])
    }

    /// Returns the times at which the board changes without a write.
    pub(super) fn edges(&self) -> Vec<i64> {
        let boards = self.boards.borrow();
        boards.iter().flat_map(Board::edges).collect()
    }
}

/// Adds a state, or merges it with an equal one.
fn merge(boards: &mut Vec<Board>, board: Board) {
    match boards.iter_mut().find(|other| **other == board) {
        Some(other) => other.is_also(&board),
        None => boards.push(board),
    }
}
