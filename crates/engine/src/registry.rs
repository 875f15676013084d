//! Kinds and boards: which boards exist, which have ended, and where each board's cell is.
//!
//! Locks are taken in this order: kinds, a cell's body, names, cells. Creations hold the kinds for reading
//! while they add a name, and a kind is written under the write lock, so that no board is created from a kind
//! that has just changed. Whoever ends a board waits for its readers first, and takes the names then: a
//! long read holds up nobody who asks for another board. How boards come back at a start is in `replay`.

mod replay;

use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Unbounded};
use std::sync::Arc;

use board::limits::KINDS_MAX;
use board::{BoardName, Hidden, Incarnation, Kind, KindName, ShardCount, Subject, Timestamp};
use hashbrown::HashTable;
use parking_lot::RwLock;

use super::cell::{Cell, Closed, Shared};
use super::ids::IdBudget;
use super::log::{Event, Log, Unlogged};
use shard_store::Memory;
use shard_store::{
    BoardRecord, BoardSettings, CreateBoardError, DeleteBoardError, KindRecord, KindWriteError,
    PutSettingsError, Revision, StoreError,
};

/// Parts of the map from incarnation to cell, so that creations on one do not hold up calls on others.
const CELL_MAPS: usize = 64;

/// Everything that is kept in memory.
#[derive(Debug)]
pub struct Registry {
    kinds: RwLock<Kinds>,
    names: RwLock<Names>,
    cells: [RwLock<HashTable<Shared>>; CELL_MAPS],
    /// The memory of remembered ids.
    pub ids: IdBudget,
    /// The memory that boards have to find room in.
    pub memory: Arc<Memory>,
}

type Kinds = BTreeMap<KindName, KnownKind>;

/// A kind's record, and the kind as its boards keep it.
#[derive(Debug)]
struct KnownKind {
    record: KindRecord,
    /// `None`: it was deleted.
    of_boards: Option<Arc<Kind>>,
}

/// Boards by kind and subject.
type Names = BTreeMap<KindName, BTreeMap<Subject, Shared>>;

fn named<'a>(names: &'a Names, name: &BoardName) -> Option<&'a Shared> {
    names.get(name.kind())?.get(name.subject())
}

impl Registry {
    /// Without boards, and without a limit of memory but for remembered ids.
    #[must_use]
    pub fn new(id_bytes_max: usize) -> Self {
        Self::within(Arc::default(), id_bytes_max)
    }

    /// One whose boards have to find room in this memory.
    pub fn within(memory: Arc<Memory>, id_bytes_max: usize) -> Self {
        Self {
            memory,
            kinds: RwLock::default(),
            names: RwLock::default(),
            cells: std::array::from_fn(|_| RwLock::default()),
            ids: IdBudget::new(id_bytes_max),
        }
    }

    /// All kinds, deleted ones included.
    pub fn kinds(&self) -> Vec<KindRecord> {
        let kinds = self.kinds.read();
        kinds.values().map(|known| known.record.clone()).collect()
    }

    /// Writes a kind, unless its revision is another than the expected one.
    pub fn put_kind(
        &self,
        kind: Arc<Kind>,
        expected: Revision,
        only_without_boards: bool,
        log: &mut dyn Log,
    ) -> Result<KindRecord, KindWriteError> {
        let name = kind.name().clone();
        self.write_kind(&name, Some(kind), expected, only_without_boards, log)
    }

    /// Deletes a kind, unless its revision is another than the expected one.
    pub fn delete_kind(
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
            .map_or(Revision::default(), |known| known.record.revision);
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

    /// `alone`: it has no boards that were created; those not yet created are made anew of it, or go with it.
    fn keep_kind(&self, kinds: &mut Kinds, record: KindRecord, alone: bool) {
        let held = kinds.remove(&record.name).and_then(|held| held.of_boards);
        let kind = record.kind.as_ref();
        let of_boards = kind.map(|kind| kept_by_boards(held.as_ref(), kind));
        match &of_boards {
            Some(kind) if alone => self.remake_settings(kind),
            None => self.drop_uncreated(&record.name),
            Some(_) => {}
        }
        kinds.insert(record.name.clone(), KnownKind { record, of_boards });
    }

    /// A kind as new boards of it would keep it.
    pub fn of_boards(&self, kind: &Arc<Kind>) -> Arc<Kind> {
        let kinds = self.kinds.read();
        let held = kinds.get(kind.name());
        kept_by_boards(held.and_then(|held| held.of_boards.as_ref()), kind)
    }

    /// A board's record, if it exists or has settings.
    pub fn board(&self, name: &BoardName) -> Option<BoardRecord> {
        named(&self.names.read(), name).map(|cell| cell.record())
    }

    /// Created boards of a kind, by subject, from behind `after` on.
    pub fn boards(
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
            .filter(|cell| cell.is_created())
            .take(limit)
            .map(|cell| cell.record())
            .collect()
    }

    /// The record of a board that was created before, of a kind that is as the caller read it: what nearly
    /// all creations ask for. Nothing is told of it, and it waits for no other creation.
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
        // Under the names, so that the sweep does not take it for one that nobody uses.
        cell.mark_created(now);
        Some(cell.record())
    }

    /// Creates a board, or returns the one that exists.
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
                    return Err(CreateBoardError::Unseen(Box::new(cell.record())));
                }
                log.note(Event::BoardCreated {
                    incarnation,
                    at: now,
                });
            }
            cell.mark_created(now);
            return Ok(cell.record());
        }
        let settings = shards.into();
        let cell = Cell::new(name.clone(), current, incarnation, settings, true, now);
        note_made(&cell, now, log);
        Ok(self.enter(&mut names, cell))
    }

    /// Keeps settings for a board that is not yet created.
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
                return Err(PutSettingsError::Created);
            }
            self.forget(held.incarnation());
        }
        let cell = Cell::new(name.clone(), current, incarnation, settings, false, now);
        note_made(&cell, now, log);
        let record = self.enter(&mut names, cell);
        drop(names);
        if let Some(held) = held {
            self.end_replaced(&held);
        }
        Ok(record)
    }

    /// Nothing is kept of the dead: an incarnation that is not known is dead.
    pub fn delete_board(
        &self,
        name: &BoardName,
        log: &mut dyn Log,
    ) -> Result<(), DeleteBoardError> {
        loop {
            let held = named(&self.names.read(), name).cloned();
            let cell = held.ok_or(DeleteBoardError::NotThere)?;
            // If not, another incarnation has the name now.
            if self.end(&cell, None, log, |_| true) {
                return Ok(());
            }
        }
    }

    /// Ends an incarnation that has its name, if it is `due`, and enters the settings that are `left`. Whether it was.
    fn end(
        &self,
        cell: &Shared,
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
        // Told before anybody can see that the name is free. What the name keeps is not lost without the board.
        log.begin_together();
        let ended = closed.end(&self.ids, log);
        if let Some(left) = left {
            note_made(&left, left.settled(), log);
            self.enter(&mut names, left);
        }
        log.end_together();
        drop(names);
        self.forget(cell.incarnation());
        // Freeing a large board takes a while, and nobody waits for it.
        drop(ended);
        true
    }

    /// Ends an incarnation that another has taken the name of. That the other was made says it all: neither is
    /// kept without the other.
    fn end_replaced(&self, cell: &Shared) {
        if let Some(closed) = cell.close() {
            drop(closed.end(&self.ids, &mut Unlogged));
        }
    }

    /// The cell of an incarnation of a board.
    pub fn cell(&self, incarnation: Incarnation) -> Result<Shared, StoreError> {
        let map = self.cell_map(incarnation).read();
        let found = map.find(incarnation.0, |cell| cell.incarnation() == incarnation);
        found.cloned().ok_or(StoreError::Dead)
    }

    /// The boards of a kind, so many at a time: no lock is held between.
    pub fn pages<'a>(
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

    /// Deletes a board that holds nothing any more; withdraws one to which nothing was ever applied. `next`: the
    /// incarnation of what its name keeps.
    pub fn drop_if_empty(
        &self,
        cell: &Shared,
        kind: &Kind,
        next: Incarnation,
        now: Timestamp,
        log: &mut dyn Log,
    ) {
        if cell.is_abandoned(now) {
            self.withdraw_abandoned(cell, next, now, log);
            return;
        }
        let left = self.left_by(cell, next, now);
        self.end(cell, left, log, |closed| closed.is_spent(kind, now));
    }

    /// Deletes a board whose time is over, with all that it holds. `next` as above.
    pub fn end_expired(&self, cell: &Shared, next: Incarnation, now: Timestamp, log: &mut dyn Log) {
        let left = self.left_by(cell, next, now);
        self.end(cell, left, log, |_| true);
    }

    /// Takes back the creation of a board to which nothing was applied: settings that it had are kept for as long
    /// as if it had never been created. False where it holds something, or is not there.
    pub fn withdraw(&self, incarnation: Incarnation, next: Incarnation, log: &mut dyn Log) -> bool {
        let Ok(cell) = self.cell(incarnation) else {
            return false;
        };
        self.take_back(&cell, next, log, || true)
    }

    /// The same for a board whose creation was a while ago, if nobody has asked for it since.
    pub fn withdraw_abandoned(
        &self,
        cell: &Shared,
        next: Incarnation,
        now: Timestamp,
        log: &mut dyn Log,
    ) -> bool {
        self.take_back(cell, next, log, || cell.has_lingered(now))
    }

    fn take_back(
        &self,
        cell: &Shared,
        next: Incarnation,
        log: &mut dyn Log,
        may_go: impl FnOnce() -> bool,
    ) -> bool {
        let (kind, shards) = self.kind_of(cell).unzip();
        let settings = cell.settings();
        let had_settings = shards.is_some_and(|shards| settings != shards.into());
        let left = kind.filter(|_| had_settings);
        let left = left.map(|kind| settings_of(cell, kind, next, settings, cell.settled()));
        let is_due = |closed: &Closed<'_>| cell.is_created() && closed.is_untouched() && may_go();
        self.end(cell, left, log, is_due)
    }

    /// What the name of a board keeps when it goes: by the kind as it is now, whose windows may have changed since
    /// boards began to keep it.
    fn left_by(&self, cell: &Cell, next: Incarnation, now: Timestamp) -> Option<Cell> {
        let kinds = self.kinds.read();
        let held = kinds.get(cell.name().kind())?;
        let (current, of_boards) = (held.record.kind.as_ref()?, held.of_boards.clone()?);
        let admits_until = |at| current.admits_until(at);
        let (activity, settled) = cell.activity().after_it(admits_until, now)?;
        let settings = BoardSettings {
            shards: current.shards(),
            activity,
        };
        Some(settings_of(cell, of_boards, next, settings, settled))
    }

    /// A board's kind, as boards keep it, and how many shards they are to have. It stays what it is for
    /// as long as the board has its name.
    fn kind_of(&self, cell: &Cell) -> Option<(Arc<Kind>, ShardCount)> {
        let kinds = self.kinds.read();
        let held = kinds.get(cell.name().kind())?;
        let shards = held.record.kind.as_ref()?.shards();
        Some((held.of_boards.clone()?, shards))
    }

    /// Settings of boards not yet created stay when their kind becomes another: cells without contents are
    /// made of that one.
    fn remake_settings(&self, kind: &Arc<Kind>) {
        let mut names = self.names.write();
        let boards = names.get(kind.name()).into_iter().flatten();
        let uncreated = boards.filter(|(_, held)| !held.is_created());
        let uncreated: Vec<Shared> = uncreated.map(|(_, held)| held.clone()).collect();
        for held in &uncreated {
            self.forget(held.incarnation());
            self.enter(&mut names, held.uncreated_of(kind.clone()));
        }
        drop(names);
        // Before any of them is created: nobody is to take the old one for the board. That the kind was
        // written says it all.
        for held in &uncreated {
            self.end_replaced(held);
        }
    }

    /// Settings of boards that were never created go with the kind that they were made for.
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

/// Settings that the name of a board keeps when it ends.
fn settings_of(
    ended: &Cell,
    kind: Arc<Kind>,
    incarnation: Incarnation,
    settings: BoardSettings,
    settled: Timestamp,
) -> Cell {
    let name = ended.name().clone();
    Cell::new(name, kind, incarnation, settings, false, settled)
}

fn note_made(cell: &Cell, at: Timestamp, log: &mut dyn Log) {
    let record = &cell.record();
    log.note(Event::BoardMade { record, at });
}

/// The kind that a caller has read, if it is still that one: as boards keep it, and how many shards
/// they are to have.
fn current_kind(kinds: &Kinds, read: &KindRecord) -> Option<(Arc<Kind>, ShardCount)> {
    let held = kinds
        .get(&read.name)
        .filter(|held| held.record.revision == read.revision)?;
    let shards = held.record.kind.as_ref()?.shards();
    Some((held.of_boards.clone()?, shards))
}

/// The kind as boards keep it: what their standings mean. The one that they keep already where that is
/// the same: a kind that is written often, each time a member is hidden, is still one to its boards.
fn kept_by_boards(held: Option<&Arc<Kind>>, kind: &Arc<Kind>) -> Arc<Kind> {
    match held {
        Some(held) if is_same_to_boards(held, kind) => held.clone(),
        _ if kind.hidden().is_empty() => kind.clone(),
        _ => Arc::new(Kind::clone(kind).hiding(Hidden::default())),
    }
}

/// Whether boards of one kind may keep the other: they look at its name, its meaning and its rules.
#[must_use]
pub fn is_same_to_boards(one: &Kind, other: &Kind) -> bool {
    one.name() == other.name() && one.meaning() == other.meaning() && one.rules() == other.rules()
}

#[cfg(test)]
mod tests;
