//! [`take`]: takes a snapshot.
//!
//! Boards are written one after another while others write, each part as it is at a sequence of its own; the journal is
//! replayed from its position when the first was taken. A shard's lock is held only while the snapshot takes a
//! reference to each of its pages. A writer copies a shared page, of 64 KiB, before its first change.
//!
//! **Invariant:** a snapshot counts once everything in it is durable in the journal. Each part has
//! its sequence, and replay skips earlier records for it.

use std::collections::HashMap;
use std::sync::Arc;

use board::{Kind, KindName};

use super::error::LocalError;
use crate::files::snapshot::{self, Element, PartHead, SnapshotWriter, WindowHead};
use disk::Disk;
use engine::{FrozenPart, FrozenShard, Registry, SharedCell, is_equivalent_for_boards};
use journal::Journal;

/// Boards that are looked up at once.
const PAGE_BOARDS: usize = 256;

/// Rows and ids that are written between two checks for a stop, so that a stop never waits for a whole shard.
const ROWS_BETWEEN_LOOKS: usize = 4096;

/// Takes a snapshot and removes the files that it replaces. Returns its length in bytes. Abandons
/// it when `goes_on` returns false.
pub(super) fn take(
    disk: &dyn Disk,
    registry: &Registry,
    journal: &Journal,
    goes_on: &dyn Fn() -> bool,
) -> Result<u64, LocalError> {
    let (kinds, from) = registry.kinds_at(|| journal.next());
    let mut taking = SnapshotJob {
        writer: SnapshotWriter::create(disk, from.0)?,
        journal,
        goes_on,
        rows_until_look: ROWS_BETWEEN_LOOKS,
        definitions: HashMap::new(),
    };
    for record in &kinds {
        taking.boards(registry, &record.name)?;
    }
    // After the boards, and as everything at a later moment than `from`: each change since then is in the journal
    // behind it, which has them in their order.
    for (kind, profiles) in registry.profile_parts() {
        taking.look()?;
        taking.writer.profiles(&kind, &profiles)?;
    }
    let durable = journal.durable_blocking(journal.next());
    durable.map_err(|lost| LocalError::Lost(lost.to_string()))?;
    let bytes = taking.writer.finish(&kinds)?;
    snapshot::remove_before(disk, from.0)?;
    journal.remove_before(from)?;
    Ok(bytes)
}

struct SnapshotJob<'a> {
    writer: SnapshotWriter<'a>,
    journal: &'a Journal,
    goes_on: &'a dyn Fn() -> bool,
    rows_until_look: usize,
    /// Kinds that parts refer to, with their indexes among the definitions. A name has several only
    /// if the kind was deleted and created again with another meaning.
    definitions: HashMap<KindName, Vec<(Arc<Kind>, u32)>>,
}

impl SnapshotJob<'_> {
    fn boards(&mut self, registry: &Registry, kind: &KindName) -> Result<(), LocalError> {
        for cells in registry.pages(kind, PAGE_BOARDS) {
            for mut cell in cells {
                // The cell of a board not yet created is replaced, in the same incarnation, when
                // its kind is written: no event records that the old cell ended.
                let mut taken = self.board(&cell)?;
                while !taken && let Some(anew) = registry.replacement_of(&cell) {
                    cell = anew;
                    taken = self.board(&cell)?;
                }
            }
        }
        Ok(())
    }

    /// Writes all parts of a board, or some of a board that ends in the meantime: the journal
    /// records its end. Returns whether there was any.
    fn board(&mut self, cell: &SharedCell) -> Result<bool, LocalError> {
        let mut part = 0;
        while let Some(frozen) = cell.freeze(part, || self.journal.next().0) {
            self.look()?;
            self.part(part, &frozen)?;
            part += 1;
            // Also true for a small board that was split in the meantime: the one part is the whole
            // board.
            if part == frozen.parts {
                break;
            }
        }
        Ok(part > 0)
    }

    fn look(&mut self) -> Result<(), LocalError> {
        self.rows_until_look = ROWS_BETWEEN_LOOKS;
        let on = (self.goes_on)();
        on.then_some(()).ok_or(LocalError::Closed)
    }

    fn look_now_and_then(&mut self) -> Result<(), LocalError> {
        self.rows_until_look -= 1;
        match self.rows_until_look {
            0 => self.look(),
            _ => Ok(()),
        }
    }

    fn part(&mut self, part: u16, frozen: &FrozenPart<u64>) -> Result<(), LocalError> {
        let record = &frozen.record;
        let head = PartHead {
            subject: record.name.subject().clone(),
            incarnation: record.incarnation,
            shards: record.shards,
            activity: record.activity,
            created: record.created,
            last_write: frozen.last_write,
            kind: self.definition(&frozen.kind),
            parts: frozen.parts,
            part,
            sequence: frozen.sequence,
        };
        self.writer.element(&Element::Head(head))?;
        self.shard(&frozen.shard)?;
        Ok(self.writer.element(&Element::End)?)
    }

    fn shard(&mut self, shard: &FrozenShard) -> Result<(), LocalError> {
        if let Some(dropped) = &shard.dropped {
            self.writer
                .element(&Element::Dropped(dropped.iter().collect()))?;
        }
        for generation in shard.ids.iter().flat_map(|ids| &ids.generations) {
            let count = generation.len() as u64;
            self.writer.element(&Element::Ids {
                began: generation.began(),
                count,
            })?;
            for id in generation.entries() {
                self.writer.id(id)?;
                self.look_now_and_then()?;
            }
        }
        for (window, ranking) in &shard.rankings {
            self.writer.element(&Element::Window(WindowHead {
                window: *window,
                counter: ranking.counter,
                digest: ranking.digest,
                rows: ranking.len() as u64,
            }))?;
            ranking.try_for_each(|member, words| {
                self.writer.row(member, words)?;
                self.look_now_and_then()
            })?;
        }
        Ok(())
    }

    fn definition(&mut self, kind: &Arc<Kind>) -> u32 {
        let known = self.definitions.entry(kind.name().clone()).or_default();
        let place = known
            .iter()
            .find(|(other, _)| Arc::ptr_eq(other, kind) || is_equivalent_for_boards(other, kind));
        if let Some((_, place)) = place {
            return *place;
        }
        let place = self.writer.add_kind(kind);
        known.push((kind.clone(), place));
        place
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::Arc;

    use board::{Incarnation, Member, Timestamp, Value, Values};

    use super::*;
    use crate::LocalDisk;
    use disk::Disk;
    use engine::NoLog;
    use journal::{self, Sequence, Settings};
    use shard_store::{Batch, Change, Item, Revision};
    use testkit::conformance::fixtures::gifts;

    const AT: Timestamp = Timestamp::from_millis(1_795_186_342_123);

    fn points() -> Kind {
        gifts(|spec| {
            spec.shards = 1;
            spec.dedupe = std::time::Duration::ZERO;
        })
    }

    /// Returns a registry with a board of one shard with this many members.
    fn filled(members: usize) -> Registry {
        let registry = Registry::new(0);
        let kind = Arc::new(points());
        let written = registry.put_kind(kind.clone(), Revision(0), true, &mut NoLog);
        let name = "gifts/large".parse().unwrap();
        let incarnation = Incarnation(1);
        let written = written.unwrap();
        registry
            .create_board(&name, &written, None, incarnation, AT, &mut NoLog)
            .unwrap();
        let windows = kind.admit(AT, AT).unwrap();
        let item = |number| {
            let member = Member::new(&format!("u{number}")).unwrap();
            Item {
                hash: member.placement_hash(),
                member,
                change: Change::Fold(Values::from(Value::new(1).unwrap())),
                at: AT,
                id: None,
                windows: windows.clone(),
            }
        };
        let items: Vec<Item> = (0..members).map(item).collect();
        let batch = Batch {
            kind: &kind,
            now: AT,
            report: false,
            until: None,
            waits_until: None,
            items: &items,
        };
        let cell = registry.cell(incarnation).unwrap();
        let (ids, memory) = (&registry.ids, &registry.memory);
        cell.apply(&cell.activity(), 0, &batch, ids, memory, &mut NoLog)
            .unwrap();
        registry
    }

    #[test]
    fn a_snapshot_is_abandoned_within_a_shard() {
        let members = 10 * ROWS_BETWEEN_LOOKS;
        let registry = filled(members);
        let folder = tempfile::tempdir().unwrap();
        let disk: Arc<dyn Disk> = Arc::new(LocalDisk::open(folder.path()).unwrap());
        let nothing = |_: Sequence, _: &[u8]| Ok::<_, std::convert::Infallible>(());
        let found = journal::read(&*disk, Sequence(0), &mut { nothing }).unwrap();
        let journal = Journal::start(disk.clone(), &found, Settings::default()).unwrap();
        let looks = Cell::new(0);
        let goes_on = |looks_max: usize| {
            looks.set(looks.get() + 1);
            looks.get() <= looks_max
        };
        let taken = take(&*disk, &registry, &journal, &|| goes_on(3));
        assert!(matches!(taken, Err(LocalError::Closed)), "{taken:?}");
        assert_eq!(looks.get(), 4);
        assert_eq!(snapshot::list(&*disk).unwrap(), []);
        looks.set(0);
        take(&*disk, &registry, &journal, &|| goes_on(usize::MAX)).unwrap();
        assert_eq!(looks.get(), 1 + members / ROWS_BETWEEN_LOOKS);
        assert_eq!(snapshot::list(&*disk).unwrap().len(), 1);
    }
}
