//! How a snapshot is taken: [`take`].
//!
//! Boards are taken one after another while others write, each part of one as it is at a sequence of
//! its own; the journal is replayed from where it was when the first was taken. What a part holds
//! has to be durable in the journal before the snapshot counts.

use std::collections::HashMap;
use std::sync::Arc;

use board::{Kind, KindName};

use super::disk::Disk;
use super::error::EmbeddedError;
use super::journal::Journal;
use super::snapshot::{self, PartHead, SnapshotError, SnapshotWriter, WindowHead};
use crate::engine::{FrozenPart, FrozenShard, Registry, Shared};

/// Boards that are looked up at once.
const PAGE_BOARDS: usize = 256;

/// Takes a snapshot, and lets go of what it stands in for. Answers its length in bytes. Left where
/// it is when `goes_on` says no more.
pub(super) fn take(
    disk: &dyn Disk,
    registry: &Registry,
    journal: &Journal,
    goes_on: &dyn Fn() -> bool,
) -> Result<u64, EmbeddedError> {
    let (kinds, from) = registry.kinds_at(|| journal.next());
    let mut taking = Taking {
        writer: SnapshotWriter::create(disk, from.0)?,
        journal,
        goes_on,
        definitions: HashMap::new(),
    };
    for record in &kinds {
        taking.boards(registry, &record.name)?;
    }
    let durable = journal.durable_blocking(journal.next());
    durable.map_err(|lost| EmbeddedError::Lost(lost.to_string()))?;
    let bytes = taking.writer.finish(&kinds)?;
    snapshot::remove_before(disk, from.0)?;
    journal.remove_before(from)?;
    Ok(bytes)
}

struct Taking<'a> {
    writer: SnapshotWriter<'a>,
    journal: &'a Journal,
    goes_on: &'a dyn Fn() -> bool,
    /// Kinds that parts refer to: their places among the definitions. A kind that was written again
    /// is another one to boards made after.
    definitions: HashMap<KindName, Vec<(Arc<Kind>, u32)>>,
}

impl Taking<'_> {
    fn boards(&mut self, registry: &Registry, kind: &KindName) -> Result<(), EmbeddedError> {
        for cells in registry.pages(kind, PAGE_BOARDS) {
            for mut cell in cells {
                // A board yet unborn is made anew, in the same life, when its kind is written: of that
                // nothing tells that its old self has ended.
                let mut taken = self.board(&cell)?;
                while !taken && let Some(anew) = registry.made_anew(&cell) {
                    cell = anew;
                    taken = self.board(&cell)?;
                }
            }
        }
        Ok(())
    }

    /// All parts of a board, or of one that ends meanwhile some: its end is told by the journal.
    /// Whether there was any.
    fn board(&mut self, cell: &Shared) -> Result<bool, EmbeddedError> {
        let mut part = 0;
        while let Some(frozen) = cell.freeze(part, || self.journal.next().0) {
            if !(self.goes_on)() {
                return Err(EmbeddedError::Closed);
            }
            self.part(part, &frozen)?;
            part += 1;
            // Also of a small board that is split meanwhile: it is here whole.
            if part == frozen.parts {
                break;
            }
        }
        Ok(part > 0)
    }

    fn part(&mut self, part: u16, frozen: &FrozenPart<u64>) -> Result<(), SnapshotError> {
        let record = &frozen.record;
        let head = PartHead {
            name: record.name.clone(),
            incarnation: record.incarnation,
            shards: record.shards,
            activity: record.activity,
            born: record.born,
            last_write: frozen.last_write,
            kind: self.definition(&frozen.kind),
            parts: frozen.parts,
            part,
            sequence: frozen.sequence,
        };
        self.writer.begin_part(&head)?;
        self.shard(&frozen.shard)?;
        self.writer.end_part()
    }

    fn shard(&mut self, shard: &FrozenShard) -> Result<(), SnapshotError> {
        if let Some(dropped) = &shard.dropped {
            self.writer.watermarks(dropped)?;
        }
        for generation in shard.ids.iter().flat_map(|ids| &ids.generations) {
            let count = generation.len() as u64;
            self.writer.ids_generation(generation.began(), count)?;
            for id in generation.entries() {
                self.writer.id(id)?;
            }
        }
        for (window, ranking) in &shard.rankings {
            self.writer.window(&WindowHead {
                window: *window,
                counter: ranking.counter,
                digest: ranking.digest,
                rows: ranking.len() as u64,
            })?;
            let mut written = Ok(());
            ranking.for_each(&mut |member, words| {
                if written.is_ok() {
                    written = self.writer.row(member, words);
                }
            });
            written?;
        }
        Ok(())
    }

    fn definition(&mut self, kind: &Arc<Kind>) -> u32 {
        let known = self.definitions.entry(kind.name().clone()).or_default();
        let place = known.iter().find(|(other, _)| other == kind);
        if let Some((_, place)) = place {
            return *place;
        }
        let place = self.writer.add_kind(kind);
        known.push((kind.clone(), place));
        place
    }
}
