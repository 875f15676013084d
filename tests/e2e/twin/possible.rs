//! What a board may be: [`Possible`].
//!
//! A sweep comes when it comes, and what is asked at an edge may be decided by the time before it or by
//! that after it. So there may be several boards that everything answered so far fits; each answer
//! leaves those that it fits, too.

use std::cell::{Cell, RefCell};

use super::board::Board;
use super::kind::Kind;

pub(super) struct Possible {
    boards: RefCell<Vec<Board>>,
    /// Counts what may change an answer that is final.
    pub(super) changes: Cell<u64>,
}

/// What one write may have done to a board: what came of it, and the board behind it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Case<T> {
    pub(super) board: Board,
    pub(super) outcome: T,
    pub(super) now: i64,
}

impl Possible {
    pub(super) fn new() -> Self {
        Self {
            boards: RefCell::new(vec![Board::default()]),
            changes: Cell::new(0),
        }
    }

    /// All that the board may be within these moments.
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
                if let Some(swept) = board.swept(kind, *now) {
                    merge(&mut boards, swept);
                }
            }
            next += 1;
        }
        boards
    }

    /// What a write may do, that is decided at one of these moments.
    pub(super) fn cases<T: PartialEq>(
        &self,
        kind: &Kind,
        moments: &[i64],
        write: impl Fn(&mut Board, i64) -> T,
    ) -> Vec<Case<T>> {
        let mut cases: Vec<Case<T>> = Vec::new();
        for board in self.within(kind, moments) {
            for now in moments {
                let mut board = board.clone();
                let outcome = write(&mut board, *now);
                board.is_written_at(*now, moments[0]);
                let is_known = |case: &&mut Case<T>| case.board == board && case.outcome == outcome;
                match cases.iter_mut().find(is_known) {
                    Some(case) => case.board.is_also(&board),
                    None => cases.push(Case {
                        board,
                        outcome,
                        now: *now,
                    }),
                }
            }
        }
        cases
    }

    /// It is one of these.
    pub(super) fn keep(&self, boards: impl IntoIterator<Item = Board>) {
        let mut kept = Vec::new();
        for board in boards {
            merge(&mut kept, board);
        }
        assert!(!kept.is_empty(), "no board is possible");
        *self.boards.borrow_mut() = kept;
    }

    /// Which board of its name it is to reads, if that is sure.
    pub(super) fn incarnation(&self, kind: &Kind, now: i64) -> Option<u64> {
        let boards = self.within(kind, &[now]).into_iter();
        let mut incarnations: Vec<u64> =
            boards.map(|board| board.visible(now).incarnation).collect();
        incarnations.dedup();
        (incarnations.len() == 1).then(|| incarnations[0])
    }

    /// When it changes by itself.
    pub(super) fn edges(&self) -> Vec<i64> {
        let boards = self.boards.borrow();
        boards.iter().flat_map(Board::edges).collect()
    }
}

/// Adds a board, or makes it one with that which it equals.
fn merge(boards: &mut Vec<Board>, board: Board) {
    match boards.iter_mut().find(|other| **other == board) {
        Some(other) => other.is_also(&board),
        None => boards.push(board),
    }
}
