//! Who hears that boards have changed: [`Watcher`].
//!
//! Only of kinds that are published, once what became of the writes is known, and never of what the
//! store refused. What other servers write is not heard here.

use std::collections::HashSet;
use std::sync::Arc;

use board::{BoardName, Window, Windows};
use shard_store::Failure;

use crate::plan::BoardPlan;
use crate::write::Written;

/// Hears of changes. Called on the way of a write: it does not block.
pub trait Watcher: Send + Sync {
    /// A board has changed, or may have.
    fn changed(&self, board: &Arc<BoardName>, change: BoardChange<'_>);
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
            .filter(|plan| plan.kind.kind.publication().is_some());
        watched.map(Self::one).collect()
    }

    fn one(plan: &BoardPlan) -> Self {
        let mut watched = Self {
            board: plan.name.clone(),
            places: Vec::with_capacity(plan.writes.len()),
            windows: Vec::new(),
            anywhere: false,
        };
        let mut seen = HashSet::new();
        let mut last: Option<&Windows> = None;
        for (place, windows) in &plan.writes {
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

    /// Tells the watcher, if anything was changed or may have been.
    pub(crate) fn tell(&self, watcher: &dyn Watcher, written: &[Written]) {
        let mut outcomes = self.places.iter().map(|place| &written[*place]);
        if !outcomes.any(may_have_changed) {
            return;
        }
        if self.anywhere {
            watcher.changed(&self.board, BoardChange::Anywhere);
        }
        if !self.windows.is_empty() {
            let windows = BoardChange::Windows(&self.windows);
            watcher.changed(&self.board, windows);
        }
    }
}

/// A duplicate too: who applied it may have ended before anybody heard of it.
fn may_have_changed(written: &Written) -> bool {
    match written {
        Written::Applied(_) | Written::Duplicate(_) | Written::Failed(Failure::Unknown(_)) => true,
        Written::Refused(_) | Written::Failed(Failure::Unavailable(_)) => false,
    }
}
