//! Kinds and boards: who is born, who is dead, and where each board's cell is.
//!
//! Locks are taken in this order: kinds, names, cells. Births hold the kinds for reading while they
//! add a name, and a kind is written under the write lock, so that no board is born of a kind that
//! has just changed. How boards come back at a start is in `replay`.

mod replay;

use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Unbounded};
use std::sync::Arc;

use board::limits::KINDS_MAX;
use board::{BoardName, Incarnation, Kind, KindName, Subject, Timestamp};
use hashbrown::HashTable;
use parking_lot::RwLock;

use super::cell::{Cell, Shared};
use super::ids::IdBudget;
use super::log::{Event, Log, Unlogged};
use crate::contract::{
    BirthError, BoardRecord, BoardSettings, BuryError, KindRecord, KindWriteError, Revision,
    SettleError, StoreError,
};

/// Parts of the map from incarnation to cell, so that births on one do not hold up calls on others.
const CELL_MAPS: usize = 64;

/// Everything that is kept in memory.
#[derive(Debug)]
pub(crate) struct Registry {
    kinds: RwLock<Kinds>,
    names: RwLock<Names>,
    cells: [RwLock<HashTable<Shared>>; CELL_MAPS],
    pub(crate) ids: IdBudget,
}

type Kinds = BTreeMap<KindName, KindRecord>;

/// Boards by kind and subject.
type Names = BTreeMap<KindName, BTreeMap<Subject, Shared>>;

fn named<'a>(names: &'a Names, name: &BoardName) -> Option<&'a Shared> {
    names.get(name.kind())?.get(name.subject())
}

impl Registry {
    pub(crate) fn new(id_bytes_max: usize) -> Self {
        Self {
            kinds: RwLock::default(),
            names: RwLock::default(),
            cells: std::array::from_fn(|_| RwLock::default()),
            ids: IdBudget::new(id_bytes_max),
        }
    }

    pub(crate) fn kinds(&self) -> Vec<KindRecord> {
        self.kinds.read().values().cloned().collect()
    }

    pub(crate) fn put_kind(
        &self,
        kind: Arc<Kind>,
        expected: Revision,
        only_without_boards: bool,
        log: &mut dyn Log,
    ) -> Result<KindRecord, KindWriteError> {
        let name = kind.name().clone();
        self.write_kind(&name, Some(kind), expected, only_without_boards, log)
    }

    pub(crate) fn delete_kind(
        &self,
        name: &KindName,
        expected: Revision,
        log: &mut dyn Log,
    ) -> Result<(), KindWriteError> {
        self.write_kind(name, None, expected, true, log).map(|_| ())
    }

    fn write_kind(
        &self,
        name: &KindName,
        kind: Option<Arc<Kind>>,
        expected: Revision,
        only_without_boards: bool,
        log: &mut dyn Log,
    ) -> Result<KindRecord, KindWriteError> {
        let mut kinds = self.kinds.write();
        let held = kinds
            .get(name)
            .map_or(Revision::default(), |record| record.revision);
        if held != expected {
            return Err(KindWriteError::Stale);
        }
        if kinds.len() >= KINDS_MAX && !kinds.contains_key(name) {
            return Err(KindWriteError::TooMany);
        }
        if only_without_boards && !self.boards(name, None, 1).is_empty() {
            return Err(KindWriteError::HasBoards);
        }
        let record = KindRecord {
            name: name.clone(),
            revision: Revision(held.0 + 1),
            kind,
        };
        log.note(Event::KindWritten {
            record: &record,
            alone: only_without_boards,
        });
        self.keep_kind(&mut kinds, record.clone(), only_without_boards);
        Ok(record)
    }

    /// `alone`: it has no boards that were born; those unborn are made anew of it, or go with it.
    fn keep_kind(&self, kinds: &mut Kinds, record: KindRecord, alone: bool) {
        match &record.kind {
            Some(kind) if alone => self.resettle(kind),
            None => self.drop_unborn(&record.name),
            Some(_) => {}
        }
        kinds.insert(record.name.clone(), record);
    }

    pub(crate) fn board(&self, name: &BoardName) -> Option<BoardRecord> {
        named(&self.names.read(), name).map(|cell| cell.record())
    }

    /// Born boards of a kind, by subject, from behind `after` on.
    pub(crate) fn boards(
        &self,
        kind: &KindName,
        after: Option<&Subject>,
        limit: usize,
    ) -> Vec<BoardRecord> {
        let names = self.names.read();
        let from = after.map_or(Unbounded, Excluded);
        let boards = names.get(kind).into_iter().flat_map(|boards| {
            boards
                .range::<Subject, _>((from, Unbounded))
                .map(|(_, cell)| cell)
        });
        boards
            .filter(|cell| cell.is_born())
            .take(limit)
            .map(|cell| cell.record())
            .collect()
    }

    pub(crate) fn birth(
        &self,
        name: &BoardName,
        kind: &KindRecord,
        seen: Option<Incarnation>,
        incarnation: Incarnation,
        now: Timestamp,
        log: &mut dyn Log,
    ) -> Result<BoardRecord, BirthError> {
        let kinds = self.kinds.read();
        let current = current_kind(&kinds, kind).ok_or(BirthError::StaleKind)?;
        let mut names = self.names.write();
        if let Some(cell) = named(&names, name) {
            if !cell.is_born() {
                let incarnation = cell.incarnation();
                if !cell.activity().is_always() && seen != Some(incarnation) {
                    return Err(BirthError::Unseen(Box::new(cell.record())));
                }
                log.note(Event::BoardBorn {
                    incarnation,
                    at: now,
                });
            }
            cell.bear(now);
            return Ok(cell.record());
        }
        let settings = current.shards().into();
        let cell = Cell::new(name.clone(), current, incarnation, settings, true, now);
        note_made(&cell, now, log);
        Ok(self.enter(&mut names, cell))
    }

    pub(crate) fn settle(
        &self,
        name: &BoardName,
        kind: &KindRecord,
        settings: BoardSettings,
        incarnation: Incarnation,
        now: Timestamp,
        log: &mut dyn Log,
    ) -> Result<BoardRecord, SettleError> {
        let kinds = self.kinds.read();
        let current = current_kind(&kinds, kind).ok_or(SettleError::StaleKind)?;
        let mut names = self.names.write();
        if let Some(held) = named(&names, name) {
            if held.is_born() {
                return Err(SettleError::Born);
            }
            // That the next life is made says it all: neither is kept without the other.
            drop(held.end(&self.ids, &mut Unlogged));
            self.forget(held.incarnation());
        }
        let cell = Cell::new(name.clone(), current, incarnation, settings, false, now);
        note_made(&cell, now, log);
        Ok(self.enter(&mut names, cell))
    }

    /// Nothing is kept of the dead: a life that is not known is dead.
    pub(crate) fn bury(&self, name: &BoardName, log: &mut dyn Log) -> Result<(), BuryError> {
        let mut names = self.names.write();
        let boards = names.get_mut(name.kind()).ok_or(BuryError::NotThere)?;
        let cell = boards.remove(name.subject()).ok_or(BuryError::NotThere)?;
        // Told before anybody can see that the name is free.
        let held = cell.end(&self.ids, log);
        drop(names);
        self.forget(cell.incarnation());
        drop(held);
        Ok(())
    }

    /// The cell of a life of a board.
    pub(crate) fn cell(&self, incarnation: Incarnation) -> Result<Shared, StoreError> {
        let map = self.cell_map(incarnation).read();
        let found = map.find(incarnation.0, |cell| cell.incarnation() == incarnation);
        found.cloned().ok_or(StoreError::Dead)
    }

    /// The boards of a kind, so many at a time: no lock is held between.
    pub(crate) fn pages<'a>(
        &'a self,
        kind: &'a KindName,
        boards_max: usize,
    ) -> impl Iterator<Item = Vec<Shared>> + 'a {
        let mut after: Option<Subject> = None;
        std::iter::from_fn(move || {
            let cells = self.cells_behind(kind, after.as_ref(), boards_max);
            after = Some(cells.last()?.name().subject().clone());
            Some(cells)
        })
    }

    fn cells_behind(&self, kind: &KindName, after: Option<&Subject>, limit: usize) -> Vec<Shared> {
        let names = self.names.read();
        let from = after.map_or(Unbounded, Excluded);
        let cells = names.get(kind).into_iter().flat_map(|boards| {
            boards
                .range::<Subject, _>((from, Unbounded))
                .map(|(_, cell)| cell.clone())
        });
        cells.take(limit).collect()
    }

    /// Takes a board off that holds nothing any more.
    pub(crate) fn drop_if_empty(
        &self,
        cell: &Shared,
        kind: &Kind,
        now: Timestamp,
        log: &mut dyn Log,
    ) {
        let mut names = self.names.write();
        let Some(boards) = names.get_mut(cell.name().kind()) else {
            return;
        };
        let subject = cell.name().subject();
        let current = boards
            .get(subject)
            .is_some_and(|held| Arc::ptr_eq(held, cell));
        if current && cell.end_if_empty(kind, now, log) {
            boards.remove(subject);
            self.forget(cell.incarnation());
        }
    }

    /// Ends a board whose time is over, with all that it holds.
    pub(crate) fn end_expired(&self, cell: &Shared, log: &mut dyn Log) {
        let mut names = self.names.write();
        let Some(boards) = names.get_mut(cell.name().kind()) else {
            return;
        };
        let subject = cell.name().subject();
        let held = boards.get(subject);
        if !held.is_some_and(|held| Arc::ptr_eq(held, cell)) {
            return;
        }
        boards.remove(subject);
        // Told before anybody can see that the name is free.
        let ended = cell.end(&self.ids, log);
        drop(names);
        self.forget(cell.incarnation());
        // Freeing a large board takes a while, and nobody waits for it.
        drop(ended);
    }

    /// Settings of boards yet unborn stay when their kind becomes another: cells without contents are
    /// made of that one.
    fn resettle(&self, kind: &Arc<Kind>) {
        let mut names = self.names.write();
        let boards = names.get(kind.name()).into_iter().flatten();
        let unborn = boards.filter(|(_, held)| !held.is_born());
        let unborn: Vec<Shared> = unborn.map(|(_, held)| held.clone()).collect();
        for held in unborn {
            // That the kind was written says it all.
            drop(held.end(&self.ids, &mut Unlogged));
            self.forget(held.incarnation());
            self.enter(&mut names, held.unborn_of(kind.clone()));
        }
    }

    /// Settings of boards that were never born go with the kind that they were made for.
    fn drop_unborn(&self, kind: &KindName) {
        let mut names = self.names.write();
        let Some(boards) = names.get_mut(kind) else {
            return;
        };
        for (_, unborn) in boards.extract_if(.., |_, held| !held.is_born()) {
            self.forget(unborn.incarnation());
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
        name_it(names, cell.clone());
        cell.record()
    }

    fn forget(&self, incarnation: Incarnation) {
        let mut map = self.cell_map(incarnation).write();
        if let Ok(held) = map.find_entry(incarnation.0, |cell| cell.incarnation() == incarnation) {
            held.remove();
        }
    }

    fn cell_map(&self, incarnation: Incarnation) -> &RwLock<HashTable<Shared>> {
        // Incarnations are random: any bits will do, but not those that the table looks at first.
        let map = usize::try_from(incarnation.0 >> 40).unwrap_or(usize::MAX) % CELL_MAPS;
        &self.cells[map]
    }
}

fn name_it(names: &mut Names, cell: Shared) {
    let boards = names.entry(cell.name().kind().clone()).or_default();
    boards.insert(cell.name().subject().clone(), cell);
}

fn note_made(cell: &Cell, at: Timestamp, log: &mut dyn Log) {
    let record = &cell.record();
    log.note(Event::BoardMade { record, at });
}

fn current_kind(kinds: &Kinds, read: &KindRecord) -> Option<Arc<Kind>> {
    let held = kinds
        .get(&read.name)
        .filter(|held| held.revision == read.revision)?;
    held.kind.clone()
}

#[cfg(test)]
mod tests {
    use board::{
        Calendar, FieldName, FieldRule, KindSpec, Mode, Period, RankStyle, Rules, Ties, WindowRule,
    };

    use super::*;

    fn points() -> Kind {
        let points = FieldRule::sum(FieldName::new("points").unwrap());
        Kind::new(KindSpec {
            name: KindName::new("gifts").unwrap(),
            rules: Rules::new(vec![points], Mode::Accumulate, Ties::Earliest).unwrap(),
            rank: RankStyle::Ordinal,
            windows: vec![WindowRule::with_defaults(Period::All)],
            calendar: Calendar::utc(),
            shards: 16,
            top: 10,
            max_staleness: std::time::Duration::ZERO,
            dedupe: std::time::Duration::ZERO,
            retain: None,
            publish: None,
        })
        .unwrap()
    }

    #[test]
    fn a_buried_board_takes_no_memory() {
        let registry = Registry::new(0);
        let kind = registry.put_kind(Arc::new(points()), Revision(0), true, &mut Unlogged);
        let kind = kind.unwrap();
        let name: BoardName = "gifts/room".parse().unwrap();
        for life in 1..=3 {
            let life = Incarnation(life);
            registry
                .birth(&name, &kind, None, life, Timestamp::EARLIEST, &mut Unlogged)
                .unwrap();
            let cell = Arc::downgrade(&registry.cell(life).unwrap());
            registry.bury(&name, &mut Unlogged).unwrap();
            assert_eq!(cell.strong_count(), 0);
            assert_eq!(registry.cell(life).err(), Some(StoreError::Dead));
        }
    }
}
