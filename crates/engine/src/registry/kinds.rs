//! Reads and writes the kinds of a registry.

use std::borrow::Cow;
use std::sync::Arc;

use crate::profile_table::KindProfiles;
use board::limits::KINDS_MAX;
use board::{Kind, KindName, ShardCount};
use shard_store::{KindRecord, KindWriteError, Revision};

use super::Registry;
use super::known_kinds::{Kinds, KnownKind, version_for_boards};
use crate::cell::Cell;
use crate::log::{Event, Log};

impl Registry {
    /// Returns all kinds, including deleted ones.
    pub fn kinds(&self) -> Vec<KindRecord> {
        let kinds = self.kinds.read();
        kinds.values().map(|known| known.record.clone()).collect()
    }

    /// Writes a kind, unless its revision differs from the expected one.
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

    /// Deletes a kind, unless its revision differs from the expected one.
    pub fn delete_kind(
        &self,
        name: &KindName,
        expected: Revision,
        log: &mut dyn Log,
    ) -> Result<(), KindWriteError> {
        self.write_kind(name, None, expected, true, log).map(|_| ())
    }

    pub(super) fn write_kind(
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
        if only_without_boards && !self.boards(name, "", None, 1).is_empty() {
            return Err(KindWriteError::HasBoards);
        }
        let record = KindRecord {
            name: name.clone(),
            revision: Revision(held.0 + 1),
            kind,
        };
        log.record(Event::KindWritten {
            record: Cow::Borrowed(&record),
            without_boards: only_without_boards,
        });
        let profiles = self.keep_kind(&mut kinds, record.clone(), only_without_boards);
        drop(kinds);
        // Freeing many takes a while: no lock is held.
        drop(profiles);
        Ok(record)
    }

    /// Stores a kind's record. `without_boards`: it has no created boards; those not yet created
    /// are remade under it, or deleted with it. Returns the profiles that are deleted with it.
    pub(super) fn keep_kind(
        &self,
        kinds: &mut Kinds,
        record: KindRecord,
        without_boards: bool,
    ) -> Option<Arc<KindProfiles>> {
        let held = kinds.remove(&record.name).and_then(|held| held.for_boards);
        let kind = record.kind.as_ref();
        let for_boards = kind.map(|kind| version_for_boards(held.as_ref(), kind));
        match &for_boards {
            Some(kind) if without_boards => self.remake_settings(kind),
            None => self.drop_uncreated(&record.name),
            Some(_) => {}
        }
        let deleted = record.kind.is_none().then_some(&record.name);
        let profiles = deleted.and_then(|name| self.profiles.remove_kind(name));
        kinds.insert(record.name.clone(), KnownKind { record, for_boards });
        profiles
    }

    /// Returns the version of a kind that new boards would refer to.
    pub fn for_boards(&self, kind: &Arc<Kind>) -> Arc<Kind> {
        let kinds = self.kinds.read();
        let held = kinds.get(kind.name());
        version_for_boards(held.and_then(|held| held.for_boards.as_ref()), kind)
    }

    /// Returns a board's kind as boards refer to it, and its current shard count. Both stay valid
    /// as long as the board has its name.
    pub(super) fn kind_of(&self, cell: &Cell) -> Option<(Arc<Kind>, ShardCount)> {
        let kinds = self.kinds.read();
        let held = kinds.get(cell.name().kind())?;
        let shards = held.record.kind.as_ref()?.shards();
        Some((held.for_boards.clone()?, shards))
    }
}
