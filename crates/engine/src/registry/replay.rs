//! Kinds and boards as they come back at a start: out of a snapshot, then event by event.
//!
//! A snapshot is taken board by board while others write, so the journal behind it tells again some
//! of what it holds already: a board that is there is not made again, one that is not there is left
//! to the event of its end. One thread replays; what it hands out is safe to be filled by others.

use std::sync::Arc;

use board::{Incarnation, Timestamp};

use super::{Registry, name_it, named};
use crate::cell::{Cell, Restored, Shared};
use shard_store::{BoardRecord, KindRecord};

impl Registry {
    /// Takes a kind as it is in a snapshot, or as an event says that it became.
    pub fn replay_kind(&self, record: KindRecord, alone: bool) {
        self.keep_kind(&mut self.kinds.write(), record, alone);
    }

    /// Takes a board out of a snapshot.
    pub fn restore(&self, cell: Cell) {
        self.enter(&mut self.names.write(), cell);
    }

    /// Makes a board's record, of its kind as it is. `None`: it was created of another, or of one that is not there.
    pub fn replay_made(&self, record: &BoardRecord, at: Timestamp) -> Option<()> {
        let kinds = self.kinds.read();
        let mut names = self.names.write();
        // Settings of a board not yet created end with those that replace them, without a word.
        let held = named(&names, &record.name).filter(|held| !held.is_created());
        if let Some(held) = held.filter(|held| held.incarnation() != record.incarnation) {
            self.forget(held.incarnation());
        }
        if let Ok(there) = self.cell(record.incarnation) {
            // An earlier incarnation may have taken the name back meanwhile.
            name_it(&mut names, there);
            return Some(());
        }
        let kind = kinds.get(record.name.kind());
        let kind = match kind.and_then(|known| known.of_boards.clone()) {
            Some(kind) if !record.created || kind.meaning() == record.meaning => kind,
            // Settings that a board left may come behind a change of its kind, which changed or dropped them, too.
            None if !record.created => return Some(()),
            _ => return None,
        };
        let BoardRecord {
            name,
            incarnation,
            shards,
            activity,
            created,
            ..
        } = record.clone();
        let restored = Restored {
            name,
            kind,
            incarnation,
            shards,
            activity,
            created,
            last_write: at,
        };
        self.enter(&mut names, restored.empty());
        Some(())
    }

    /// Ends an incarnation. False where it is not there.
    pub fn replay_ended(&self, incarnation: Incarnation) -> bool {
        let Ok(cell) = self.cell(incarnation) else {
            return false;
        };
        let mut names = self.names.write();
        if let Some(boards) = names.get_mut(cell.name().kind()) {
            let subject = cell.name().subject();
            if boards
                .get(subject)
                .is_some_and(|held| Arc::ptr_eq(held, &cell))
            {
                boards.remove(subject);
            }
        }
        drop(names);
        self.forget(incarnation);
        self.end_replaced(&cell);
        true
    }

    /// All kinds, and where the log is while they are these.
    pub fn kinds_at<S>(&self, sequence: impl FnOnce() -> S) -> (Vec<KindRecord>, S) {
        let kinds = self.kinds.read();
        let records = kinds.values().map(|known| known.record.clone());
        (records.collect(), sequence())
    }

    /// The cell that has taken another's place in the same incarnation.
    pub fn made_anew(&self, cell: &Shared) -> Option<Shared> {
        let names = self.names.read();
        let held = named(&names, cell.name())?;
        let anew = !Arc::ptr_eq(held, cell) && held.incarnation() == cell.incarnation();
        anew.then(|| held.clone())
    }

    /// All boards there are, to be put in order.
    pub fn all_cells(&self) -> Vec<Shared> {
        let names = self.names.read();
        let boards = names.values().flat_map(|boards| boards.values());
        boards.cloned().collect()
    }
}
