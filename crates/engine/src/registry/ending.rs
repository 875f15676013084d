//! How boards end: deleted, dropped when empty or expired, or withdrawn, and the settings that a name keeps.

use std::sync::Arc;

use board::{BoardName, Incarnation, Kind, Timestamp};
use shard_store::{BoardSettings, DeleteBoardError};

use super::{Registry, made, named};
use crate::cell::{Cell, Closed, SharedCell};
use crate::log::{Event, Log};

impl Registry {
    /// Deletes a board. No tombstone is needed: an unknown incarnation is one that ended.
    pub fn delete_board(
        &self,
        name: &BoardName,
        log: &mut dyn Log,
    ) -> Result<(), DeleteBoardError> {
        loop {
            let held = named(&self.names.read(), name).cloned();
            let cell = held.ok_or(DeleteBoardError::NotFound)?;
            // If this fails, another incarnation has the name by now: try again.
            if self.end(&cell, None, log, |_| true) {
                return Ok(());
            }
        }
    }

    /// Ends the incarnation if it still has its name and is `due`, and stores the settings `left`
    /// under the name. Returns whether it ended.
    pub(super) fn end(
        &self,
        cell: &SharedCell,
        left: Option<Cell>,
        log: &mut dyn Log,
        due: impl FnOnce(&Closed<'_>) -> bool,
    ) -> bool {
        let Some(closed) = cell.close() else {
            return false;
        };
        let mut names = self.names.write();
        let held = named(&names, cell.name());
        if !held.is_some_and(|held| Arc::ptr_eq(held, cell)) || !due(&closed) {
            return false;
        }
        if let Some(boards) = names.get_mut(cell.name().kind()) {
            boards.remove(cell.name().subject());
        }
        // Reported before the name becomes free. A crash does not lose the settings without the
        // board.
        let incarnation = cell.incarnation();
        let end = Event::BoardEnded { incarnation };
        match &left {
            Some(left) => log.record_together([end, made(left, left.settings_set_at())]),
            None => log.record(end),
        }
        let ended = closed.end(&self.ids);
        if let Some(left) = left {
            self.enter(&mut names, left);
        }
        drop(names);
        self.forget(cell.incarnation());
        // Freeing a large board takes a while: no lock is held.
        drop(ended);
        true
    }

    /// Deletes a board that is empty, or withdraws one to which nothing was ever applied. `next` is
    /// the incarnation of the settings that its name keeps.
    pub fn drop_if_empty(
        &self,
        cell: &SharedCell,
        kind: &Kind,
        next: Incarnation,
        now: Timestamp,
        log: &mut dyn Log,
    ) {
        if cell.is_abandoned(now) {
            self.withdraw_abandoned(cell, next, now, log);
            return;
        }
        let seen = cell.activity();
        let left = self.settings_left_by(cell, next, now);
        self.end(cell, left, log, |closed| {
            cell.activity() == seen && closed.may_be_deleted(kind, now)
        });
    }

    /// Deletes a board that is over, with all its contents, if it is `due` when it has no readers and
    /// writers. `next` is as above.
    pub fn end_over(
        &self,
        cell: &SharedCell,
        next: Incarnation,
        now: Timestamp,
        log: &mut dyn Log,
        due: impl FnOnce(&Closed<'_>) -> bool,
    ) {
        let seen = cell.activity();
        let left = self.settings_left_by(cell, next, now);
        // What is left follows from the activity, which may have been changed since.
        self.end(cell, left, log, |closed| {
            cell.activity() == seen && due(closed)
        });
    }

    /// Withdraws the creation of a board to which nothing was applied: its settings are kept for as
    /// long as if it had never been created. Returns false if it holds something or does not exist.
    pub fn withdraw(&self, incarnation: Incarnation, next: Incarnation, log: &mut dyn Log) -> bool {
        let Ok(cell) = self.cell(incarnation) else {
            return false;
        };
        self.withdraw_if(&cell, next, log, || true)
    }

    /// Withdraws a board that was created a while ago, if it has not been used since.
    pub fn withdraw_abandoned(
        &self,
        cell: &SharedCell,
        next: Incarnation,
        now: Timestamp,
        log: &mut dyn Log,
    ) -> bool {
        self.withdraw_if(cell, next, log, || cell.was_unused_for_a_while(now))
    }

    fn withdraw_if(
        &self,
        cell: &SharedCell,
        next: Incarnation,
        log: &mut dyn Log,
        may_go: impl FnOnce() -> bool,
    ) -> bool {
        let (kind, shards) = self.kind_of(cell).unzip();
        let settings = cell.settings();
        let had_settings = shards.is_some_and(|shards| settings != shards.into());
        let left = kind.filter(|_| had_settings);
        let left = left.map(|kind| settings_of(cell, kind, next, settings, cell.settings_set_at()));
        // The settings may have been changed since they were read.
        let is_due = |closed: &Closed<'_>| {
            cell.is_created() && closed.is_untouched() && cell.settings() == settings && may_go()
        };
        self.end(cell, left, log, is_due)
    }

    /// Returns the settings that the name of a board keeps when the board ends. They follow the
    /// current version of the kind, whose windows may have changed since.
    pub(super) fn settings_left_by(
        &self,
        cell: &Cell,
        next: Incarnation,
        now: Timestamp,
    ) -> Option<Cell> {
        let kinds = self.kinds.read();
        let held = kinds.get(cell.name().kind())?;
        let (current, for_boards) = (held.record.kind.as_ref()?, held.for_boards.clone()?);
        let admits_until = |at| current.admits_until(at);
        let (activity, settings_set_at) = cell.activity().settings_after(admits_until, now)?;
        let settings = BoardSettings {
            shards: current.shards(),
            activity,
        };
        Some(settings_of(
            cell,
            for_boards,
            next,
            settings,
            settings_set_at,
        ))
    }
}

/// Returns a cell with the settings that the name of a board keeps when the board ends.
fn settings_of(
    ended: &Cell,
    kind: Arc<Kind>,
    incarnation: Incarnation,
    settings: BoardSettings,
    settings_set_at: Timestamp,
) -> Cell {
    let name = ended.name().clone();
    Cell::new(name, kind, incarnation, settings, false, settings_set_at)
}
