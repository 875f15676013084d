//! Replays logged events on a board at a start.
//!
//! **Invariant:** replay decides nothing: it does what an event says. Large rankings are sorted
//! once, when all events have been replayed; until then there are no reads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use board::{Kind, Timestamp, Window};
use parking_lot::RwLock;

use super::{Body, Cell, distinct_of};
use crate::ids::IdBudget;
use crate::log::NoLog;
use crate::shard::{ApplyContext, Dropped, Shard};
use shard_store::{BoardRecord, Item, Outcome};

impl Cell {
    /// Creates a board of a recovery without contents, to be filled by a replay.
    pub fn restored_empty(record: BoardRecord, kind: Arc<Kind>, last_write: Timestamp) -> Self {
        let shards = vec![Shard::unordered()];
        Self::restored(record, kind, last_write, shards).expect("a small board has one shard")
    }

    /// Creates a board of a recovery from its record, the kind that it was created under, and the time of its last
    /// write, or when its settings were made. It has either one shard or as many as its record says; `None` for any
    /// other number.
    pub fn restored(
        record: BoardRecord,
        kind: Arc<Kind>,
        last_write: Timestamp,
        mut shards: Vec<Shard>,
    ) -> Option<Self> {
        let whole = shards.len() == 1 && record.shards.get() > 1;
        let body = if whole {
            Body::Whole(RwLock::new(shards.pop()?))
        } else if shards.len() == usize::from(record.shards.get()) {
            Body::Split(shards.into_iter().map(RwLock::new).collect())
        } else {
            return None;
        };
        Some(Self {
            name: record.name,
            distinct: distinct_of(&kind),
            kind,
            incarnation: record.incarnation,
            shards: record.shards,
            activity: RwLock::new(record.activity),
            activity_changed: AtomicBool::new(false),
            created: AtomicBool::new(record.created),
            settings_set_at: last_write,
            last_write: AtomicI64::new(last_write.micros()),
            body: RwLock::new(body),
        })
    }

    /// Returns whether the board is split into its shards.
    pub fn is_split(&self) -> bool {
        matches!(&*self.body.read(), Body::Split(_))
    }

    /// Applies items again. Returns false if that fails: then this is not the board that they were
    /// applied to.
    pub fn replay_applied(
        &self,
        shard: u16,
        items: &[Item],
        now: Timestamp,
        dedupe: std::time::Duration,
        budget: &IdBudget,
    ) -> bool {
        let context = &ApplyContext {
            rules: self.kind.rules(),
            now,
            dedupe,
            report: false,
            again: true,
            memory: None,
            values: None,
        };
        let shard_of = |hash| self.shards.shard_of(hash);
        let body = self.body.read();
        let was_untouched = body.shards().len() == 1 && body.is_untouched();
        let outcomes = match &*body {
            Body::Ended => return true,
            Body::Whole(whole) => whole.write().apply(items, context, shard_of, budget).0,
            Body::Split(shards) => {
                let Some(held) = shards.get(usize::from(shard)) else {
                    return false;
                };
                let mut held = held.write();
                let (outcomes, touched) = held.apply(items, context, shard_of, budget);
                held.finish(context.rules, &touched);
                outcomes
            }
        };
        if was_untouched {
            // `last_write` may still hold the date of the settings, which may be later than now.
            self.last_write.store(now.micros(), Ordering::Relaxed);
        } else {
            self.last_write.fetch_max(now.micros(), Ordering::Relaxed);
        }
        let is_applied = |outcome| matches!(outcome, &Outcome::Applied(_));
        outcomes.iter().all(is_applied)
    }

    /// Drops windows from one shard. Returns false if the shard does not exist.
    pub fn replay_dropped(&self, shard: u16, windows: &[Window]) -> bool {
        let body = self.body.read();
        let held = body.shards().get(usize::from(shard));
        if let Some(held) = held {
            held.write().take_windows(windows);
        }
        held.is_some() || matches!(&*body, Body::Ended)
    }

    /// Empties the window without bounds of one shard, or of a small board.
    pub fn replay_emptied(&self, shard: usize) {
        if let Some(held) = self.body.read().shards().get(shard) {
            held.write().take_unbounded();
        }
    }

    /// Splits a small board; has no effect on a split one. Its distinct values are counted once everything has been
    /// replayed, by [`Cell::build_order`], whether its shards are sorted already or not. Returns false if the board is
    /// too small: no board of its contents was split.
    pub fn replay_split(&self, budget: &IdBudget) -> bool {
        self.split_and(&self.kind, budget, &mut NoLog, |_| {});
        self.is_split()
    }

    /// Returns the number of separately locked shards.
    pub fn parts(&self) -> usize {
        self.body.read().shards().len()
    }

    /// Closes on all shards the windows that one has dropped. Called when everything has been
    /// replayed: the journal may end between the events of two shards.
    pub fn close_windows_on_all(&self) {
        let body = self.body.read();
        // The first pass collects from all shards, the second applies to all.
        let shards = body.shards().iter().chain(body.shards());
        shards.fold(Dropped::default(), |dropped, shard| {
            shard.write().close(&dropped)
        });
    }

    /// Marks a board that was created but never used as abandoned. Called when everything has been
    /// replayed: no contribution to it is in flight.
    pub fn abandon_unused(&self) {
        if self.is_unused() {
            let long_ago = Timestamp::EARLIEST.micros();
            self.last_write.store(long_ago, Ordering::Relaxed);
        }
    }

    /// Sorts a shard's rankings. Called when everything has been replayed.
    pub fn build_order(&self, shard: usize) {
        let body = self.body.read();
        if let Some(held) = body.shards().get(shard) {
            let mut held = held.write();
            held.build_order(self.kind.rules());
            if matches!(&*body, Body::Split(_)) {
                self.count_values(&held);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use board::{Activity, Calendar, Incarnation, Member, Period, Value, Values, WindowRule};

    use super::*;
    use shard_store::{Change, Groups, Query, ShardQuery, StoreError};
    use testkit::conformance::fixtures::gifts;

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
    fn a_window_dropped_on_one_shard_is_closed_on_all_when_the_journal_ends_in_between() {
        let kind = Arc::new(points_by_hour());
        let budget = IdBudget::new(0);
        let shards = kind.shards();
        let name = "gifts/room".parse().unwrap();
        let cell = Cell::new(name, kind.clone(), Incarnation(1), shards.into(), true, AT);
        assert!(!cell.replay_split(&budget), "it is small");
        for number in 0..200 {
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
        assert!(cell.replay_split(&budget));
        // The last shard, so that the information has to reach the first.
        assert!(cell.replay_dropped(1, &[hour]));
        cell.close_windows_on_all();
        let query = Query {
            window: hour,
            unless: None,
            groups: Groups::None,
            ranges: [].into(),
        };
        for shard in 0..2 {
            cell.build_order(usize::from(shard));
            let query = query.clone();
            let read = cell.read(&Activity::ALWAYS, 1, &[ShardQuery { shard, query }]);
            assert_eq!(read, Err(StoreError::WindowDropped));
            assert_eq!(cell.windows(&Activity::ALWAYS, shard), Ok(Vec::new()));
        }
    }
}
