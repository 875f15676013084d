//! [`Closed`]: an incarnation whose readers and writers are gone, so that it may end.

use board::{Kind, Timestamp};
use parking_lot::RwLockWriteGuard;

use super::{Body, Cell, EMPTY_KEPT};
use crate::ids::IdBudget;

/// An incarnation that has no readers or writers and may end.
pub struct Closed<'a> {
    pub(super) cell: &'a Cell,
    pub(super) body: RwLockWriteGuard<'a, Body>,
}

impl Closed<'_> {
    /// Returns whether it holds nothing and is not about to: a new board may have its first
    /// contribution in flight, and a board that is not created has settings, which are kept for a
    /// while.
    pub fn may_be_deleted(&self, kind: &Kind, now: Timestamp) -> bool {
        let cell = self.cell;
        let written = cell.written();
        let idle = cell.is_idle(kind, now);
        let stays_until = if cell.is_created() && cell.activity().is_always() {
            written.plus(EMPTY_KEPT)
        } else {
            // The name must not become available without the bounds of its board.
            cell.activity().settings_kept_until(written)
        };
        let mut shards = self.body.shards().iter();
        now >= stays_until && shards.all(|shard| shard.read().is_empty(idle))
    }

    /// Returns whether it is to be deleted with all that it holds.
    pub fn is_over(&self, kind: &Kind, now: Timestamp) -> bool {
        self.cell.is_over_with(&self.body, kind, now)
    }

    /// Returns whether nothing was ever applied to it.
    pub fn is_untouched(&self) -> bool {
        self.body.is_untouched()
    }

    /// Ends it, once that is recorded: nothing is applied to it afterwards. Returns its contents, which the caller
    /// drops without holding a lock.
    pub fn end(mut self, budget: &IdBudget) -> impl Sized + use<> {
        let ended = std::mem::replace(&mut *self.body, Body::Ended);
        drop(self);
        for shard in ended.shards() {
            shard.read().release_ids(budget);
        }
        ended
    }
}
