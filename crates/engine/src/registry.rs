//! [`Registry`]: which kinds and boards exist, and the cell of each board.
//!
//! Locks are taken in this order: kinds, a part of profiles, a cell's body, names, cells. Creations hold the kinds for
//! reading while they add a name, and a kind is written under the write lock, so that no board is
//! created from an outdated kind. A thread that ends a board first waits for its readers and only
//! then locks the names: a long read does not block calls for other boards. How boards are restored
//! at a start is in `replay`.

mod ending;
mod kinds;
mod known_kinds;
mod profiles;
mod replay;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Included, Unbounded};
use std::sync::Arc;

use crate::profile_table::ProfileTable;
use board::{Activity, BoardName, Incarnation, Kind, KindName, Subject, Timestamp};
use hashbrown::HashTable;
use parking_lot::RwLock;

pub use known_kinds::is_equivalent_for_boards;

use super::cell::{Cell, SharedCell};
use super::ids::IdBudget;
use super::log::{Event, Log};
use known_kinds::{Kinds, current_kind};
use shard_store::{
    BoardRecord, BoardSettings, ChangeActivityError, CreateBoardError, Deadline, KindRecord,
    Memory, PutSettingsError, StoreError,
};

/// Number of maps from incarnation to cell, so that creations on one do not block calls on others.
const CELL_MAPS: usize = 64;

/// All kinds and boards in memory.
#[derive(Debug)]
pub struct Registry {
    kinds: RwLock<Kinds>,
    names: RwLock<Names>,
    cells: [RwLock<HashTable<SharedCell>>; CELL_MAPS],
    /// Profiles of members. They are changed while the kinds are locked.
    profiles: ProfileTable,
    /// The memory limit of remembered ids.
    pub ids: IdBudget,
    /// The memory limit of boards.
    pub memory: Arc<Memory>,
}

/// Boards by kind and subject. The cell of a name may be one that only has settings.
type Names = BTreeMap<KindName, BTreeMap<Subject, SharedCell>>;

fn named<'a>(names: &'a Names, name: &BoardName) -> Option<&'a SharedCell> {
    names.get(name.kind())?.get(name.subject())
}

/// Returns the cells of a kind whose subjects begin with `prefix`, by subject, after `after`.
fn behind<'a>(
    names: &'a Names,
    kind: &KindName,
    prefix: &'a str,
    after: Option<&Subject>,
) -> impl Iterator<Item = &'a SharedCell> {
    let boards = names.get(kind).into_iter().flat_map(move |boards| {
        let from = match after.map(Subject::as_str) {
            Some(after) if after >= prefix => Excluded(after),
            _ => Included(prefix),
        };
        boards.range::<str, _>((from, Unbounded))
    });
    let begins = boards.take_while(move |(subject, _)| subject.as_str().starts_with(prefix));
    begins.map(|(_, cell)| cell)
}

impl Registry {
    /// Creates a registry without boards, and without a memory limit except for remembered ids.
    #[must_use]
    pub fn new(id_bytes_max: usize) -> Self {
        Self::within(Arc::default(), id_bytes_max)
    }

    /// Creates a registry whose boards are limited to this memory.
    pub fn within(memory: Arc<Memory>, id_bytes_max: usize) -> Self {
        Self {
            memory,
            kinds: RwLock::default(),
            names: RwLock::default(),
            cells: std::array::from_fn(|_| RwLock::default()),
            profiles: ProfileTable::default(),
            ids: IdBudget::new(id_bytes_max),
        }
    }

    /// Returns a board's record, if the board exists or has settings.
    pub fn board(&self, name: &BoardName) -> Option<BoardRecord> {
        named(&self.names.read(), name).map(|cell| cell.record())
    }

    /// Returns the created boards of a kind whose subjects begin with `prefix`, by subject, after `after`.
    pub fn boards(
        &self,
        kind: &KindName,
        prefix: &str,
        after: Option<&Subject>,
        limit: usize,
    ) -> Vec<BoardRecord> {
        let names = self.names.read();
        behind(&names, kind, prefix, after)
            .filter(|cell| cell.is_created())
            .take(limit)
            .map(|cell| cell.record())
            .collect()
    }

    /// Returns the record of a board that already exists, if the kind is still the one that the
    /// caller read: the case of nearly all creations. Reports no event, and waits for no other
    /// creation.
    pub fn created(
        &self,
        name: &BoardName,
        kind: &KindRecord,
        now: Timestamp,
    ) -> Option<BoardRecord> {
        let kinds = self.kinds.read();
        current_kind(&kinds, kind)?;
        let names = self.names.read();
        let cell = named(&names, name).filter(|cell| cell.is_created())?;
        // While the names are locked, so that the sweep does not delete it as unused.
        cell.mark_created(now);
        Some(cell.record())
    }

    /// Creates a board, or returns the existing one.
    pub fn create_board(
        &self,
        name: &BoardName,
        kind: &KindRecord,
        seen: Option<Incarnation>,
        incarnation: Incarnation,
        now: Timestamp,
        log: &mut dyn Log,
    ) -> Result<BoardRecord, CreateBoardError> {
        let kinds = self.kinds.read();
        let (current, shards) = current_kind(&kinds, kind).ok_or(CreateBoardError::StaleKind)?;
        let mut names = self.names.write();
        if let Some(cell) = named(&names, name) {
            if !cell.is_created() {
                let incarnation = cell.incarnation();
                if !cell.activity().is_always() && seen != Some(incarnation) {
                    return Err(CreateBoardError::SettingsUnseen(Box::new(cell.record())));
                }
                log.record(Event::BoardCreated {
                    incarnation,
                    at: now,
                });
            }
            cell.mark_created(now);
            return Ok(cell.record());
        }
        let settings = shards.into();
        let cell = Cell::new(name.clone(), current, incarnation, settings, true, now);
        log.record(made(&cell, now));
        Ok(self.enter(&mut names, cell))
    }

    /// Stores settings for a board that is not yet created.
    pub fn put_settings(
        &self,
        name: &BoardName,
        kind: &KindRecord,
        settings: BoardSettings,
        incarnation: Incarnation,
        now: Timestamp,
        log: &mut dyn Log,
    ) -> Result<BoardRecord, PutSettingsError> {
        let kinds = self.kinds.read();
        let (current, _) = current_kind(&kinds, kind).ok_or(PutSettingsError::StaleKind)?;
        let mut names = self.names.write();
        let held = named(&names, name).cloned();
        if let Some(held) = &held {
            if held.is_created() {
                return Err(PutSettingsError::AlreadyCreated);
            }
            self.forget(held.incarnation());
        }
        let cell = Cell::new(name.clone(), current, incarnation, settings, false, now);
        log.record(made(&cell, now));
        let record = self.enter(&mut names, cell);
        drop(names);
        if let Some(held) = held {
            self.end_replaced(&held);
        }
        Ok(record)
    }

    /// Changes the activity of a created board, whose record the caller has read, before `until`.
    pub fn change_activity(
        &self,
        board: &BoardRecord,
        activity: Activity,
        until: Option<Deadline<'_>>,
        log: &mut dyn Log,
    ) -> Result<BoardRecord, ChangeActivityError> {
        let cell = self.cell(board.incarnation);
        let cell = cell.map_err(|_| ChangeActivityError::Stale)?;
        cell.change_activity(&board.activity, activity, until, log)?;
        Ok(BoardRecord {
            activity,
            ..board.clone()
        })
    }

    /// Ends an incarnation whose name another one has taken. Not reported: the event of the other
    /// one implies it.
    fn end_replaced(&self, cell: &SharedCell) {
        if let Some(closed) = cell.close() {
            drop(closed.end(&self.ids));
        }
    }

    /// Returns the cell of an incarnation of a board.
    pub fn cell(&self, incarnation: Incarnation) -> Result<SharedCell, StoreError> {
        let map = self.cell_map(incarnation).read();
        let found = map.find(incarnation.0, |cell| cell.incarnation() == incarnation);
        found.cloned().ok_or(StoreError::IncarnationEnded)
    }

    /// Iterates over the boards of a kind, up to `boards_max` at a time: no lock is held in
    /// between.
    pub fn pages<'a>(
        &'a self,
        kind: &'a KindName,
        boards_max: usize,
    ) -> impl Iterator<Item = Vec<SharedCell>> + 'a {
        let mut after: Option<Subject> = None;
        std::iter::from_fn(move || {
            let cells = self.cells_behind(kind, after.as_ref(), boards_max);
            after = Some(cells.last()?.name().subject().clone());
            Some(cells)
        })
    }

    fn cells_behind(
        &self,
        kind: &KindName,
        after: Option<&Subject>,
        limit: usize,
    ) -> Vec<SharedCell> {
        let names = self.names.read();
        let cells = behind(&names, kind, "", after);
        cells.take(limit).cloned().collect()
    }

    /// Recreates the cells of boards not yet created under the new version of their kind, with
    /// their settings.
    fn remake_settings(&self, kind: &Arc<Kind>) {
        let mut names = self.names.write();
        let boards = names.get(kind.name()).into_iter().flatten();
        let uncreated = boards.filter(|(_, held)| !held.is_created());
        let uncreated: Vec<SharedCell> = uncreated.map(|(_, held)| held.clone()).collect();
        for held in &uncreated {
            self.forget(held.incarnation());
            self.enter(&mut names, held.uncreated_of(kind.clone()));
        }
        drop(names);
        // Before any of them is created, so that no caller uses the old cell as the board. Not
        // reported: the event of the kind implies it.
        for held in &uncreated {
            self.end_replaced(held);
        }
    }

    /// Deletes the settings of boards that were never created, with their kind.
    fn drop_uncreated(&self, kind: &KindName) {
        let mut names = self.names.write();
        let Some(boards) = names.get_mut(kind) else {
            return;
        };
        for (_, uncreated) in boards.extract_if(.., |_, held| !held.is_created()) {
            self.forget(uncreated.incarnation());
        }
        if boards.is_empty() {
            names.remove(kind);
        }
    }

    fn enter(&self, names: &mut Names, cell: Cell) -> BoardRecord {
        let cell = Arc::new(cell);
        let incarnation = cell.incarnation();
        let mut map = self.cell_map(incarnation).write();
        map.insert_unique(incarnation.0, cell.clone(), |cell| cell.incarnation().0);
        insert_name(names, cell.clone());
        cell.record()
    }

    fn forget(&self, incarnation: Incarnation) {
        let mut map = self.cell_map(incarnation).write();
        if let Ok(held) = map.find_entry(incarnation.0, |cell| cell.incarnation() == incarnation) {
            held.remove();
        }
    }

    fn cell_map(&self, incarnation: Incarnation) -> &RwLock<HashTable<SharedCell>> {
        // Incarnations are random, so any bits will do, except those that the table uses first.
        let map = usize::try_from(incarnation.0 >> 40).unwrap_or(usize::MAX) % CELL_MAPS;
        &self.cells[map]
    }
}

fn insert_name(names: &mut Names, cell: SharedCell) {
    let boards = names.entry(cell.name().kind().clone()).or_default();
    boards.insert(cell.name().subject().clone(), cell);
}

/// Returns the event of a board's record that was made.
fn made(cell: &Cell, at: Timestamp) -> Event<'static> {
    let record = Cow::Owned(cell.record());
    Event::BoardMade { record, at }
}

#[cfg(test)]
mod tests;
