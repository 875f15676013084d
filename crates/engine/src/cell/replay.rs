//! What happened to a board, made to happen again at a start.
//!
//! Nothing is decided here: what an event says is done. Large rankings are brought into order once,
//! when everything has been replayed; until then nobody reads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use board::{Activity, BoardName, Incarnation, Kind, ShardCount, Timestamp, Window};
use parking_lot::RwLock;

use super::{Body, Cell};
use crate::ids::IdBudget;
use crate::log::Unlogged;
use crate::shard::{Dropped, Shard, Terms};
use shard_store::{Item, Outcome};

/// A board out of a snapshot, but for its contents.
#[derive(Debug, Clone)]
pub struct Restored {
    /// The board's name.
    pub name: BoardName,
    /// The kind that it was created under.
    pub kind: Arc<Kind>,
    /// Which existence of the board it is.
    pub incarnation: Incarnation,
    /// How many shards it has.
    pub shards: ShardCount,
    /// The board's own time.
    pub activity: Activity,
    /// Whether it has been created by a contribution.
    pub created: bool,
    /// When it was written to last, or its settings were made.
    pub last_write: Timestamp,
}

impl Restored {
    /// The board without contents, to be filled by a replay.
    #[must_use]
    pub fn empty(self) -> Cell {
        self.with(vec![Shard::unordered()])
            .expect("one shard is all that a small board has")
    }

    /// The board with its shards, or with the one that a small board has. `None` where they are
    /// neither.
    pub fn with(self, mut shards: Vec<Shard>) -> Option<Cell> {
        let whole = shards.len() == 1 && self.shards.get() > 1;
        let body = if whole {
            Body::Whole(RwLock::new(shards.pop()?))
        } else if shards.len() == usize::from(self.shards.get()) {
            Body::Split(shards.into_iter().map(RwLock::new).collect())
        } else {
            return None;
        };
        Some(Cell {
            name: self.name,
            kind: self.kind,
            incarnation: self.incarnation,
            shards: self.shards,
            activity: self.activity,
            created: AtomicBool::new(self.created),
            settled: self.last_write,
            last_write: AtomicI64::new(self.last_write.millis()),
            body: RwLock::new(body),
        })
    }
}

impl Cell {
    /// Whether each shard is on its own.
    pub fn is_split(&self) -> bool {
        matches!(&*self.body.read(), Body::Split(_))
    }

    /// Applies again what was applied. False where it can't be: then this is not the board that it
    /// was applied to.
    pub fn replay_applied(
        &self,
        shard: u16,
        items: &[Item],
        now: Timestamp,
        dedupe: std::time::Duration,
        budget: &IdBudget,
    ) -> bool {
        let terms = &Terms {
            rules: self.kind.rules(),
            now,
            dedupe,
            report: false,
            again: true,
            memory: None,
        };
        let shard_of = |hash| self.shards.shard_of(hash);
        let body = self.body.read();
        let was_untouched = body.shards().len() == 1 && body.is_untouched();
        let outcomes = match &*body {
            Body::Dead => return true,
            Body::Whole(whole) => whole.write().apply(items, terms, shard_of, budget).0,
            Body::Split(shards) => {
                let Some(held) = shards.get(usize::from(shard)) else {
                    return false;
                };
                let mut held = held.write();
                let (outcomes, touched) = held.apply(items, terms, shard_of, budget);
                held.finish(terms.rules, &touched);
                outcomes
            }
        };
        if was_untouched {
            // What it was opened with may be when its settings were made, which may be later than now.
            self.last_write.store(now.millis(), Ordering::Relaxed);
        } else {
            self.last_write.fetch_max(now.millis(), Ordering::Relaxed);
        }
        let is_applied = |outcome| matches!(outcome, &Outcome::Applied(_));
        outcomes.iter().all(is_applied)
    }

    /// Drops windows from one shard. False where there is none.
    pub fn replay_dropped(&self, shard: u16, windows: &[Window]) -> bool {
        let body = self.body.read();
        let held = body.shards().get(usize::from(shard));
        if let Some(held) = held {
            held.write().take_windows(windows);
        }
        held.is_some() || matches!(&*body, Body::Dead)
    }

    /// Empties the window without bounds of one shard, or of a small board.
    pub fn replay_emptied(&self, shard: usize) {
        if let Some(held) = self.body.read().shards().get(shard) {
            held.write().take_unbounded();
        }
    }

    /// Splits a small board; one that is split stays.
    pub fn replay_split(&self, budget: &IdBudget) {
        self.split(&self.kind, budget, &mut Unlogged);
    }

    /// Shards that are locked each on its own.
    pub fn parts(&self) -> usize {
        self.body.read().shards().len()
    }

    /// Closes on all shards what one has dropped, when all has been replayed: the journal may end
    /// between what it tells of one shard and of the next.
    pub fn close_alike(&self) {
        let body = self.body.read();
        // Once to learn from all, once to tell all.
        let shards = body.shards().iter().chain(body.shards());
        shards.fold(Dropped::default(), |dropped, shard| {
            shard.write().close(dropped)
        });
    }

    /// Waits no longer for what the board was created for, when all has been replayed: nothing is under way to it.
    pub fn abandon_unused(&self) {
        if self.is_unused() {
            let long_ago = Timestamp::EARLIEST.millis();
            self.last_write.store(long_ago, Ordering::Relaxed);
        }
    }

    /// Brings a shard's rankings into order, when all has been replayed.
    pub fn put_in_order(&self, shard: usize) {
        if let Some(held) = self.body.read().shards().get(shard) {
            held.write().put_in_order(self.kind.rules());
        }
    }
}

#[cfg(test)]
mod tests {
    use board::{Calendar, Member, Period, Value, Values, WindowRule};

    use super::*;
    use shard_store::{Change, Query, StoreError};
    use store_conformance::fixtures::gifts;

    const SPAN: std::time::Duration = std::time::Duration::from_mins(1);
    const AT: Timestamp = Timestamp::from_millis(1_795_186_342_123);

    fn points_by_hour() -> Kind {
        gifts(|spec| {
            spec.windows = vec![WindowRule::with_defaults(Period::Hour)];
            spec.shards = 2;
            spec.dedupe = SPAN;
        })
    }

    #[test]
    fn what_one_shard_dropped_is_closed_on_all_when_the_journal_ends_in_between() {
        let kind = Arc::new(points_by_hour());
        let budget = IdBudget::new(0);
        let shards = kind.shards();
        let name = "gifts/room".parse().unwrap();
        let cell = Cell::new(name, kind.clone(), Incarnation(1), shards.into(), true, AT);
        cell.replay_split(&budget);
        for number in 0..20 {
            let member = Member::new(&format!("u{number}")).unwrap();
            let hash = member.placement_hash();
            let item = Item {
                member,
                hash,
                change: Change::Fold(Values::from(Value::new(1).unwrap())),
                at: AT,
                id: None,
                windows: kind.admit(AT, AT).unwrap(),
            };
            assert!(cell.replay_applied(shards.shard_of(hash), &[item], AT, SPAN, &budget));
        }
        let hour = Calendar::utc().span_at(Period::Hour, AT).window;
        // The last shard, so that the first is to learn of it.
        assert!(cell.replay_dropped(1, &[hour]));
        cell.close_alike();
        let query = Query {
            window: hour,
            unless: None,
            groups: false,
            asks: [].into(),
        };
        for shard in 0..2 {
            cell.put_in_order(usize::from(shard));
            assert_eq!(cell.read(1, shard, &query), Err(StoreError::WindowDropped));
            assert_eq!(cell.windows(shard), Ok(Vec::new()));
        }
    }
}
