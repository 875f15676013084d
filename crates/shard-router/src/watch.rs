//! Who hears that boards have changed: [`Watcher`].
//!
//! Only of kinds that are published, once what became of the writes is known, and never of what the
//! store refused. Where the request ends before that, its client gone, they may be applied all the same:
//! [`Watch`] tells so when it is dropped. What other servers write is not heard here.

use std::collections::HashSet;
use std::sync::Arc;

use board::{BoardName, Window, Windows};
use shard_store::Failure;

use crate::plan::{BoardPlan, PlanPart};
use crate::write::Written;

/// Hears of changes. Called on the way of a write: it does not block.
pub trait Watcher: Send + Sync {
    /// A board has changed, or may have.
    fn changed(&self, board: &Arc<BoardName>, change: BoardChange<'_>);

    /// A board may have changed, or may yet: nobody waits for the store any more, which may have been
    /// given the change.
    fn may_change(&self, board: &Arc<BoardName>, change: BoardChange<'_>);
}

/// What of a board has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoardChange<'a> {
    /// These windows.
    Windows(&'a [Window]),
    /// Any window there is or was: a member was taken off, or the board deleted.
    Anywhere,
}

/// The writes of a request to one board.
pub(crate) struct Watched {
    board: Arc<BoardName>,
    places: Vec<usize>,
    /// All windows that they count in, each once.
    windows: Vec<Window>,
    /// Whether some count in whatever windows there are.
    anywhere: bool,
}

impl Watched {
    /// The boards of these that are watched.
    pub(crate) fn of(boards: &[BoardPlan]) -> Vec<Self> {
        let watched = boards
            .iter()
            .filter(|plan| plan.parts.iter().any(is_published));
        watched.map(Self::one).collect()
    }

    fn one(plan: &BoardPlan) -> Self {
        let writes = plan.parts.iter().flat_map(|part| &part.writes);
        let mut watched = Self {
            board: plan.name.clone(),
            places: Vec::new(),
            windows: Vec::new(),
            anywhere: false,
        };
        let mut seen = HashSet::new();
        let mut last: Option<&Windows> = None;
        for (place, windows) in writes {
            watched.places.push(*place);
            // Removals name none.
            watched.anywhere |= windows.is_empty();
            // Those of about one time share theirs.
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

fn is_published(part: &PlanPart) -> bool {
    part.kind.kind.publication().is_some()
}

/// The watched boards of a request on their way to the store.
pub(crate) struct Watch<'a> {
    watcher: Option<&'a dyn Watcher>,
    /// Of which nothing was told yet.
    boards: Vec<Watched>,
}

impl<'a> Watch<'a> {
    /// Over writes that were not sent yet.
    pub(crate) fn over_writes(watcher: Option<&'a dyn Watcher>, plans: &[BoardPlan]) -> Self {
        let boards = watcher.map_or_else(Vec::new, |_| Watched::of(plans));
        Self { watcher, boards }
    }

    /// Over a board that is to be deleted.
    pub(crate) fn over_deletion(watcher: Option<&'a dyn Watcher>, board: &BoardName) -> Self {
        let board = Watched {
            board: Arc::new(board.clone()),
            places: Vec::new(),
            windows: Vec::new(),
            anywhere: true,
        };
        let boards = vec![board];
        Self { watcher, boards }
    }

    /// Tells of boards where anything was changed or may have been.
    pub(crate) fn written(mut self, written: &[Written]) {
        self.tell(|board| {
            let mut outcomes = board.places.iter().map(|place| &written[*place]);
            outcomes.any(may_have_changed)
        });
    }

    /// Tells of the board that was deleted, or was to be: who hears of it looks at what there is.
    pub(crate) fn deleted(mut self) {
        self.tell(|_| true);
    }

    fn tell(&mut self, is_told: impl Fn(&Watched) -> bool) {
        let boards = std::mem::take(&mut self.boards);
        let Some(watcher) = self.watcher else { return };
        for board in boards.iter().filter(|board| is_told(board)) {
            for change in board.changes() {
                watcher.changed(&board.board, change);
            }
        }
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        let Some(watcher) = self.watcher else { return };
        for board in &self.boards {
            for change in board.changes() {
                watcher.may_change(&board.board, change);
            }
        }
    }
}

/// A duplicate too: who applied it may have ended before anybody heard of it.
fn may_have_changed(written: &Written) -> bool {
    match written {
        Written::Applied(_) | Written::Duplicate(_) | Written::Failed(Failure::Unknown(_)) => true,
        Written::Refused(_) | Written::Failed(Failure::Overloaded(_) | Failure::Unavailable(_)) => {
            false
        }
    }
}
