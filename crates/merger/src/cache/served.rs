//! [`ServedTop`]: a cached top that was served, to be served again without lookups.
//!
//! The response to a repeated read is the same while the kinds, the board's record and its snapshot are the same
//! (counted by [`Changes`](shard_router::Changes)), the snapshot is young enough, and nothing that depends on the time
//! has passed: the window, the board's activity, their ends. Only a top that a read finds in the cache is such a top.
//! Serving it counts as a read, and once it is too old, the next read merges as ever.

use std::sync::Arc;

use board::{BoardName, Keep, Kind, Timestamp, Window};
use shard_router::ChangesSeen;
use tokio::time::Instant;

use super::top::TopView;
use crate::merger::Merger;

/// A top that was served from the cache, and until when it may be served again.
#[derive(Debug, Clone, Copy)]
pub struct ServedTop {
    began: Instant,
    kinds: ChangesSeen,
    record: ChangesSeen,
    snapshot: ChangesSeen,
    /// The last moment at which the snapshot is young enough.
    young_until: Instant,
    /// Before the window of the read was determined.
    from: Timestamp,
    /// The first moment after that at which a lookup may find something else.
    until: Option<Timestamp>,
}

impl Merger {
    /// Looks up again what was served, and returns for how long; `None` if a read would not find the same in the cache.
    /// `from`: when the window was determined, or before that.
    pub fn served_top(
        &self,
        board: &BoardName,
        kind: &Arc<Kind>,
        window: Window,
        view: &TopView,
        from: Timestamp,
    ) -> Option<ServedTop> {
        // Counted before the lookups: a change during them is one since.
        let (catalogue, boards) = (self.router.catalogue(), self.router.boards());
        let incarnation = view.snapshot.vector.incarnation()?;
        let kinds = catalogue.changes().seen(&())?;
        let record = boards.changes().seen(board)?;
        let snapshot = self.boards.changes.seen(&(incarnation, window))?;

        let known = catalogue.known(kind.name().as_str())?;
        let need = self.need(kind, window, false, Instant::now());
        let found = self.top_at_hand(board, kind, window, need)?;
        let is_same = Arc::ptr_eq(&known.kind, kind) && Arc::ptr_eq(&found, &view.snapshot);
        (is_same && !view.stale).then(|| ServedTop {
            began: found.began,
            kinds,
            record,
            snapshot,
            young_until: found.began + kind.max_staleness(),
            from,
            until: self
                .turning_points(kind, window, view)
                .filter(|at| *at > from)
                .min(),
        })
    }

    /// Returns whether a read that arrived at this moment would be served the same from the cache.
    #[must_use]
    pub fn serves_again(&self, top: &ServedTop, arrived: Instant) -> bool {
        let (catalogue, boards) = (self.router.catalogue(), self.router.boards());
        let is_same = arrived <= top.young_until
            && catalogue.changes().none_since(top.kinds)
            && boards.changes().none_since(top.record)
            && self.boards.changes.none_since(top.snapshot);
        if !is_same {
            return false;
        }
        let now = self.now();
        now >= top.from && top.until.is_none_or(|until| now < until)
    }

    /// Counts a read that was served without lookups.
    pub fn count_served_again(&self, top: &ServedTop, arrived: Instant) {
        self.counters.count_hit(arrived, top.began);
    }

    /// Returns all moments at which a read of the window may begin to return something else from the same snapshot.
    fn turning_points(
        &self,
        kind: &Kind,
        window: Window,
        view: &TopView,
    ) -> impl Iterator<Item = Timestamp> {
        let tolerance = self.clock_tolerance();
        // Where the next window begins, this one is no longer the current one, but the previous one until that ends.
        let calendar = kind.calendar();
        let end = calendar.span(window).end;
        let next_end = end.and_then(|end| calendar.span_at(window.period(), end).end);
        let rule = kind.window_rule(window.period());
        let kept = rule.and_then(|rule| match rule.keep {
            Keep::After(keep) => Some(end?.plus(keep)),
            Keep::Forever | Keep::Idle(_) => None,
        });
        let activity = &view.snapshot.activity;
        let ends = [kind.closes_at(window), activity.ends_at()];
        let final_from = ends.map(|at| at.map(|at| at.plus(tolerance)));
        let [closes_at, ends_at] = ends;
        let all = [
            end,
            next_end,
            kept,
            closes_at,
            ends_at,
            activity.expires_at(),
        ];
        all.into_iter().chain(final_from).flatten()
    }
}
