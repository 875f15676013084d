//! Restores kinds and boards at a start: from a snapshot, then event by event.
//!
//! A snapshot is taken board by board while others write, so the journal after it repeats some of
//! what the snapshot contains: a board that exists is not created again, and one that does not
//! exist has its end in a later event. One thread replays; the cells that it returns may be filled
//! by other threads.

use std::sync::Arc;

use board::{Incarnation, Kind, Timestamp};

use super::{Registry, insert_name, named};
use crate::cell::{Cell, SharedCell};
use crate::shard::Shard;
use shard_store::{BoardRecord, KindRecord};

impl Registry {
    /// Stores a kind from a snapshot or from an event.
    pub fn replay_kind(&self, record: KindRecord, without_boards: bool) {
        drop(self.keep_kind(&mut self.kinds.write(), record, without_boards));
    }

    /// Adds a board from a snapshot. `None`: it has a wrong number of shards.
    pub fn restore(
        &self,
        record: BoardRecord,
        kind: Arc<Kind>,
        last_write: Timestamp,
        shards: Vec<Shard>,
    ) -> Option<()> {
        let cell = Cell::restored(record, kind, last_write, shards)?;
        self.enter(&mut self.names.write(), cell);
        Some(())
    }

    /// Replays the creation of a board's record, under the current version of its kind. `None`: it
    /// was created under another version, or under a kind that does not exist.
    pub fn replay_made(&self, record: &BoardRecord, at: Timestamp) -> Option<()> {
        let kinds = self.kinds.read();
        let mut names = self.names.write();
        // The end of settings is not reported: another record under the same name replaces them.
        let held = named(&names, &record.name).filter(|held| !held.is_created());
        if let Some(held) = held.filter(|held| held.incarnation() != record.incarnation) {
            self.forget(held.incarnation());
        }
        if let Ok(there) = self.cell(record.incarnation) {
            // An earlier incarnation may have taken the name in the meantime.
            insert_name(&mut names, there);
            return Some(());
        }
        let kind = kinds.get(record.name.kind());
        let kind = match kind.and_then(|known| known.for_boards.clone()) {
            Some(kind) if !record.created || kind.meaning() == record.meaning => kind,
            // Settings left by a board may follow a change of the kind that remade or deleted them.
            None if !record.created => return Some(()),
            _ => return None,
        };
        let restored = Cell::restored_empty(record.clone(), kind, at);
        self.enter(&mut names, restored);
        Some(())
    }

    /// Replays the end of an incarnation. Returns false if it does not exist.
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

    /// Returns all kinds, and the log's sequence at that time.
    pub fn kinds_at<S>(&self, sequence: impl FnOnce() -> S) -> (Vec<KindRecord>, S) {
        let kinds = self.kinds.read();
        let records = kinds.values().map(|known| known.record.clone());
        (records.collect(), sequence())
    }

    /// Returns the cell that replaced another one with the same incarnation.
    pub fn replacement_of(&self, cell: &SharedCell) -> Option<SharedCell> {
        let names = self.names.read();
        let held = named(&names, cell.name())?;
        let anew = !Arc::ptr_eq(held, cell) && held.incarnation() == cell.incarnation();
        anew.then(|| held.clone())
    }

    /// Returns all boards, whose orders are still to be built.
    pub fn all_cells(&self) -> Vec<SharedCell> {
        let names = self.names.read();
        let boards = names.values().flat_map(|boards| boards.values());
        boards.cloned().collect()
    }
}
