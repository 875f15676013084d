//! [`Watcher`]: is notified of boards that have changed.
//!
//! Only boards of published kinds are reported, once the outcomes of writes are known, and never
//! for writes that the store rejected. If the request ends before that because its client
//! disconnects, the writes may be applied nevertheless: [`Watch`] reports them when it is dropped.
//! Writes of other servers are not reported.

use std::collections::HashSet;
use std::sync::Arc;

use board::{BoardName, Window, Windows};

use crate::batch::{BoardBatch, KindPart};
use crate::write::WriteOutcome;

/// Receives changes. Called during a write: must not block.
pub trait Watcher: Send + Sync {
    /// A board has changed, or may have.
    fn board_changed(&self, board: &Arc<BoardName>, change: BoardChange<'_>);

    /// A board may have changed, or may still change: the request was abandoned, and the store may
    /// have received the change.
    fn board_may_change(&self, board: &Arc<BoardName>, change: BoardChange<'_>);
}

/// Which part of a board has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoardChange<'a> {
    /// These windows.
    Windows(&'a [Window]),
    /// Possibly any window: a member was removed, or the board deleted, or its settings changed.
    Anywhere,
}

/// The writes of a request to one board.
pub(crate) struct Watched {
    board: Arc<BoardName>,
    indexes: Vec<usize>,
    /// All windows that they count in, each once.
    windows: Vec<Window>,
    /// Whether some affect all existing windows.
    anywhere: bool,
}

impl Watched {
    /// Returns those of these boards that are watched.
    pub(crate) fn of(boards: &[BoardBatch]) -> Vec<Self> {
        let watched = boards
            .iter()
            .filter(|batch| batch.parts.iter().any(is_published));
        watched.map(Self::one).collect()
    }

    fn one(batch: &BoardBatch) -> Self {
        let items = batch.parts.iter().flat_map(|part| &part.items);
        let mut watched = Self {
            board: batch.name.clone(),
            indexes: Vec::new(),
            windows: Vec::new(),
            anywhere: false,
        };
        let mut seen = HashSet::new();
        let mut last: Option<&Windows> = None;
        for item in items {
            let windows = &item.item.windows;
            watched.indexes.push(item.origin.index);
            // Removals have no windows.
            watched.anywhere |= windows.is_empty();
            // Writes of about the same time share their windows.
            if !last.is_some_and(|last| Arc::ptr_eq(last, windows)) {
                let new = windows.iter().filter(|window| seen.insert(**window));
                watched.windows.extend(new);
            }
            last = Some(windows);
        }
        watched
    }

    fn changes(&self) -> impl Iterator<Item = BoardChange<'_>> {
        let anywhere = self.anywhere.then_some(BoardChange::Anywhere);
        let windows = (!self.windows.is_empty()).then_some(BoardChange::Windows(&self.windows));
        anywhere.into_iter().chain(windows)
    }
}

fn is_published(part: &KindPart) -> bool {
    part.kind.kind.publication().is_some()
}

/// The watched boards of a request in progress.
pub(crate) struct Watch<'a> {
    watcher: Option<&'a dyn Watcher>,
    /// The boards that have not been reported yet.
    boards: Vec<Watched>,
}

impl<'a> Watch<'a> {
    /// Watches writes that have not been sent yet.
    pub(crate) fn over_writes(watcher: Option<&'a dyn Watcher>, batches: &[BoardBatch]) -> Self {
        let boards = watcher.map_or_else(Vec::new, |_| Watched::of(batches));
        Self { watcher, boards }
    }

    /// Watches a board that is about to be deleted, or to get other settings.
    pub(crate) fn over_board(watcher: Option<&'a dyn Watcher>, board: &BoardName) -> Self {
        let board = Watched {
            board: Arc::new(board.clone()),
            indexes: Vec::new(),
            windows: Vec::new(),
            anywhere: true,
        };
        let boards = vec![board];
        Self { watcher, boards }
    }

    /// Reports boards where anything was or may have been changed.
    pub(crate) fn written(mut self, written: &[WriteOutcome]) {
        self.report(|board| {
            let mut outcomes = board.indexes.iter().map(|index| &written[*index]);
            outcomes.any(WriteOutcome::may_have_changed_board)
        });
    }

    /// Reports the board that was changed, or may have been: the watcher reads its current state.
    pub(crate) fn changed(mut self) {
        self.report(|_| true);
    }

    fn report(&mut self, has_changed: impl Fn(&Watched) -> bool) {
        let boards = std::mem::take(&mut self.boards);
        let Some(watcher) = self.watcher else { return };
        for board in boards.iter().filter(|board| has_changed(board)) {
            for change in board.changes() {
                watcher.board_changed(&board.board, change);
            }
        }
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        let Some(watcher) = self.watcher else { return };
        for board in &self.boards {
            for change in board.changes() {
                watcher.board_may_change(&board.board, change);
            }
        }
    }
}
