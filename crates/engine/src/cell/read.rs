//! Reads of a board's shards.

use board::{Activity, Window};
use parking_lot::{RwLock, RwLockReadGuard};
use shard_store::{BoardReading, Groups, Query, RangeAsk, ShardQuery, ShardReading, StoreError};
use smallvec::SmallVec;

use super::{Body, Cell};
use crate::ranking::Merged;
use crate::shard::Shard;

impl Cell {
    /// Reads shards, each at one moment, for a caller that has `seen` this activity in the board's
    /// record. Returns a reading for each query, in order.
    pub fn read(
        &self,
        seen: &Activity,
        epoch: u64,
        queries: &[ShardQuery],
    ) -> Result<Vec<ShardReading>, StoreError> {
        if self.kind.is_dense() {
            let queries = queries.iter();
            return queries
                .map(|asked| self.read_whole(seen, epoch, &asked.query))
                .collect();
        }
        let mut readings = Vec::with_capacity(queries.len());
        let body = self.body.read();
        self.check_seen(seen, &body)?;
        match &*body {
            Body::Ended => return Err(StoreError::IncarnationEnded),
            Body::Whole(whole) => {
                let held = whole.read();
                for ShardQuery { shard, query } in queries {
                    readings.push(held.read(&self.kind, epoch, Some(*shard), query)?);
                }
            }
            Body::Split(shards) => {
                for ShardQuery { shard, query } in queries {
                    let held = shards[usize::from(*shard)].read();
                    readings.push(held.read(&self.kind, epoch, None, query)?);
                }
            }
        }
        Ok(readings)
    }

    /// Reads a range of the order of all shards, at one moment; `None` if a shard is being written, or if the range or
    /// the number of shards is too large to hold them all.
    pub fn read_board(
        &self,
        seen: &Activity,
        epoch: u64,
        window: Window,
        groups: Groups,
        ask: &RangeAsk,
    ) -> Result<Option<BoardReading>, StoreError> {
        if self.kind.is_dense() {
            let query = Query {
                window,
                unless: None,
                groups,
                ranges: [ask.clone()].into(),
            };
            let reading = self.read_whole(seen, epoch, &query)?;
            let part = reading.parts.and_then(|mut parts| parts.pop());
            return Ok(part.map(|part| BoardReading {
                versions: vec![reading.version],
                members: reading.members,
                part,
            }));
        }
        let rules = self.kind.rules();
        let body = self.body.read();
        self.check_seen(seen, &body)?;
        let of_one = |held: &Shard| {
            let ranking = held.window(window)?;
            Ok(Some(BoardReading {
                versions: vec![ranking.version(epoch); usize::from(self.shards.get())],
                members: ranking.len() as u64,
                part: ranking.answer(rules, None, groups, ask),
            }))
        };
        let shards = match &*body {
            Body::Ended => return Err(StoreError::IncarnationEnded),
            Body::Whole(whole) => return of_one(&whole.read()),
            Body::Split(shards) => match &**shards {
                [one] => return of_one(&one.read()),
                shards => shards,
            },
        };
        if shards.len() > HELD_MAX || ask.before.saturating_add(ask.after) > HELD_ENTRIES_MAX {
            return Ok(None);
        }
        // Never waits for a shard while it holds others.
        let held: Option<SmallVec<[RwLockReadGuard<'_, Shard>; HELD]>> =
            shards.iter().map(RwLock::try_read).collect();
        let Some(held) = held else {
            return Ok(None);
        };
        let lists = held.iter().map(|shard| shard.window(window));
        let merged = Merged {
            rules,
            shards: self.shards,
            lists: lists.collect::<Result<_, _>>()?,
            values: None,
        };
        let lists = merged.lists.iter();
        Ok(Some(BoardReading {
            versions: lists.clone().map(|list| list.version(epoch)).collect(),
            members: lists.map(|list| list.len() as u64).sum(),
            part: merged.answer(groups, ask),
        }))
    }
}

impl Cell {
    /// Reads all shards as one, at one moment. Waits for those that are being written: its writers
    /// wait for no other shard.
    fn read_whole(
        &self,
        seen: &Activity,
        epoch: u64,
        query: &Query,
    ) -> Result<ShardReading, StoreError> {
        let body = self.body.read();
        self.check_seen(seen, &body)?;
        let shards = match &*body {
            Body::Ended => return Err(StoreError::IncarnationEnded),
            Body::Whole(whole) => return whole.read().read(&self.kind, epoch, None, query),
            Body::Split(shards) => shards,
        };
        let held: SmallVec<[RwLockReadGuard<'_, Shard>; HELD]> =
            shards.iter().map(RwLock::read).collect();
        let distinct = self.distinct.as_ref().map(|distinct| distinct.read());
        let lists = held.iter().map(|shard| shard.window(query.window));
        let lists = lists.collect::<Result<_, _>>()?;
        let merged = Merged {
            rules: self.kind.rules(),
            shards: self.shards,
            lists,
            values: distinct
                .as_ref()
                .and_then(|distinct| distinct.window(query.window)),
        };
        let version = merged.version(epoch);
        let parts = (query.unless != Some(version)).then(|| {
            let asks = query.ranges.iter();
            asks.map(|ask| merged.answer(query.groups, ask)).collect()
        });
        Ok(ShardReading {
            version,
            members: merged.members() as u64,
            parts,
        })
    }

    /// Returns the windows whose distinct values are not those of the shards.
    pub(super) fn verify_values(&self) -> Vec<Window> {
        let body = self.body.read();
        let (Some(distinct), Body::Split(shards)) = (&self.distinct, &*body) else {
            return Vec::new();
        };
        let held: Vec<RwLockReadGuard<'_, Shard>> = shards.iter().map(RwLock::read).collect();
        let rules = self.kind.rules();
        distinct
            .read()
            .differing(rules, held.iter().map(|shard| &**shard))
    }
}

/// Maximum shards that one read holds at once.
const HELD_MAX: usize = 64;

/// Maximum entries of a read that holds several shards: writers wait for it.
const HELD_ENTRIES_MAX: usize = 1_000;

/// The usual maximum of shards that are held.
const HELD: usize = 16;

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use board::{Incarnation, Member, ShardCount, Timestamp, Value, Values};
    use shard_store::{Anchor, Batch, BoardSettings, Change, Item, Memory};
    use testkit::conformance::fixtures::gifts;

    use super::*;
    use crate::ids::IdBudget;
    use crate::log::NoLog;

    const MEMBERS: u64 = 2_000;

    #[test]
    fn a_board_is_read_in_one_step_unless_a_shard_is_written_or_the_range_is_long() {
        let kind = Arc::new(gifts(|spec| spec.shards = 16));
        let now = Timestamp::from_millis(1_764_000_000_000);
        let shards = ShardCount::new(16).unwrap();
        let activity = Activity::ALWAYS;
        let settings = BoardSettings { shards, activity };
        let name = "gifts/a".parse().unwrap();
        let cell = Cell::new(name, kind.clone(), Incarnation(1), settings, true, now);
        for number in 0..MEMBERS {
            let member = Member::new(&format!("u{number}")).unwrap();
            let hash = member.placement_hash();
            let points = i64::try_from(number * 7_919 % 500).unwrap();
            let item = Item {
                hash,
                member,
                change: Change::Fold(Values::from(Value::new(points).unwrap())),
                at: now,
                id: None,
                windows: kind.admit(now, now).unwrap(),
            };
            let batch = Batch {
                kind: &kind,
                now,
                report: false,
                until: None,
                waits_until: None,
                items: &[item],
            };
            let (budget, memory) = (IdBudget::new(0), Memory::default());
            let shard = shards.shard_of(hash);
            cell.apply(&activity, shard, &batch, &budget, &memory, &mut NoLog)
                .unwrap();
        }
        let read = |after| {
            let ask = RangeAsk {
                anchor: Anchor::Rank(700),
                before: 0,
                after,
            };
            cell.read_board(&activity, 0, Window::ALL_TIME, Groups::None, &ask)
                .unwrap()
        };
        let reading = read(50).expect("no shard is being written");
        assert_eq!((reading.members, reading.versions.len()), (MEMBERS, 16));
        assert_eq!((reading.part.start, reading.part.entries.len()), (700, 50));
        assert!(read(HELD_ENTRIES_MAX + 1).is_none());
        let body = cell.body.read();
        let written = body.shards()[3].write();
        assert!(read(50).is_none());
        drop(written);
        assert_eq!(read(50), Some(reading));
    }
}
