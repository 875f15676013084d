//! An event and the record that it is written as: [`LoggedEvent`].

use std::sync::Arc;
use std::time::Duration;

use board::{IdDigest, Incarnation, Timestamp};
use engine::{self, Event};
use shard_store::{Change, Item, ItemFailure, Outcome};

use super::super::{Applied, Record};
use super::items::NOW;

/// An event, and the record that it is written as.
#[derive(Debug, Clone)]
pub(super) struct LoggedEvent {
    /// The decoded record.
    pub(super) record: Record,
    /// All items of a batch, including those that were not applied.
    pub(super) came: Vec<Item>,
    outcomes: Vec<Outcome>,
}

impl LoggedEvent {
    pub(super) fn plain(record: Record) -> Self {
        Self {
            record,
            came: Vec::new(),
            outcomes: Vec::new(),
        }
    }

    /// A batch of which everything was applied.
    pub(super) fn applied(items: Vec<Item>) -> Self {
        let came = items.into_iter().map(|item| (item, 0)).collect();
        Self::batch((1, 2, NOW, Duration::from_hours(1)), came)
    }

    /// The outcome of each item; 0 is applied.
    pub(super) fn batch(head: (u64, u16, Timestamp, Duration), came: Vec<(Item, u8)>) -> Self {
        let (incarnation, shard, now, dedupe) = head;
        let mut items: Vec<Item> = Vec::new();
        for (item, _) in came.iter().filter(|(_, ended)| *ended == 0) {
            let mut item = item.clone();
            item.id = item.id.map(|id| IdDigest(id.0 << 40 >> 40));
            if item.change == Change::Remove {
                item.windows = items
                    .last()
                    .map_or_else(Arc::default, |last| last.windows.clone());
            }
            items.push(item);
        }
        let outcome = |ended| match ended {
            0 => Outcome::Applied(Vec::new()),
            1 => Outcome::Duplicate(Vec::new()),
            _ => Outcome::Failed(ItemFailure::Unavailable("full".to_owned())),
        };
        Self {
            outcomes: came.iter().map(|(_, ended)| outcome(*ended)).collect(),
            came: came.into_iter().map(|(item, _)| item).collect(),
            record: Record::Applied(Applied {
                incarnation: Incarnation(incarnation),
                shard,
                now,
                dedupe,
                items,
            }),
        }
    }

    pub(super) fn event(&self) -> Event<'_> {
        match &self.record {
            Record::KindWritten {
                record,
                without_boards,
            } => Event::KindWritten {
                record,
                without_boards: *without_boards,
            },
            Record::BoardMade { record, at } => Event::BoardMade { record, at: *at },
            &Record::BoardCreated { incarnation, at } => Event::BoardCreated { incarnation, at },
            &Record::ActivityChanged {
                incarnation,
                activity,
            } => Event::ActivityChanged {
                incarnation,
                activity,
            },
            Record::Applied(applied) => Event::Applied(engine::Applied {
                incarnation: applied.incarnation,
                shard: applied.shard,
                now: applied.now,
                dedupe: applied.dedupe,
                items: &self.came,
                outcomes: &self.outcomes,
            }),
            Record::WindowsDropped {
                incarnation,
                shard,
                windows,
            } => Event::WindowsDropped {
                incarnation: *incarnation,
                shard: *shard,
                windows,
            },
            &Record::BoardEmptied { incarnation } => Event::BoardEmptied { incarnation },
            &Record::BoardSplit { incarnation } => Event::BoardSplit { incarnation },
            &Record::BoardEnded { incarnation } => Event::BoardEnded { incarnation },
            Record::ProfileChanged { kind, change } => Event::ProfileChanged { kind, change },
        }
    }
}
