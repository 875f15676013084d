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

/// A board that is being written, if it is watched. Reports it when it is dropped.
pub(crate) struct Watch<'a> {
    /// `None` once it has been reported.
    watcher: Option<&'a dyn Watcher>,
    board: Arc<BoardName>,
    /// All windows that the writes count in, each once.
    windows: Vec<Window>,
    /// Whether some affect all existing windows.
    anywhere: bool,
}

impl<'a> Watch<'a> {
    /// Watches writes to a board that have not been sent yet.
    pub(crate) fn over_writes(watcher: Option<&'a dyn Watcher>, batch: &BoardBatch) -> Self {
        let mut parts = batch.parts.iter();
        let mut watch = Self {
            watcher: watcher.filter(|_| parts.any(is_published)),
            board: batch.name.clone(),
            windows: Vec::new(),
            anywhere: false,
        };
        if watch.watcher.is_none() {
            return watch;
        }
        let mut seen = HashSet::new();
        let mut last: Option<&Windows> = None;
        for item in batch.parts.iter().flat_map(|part| &part.items) {
            let windows = &item.item.windows;
            // Removals have no windows.
            watch.anywhere |= windows.is_empty();
            // Writes of about the same time share their windows.
            if !last.is_some_and(|last| Arc::ptr_eq(last, windows)) {
                let new = windows.iter().filter(|window| seen.insert(**window));
                watch.windows.extend(new);
            }
            last = Some(windows);
        }
        watch
    }

    /// Watches a board that is about to be deleted, or to get other settings.
    pub(crate) fn over_board(watcher: Option<&'a dyn Watcher>, board: &BoardName) -> Self {
        Self {
            watcher,
            board: Arc::new(board.clone()),
            windows: Vec::new(),
            anywhere: true,
        }
    }

    /// Reports the board if anything was or may have been changed.
    pub(crate) fn written(mut self, outcomes: &[(usize, WriteOutcome)]) {
        let mut outcomes = outcomes.iter().map(|(_, outcome)| outcome);
        if outcomes.any(WriteOutcome::may_have_changed_board) {
            self.changed();
        } else {
            self.watcher = None;
        }
    }

    /// Reports the board that was changed, or may have been: the watcher reads its current state.
    pub(crate) fn changed(mut self) {
        self.report(|watcher, board, change| watcher.board_changed(board, change));
    }

    fn report(&mut self, report: impl Fn(&dyn Watcher, &Arc<BoardName>, BoardChange<'_>)) {
        let Some(watcher) = self.watcher.take() else {
            return;
        };
        if self.anywhere {
            report(watcher, &self.board, BoardChange::Anywhere);
        }
        if !self.windows.is_empty() {
            let windows = BoardChange::Windows(&self.windows);
            report(watcher, &self.board, windows);
        }
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        self.report(|watcher, board, change| watcher.board_may_change(board, change));
    }
}

fn is_published(part: &KindPart) -> bool {
    part.kind.kind.publication().is_some()
}
