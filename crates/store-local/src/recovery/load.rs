//! Loads a snapshot into memory, on all processors.
//!
//! Each thread takes a unit of the file at a time. A small board is complete in one part; a large one is assembled when
//! all its shards have been read. A board that lacks some ended before they were written, which the journal records.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use board::{BoardName, Incarnation, Kind, KindName, Timestamp};
use parking_lot::Mutex;

use super::progress::Progress;
use super::replay::Positions;
use super::threads::share_out;
use crate::files::snapshot::{
    Element, PartHead, PartVisitor, Refusal, SnapshotError, SnapshotReader,
};
use engine::{Registry, Shard, ShardLoader};
use journal::Sequence;
use shard_store::{BoardRecord, ProfileChange};

/// Fills an empty registry. Returns the sequence of each part.
pub(super) fn load(
    snapshot: &SnapshotReader,
    registry: &Registry,
    progress: &Progress,
) -> Result<Positions, SnapshotError> {
    progress.snapshot_has(snapshot.units());
    for record in snapshot.kinds() {
        registry.replay_kind(record.clone(), false);
    }
    let loading = Loading {
        registry,
        definitions: snapshot
            .definitions()
            .iter()
            .map(|kind| registry.for_boards(kind))
            .collect(),
        boards: Mutex::default(),
    };
    share_out(snapshot.units(), |unit| {
        let read = snapshot.read_unit(unit, &mut PartLoader::of(&loading));
        progress.snapshot_unit_read();
        read
    })?;
    let mut positions = Positions::new();
    for (incarnation, board) in loading.boards.into_inner() {
        match board {
            Board::Complete(parts) => drop(positions.insert(incarnation, parts)),
            Board::Partial(partial) => {
                for (part, _) in partial.parts.into_values() {
                    part.release_ids(&registry.ids);
                }
            }
        }
    }
    Ok(positions)
}

struct Loading<'a> {
    registry: &'a Registry,
    /// The kinds, in the version that boards refer to.
    definitions: Vec<Arc<Kind>>,
    boards: Mutex<HashMap<Incarnation, Board>>,
}

/// A board, of which some or all parts have been read.
enum Board {
    Partial(PartialBoard),
    /// The sequences of its parts.
    Complete(Box<[Sequence]>),
}

/// A board whose parts are being read. It holds nothing for those that have not been.
struct PartialBoard {
    /// By their index, with their sequences.
    parts: BTreeMap<u16, (Shard, Sequence)>,
    /// The latest of all parts: each was taken at a different moment.
    last_write: Timestamp,
}

/// One part that is being read.
struct PartLoader<'a> {
    loading: &'a Loading<'a>,
    head: Option<PartHead>,
    loader: Option<ShardLoader<'a>>,
    /// Number of generations of ids so far.
    generations: usize,
}

impl<'a> PartLoader<'a> {
    const fn of(loading: &'a Loading<'a>) -> Self {
        Self {
            loading,
            head: None,
            loader: None,
            generations: 0,
        }
    }

    fn loader(&mut self) -> &mut ShardLoader<'a> {
        self.loader.as_mut().expect("a part begins with its head")
    }
}

impl PartVisitor for PartLoader<'_> {
    fn element(&mut self, element: &Element) -> Result<(), Refusal> {
        match element {
            Element::Head(head) => {
                let kind = &self.loading.definitions[head.kind as usize];
                let whole = head.parts == 1 && head.shards.get() > 1;
                let budget = &self.loading.registry.ids;
                self.loader = Some(ShardLoader::new(kind.rules(), head.shards, whole, budget));
                self.head = Some(head.clone());
                self.generations = 0;
            }
            Element::Dropped(starts) => self.loader().set_dropped(starts.iter().copied().collect()),
            Element::Ids { began, count } => {
                let count = usize_of(*count)?;
                let generation = self.generations;
                self.generations += 1;
                self.loader().begin_ids(generation, *began, count);
            }
            Element::Window(window) => {
                let rows = usize_of(window.rows)?;
                let version = (window.counter, window.digest);
                self.loader().begin_window(window.window, version, rows);
            }
            Element::End => {
                let head = self.head.take().expect("a part begins with its head");
                let loader = self.loader.take();
                let shard = loader.expect("a part begins with its head").finish();
                self.loading.take(&head, shard)?;
            }
            Element::Profiles { .. } => {}
        }
        Ok(())
    }

    fn id(&mut self, id: [u32; 4]) -> Result<(), Refusal> {
        let generation = self.generations - 1;
        self.loader().push_id(generation, id);
        Ok(())
    }

    fn row(&mut self, member: &[u8], words: &[u64]) -> Result<(), Refusal> {
        let pushed = self.loader().push_row(member, words);
        pushed.map_err(|full| Refusal(full.to_string()))
    }

    fn profile(&mut self, kind: &KindName, profile: ProfileChange) -> Result<(), Refusal> {
        self.loading.registry.replay_profile(kind, &profile);
        Ok(())
    }
}

fn usize_of(count: u64) -> Result<usize, Refusal> {
    usize::try_from(count).map_err(|error| Refusal(error.to_string()))
}

impl Loading<'_> {
    /// Adds a part. The last part of a board completes the board.
    fn take(&self, head: &PartHead, shard: Shard) -> Result<(), Refusal> {
        let (shards, last_write) = {
            let mut boards = self.boards.lock();
            let board = boards.entry(head.incarnation).or_insert_with(|| {
                Board::Partial(PartialBoard {
                    parts: BTreeMap::new(),
                    last_write: head.last_write,
                })
            });
            let partial = match board {
                Board::Partial(partial) if !partial.parts.contains_key(&head.part) => partial,
                _ => {
                    let (part, incarnation) = (head.part, head.incarnation);
                    let twice = format!("part {part} of board {incarnation} comes twice");
                    return Err(Refusal(twice));
                }
            };
            partial
                .parts
                .insert(head.part, (shard, Sequence(head.sequence)));
            partial.last_write = partial.last_write.max(head.last_write);
            if partial.parts.len() < usize::from(head.parts) {
                return Ok(());
            }
            let last_write = partial.last_write;
            let parts = std::mem::take(&mut partial.parts);
            let (shards, positions): (Vec<_>, Vec<_>) = parts.into_values().unzip();
            *board = Board::Complete(positions.into());
            (shards, last_write)
        };
        let kind = self.definitions[head.kind as usize].clone();
        let record = BoardRecord {
            name: BoardName::new(kind.name().clone(), head.subject.clone()),
            incarnation: head.incarnation,
            shards: head.shards,
            meaning: kind.meaning(),
            activity: head.activity,
            created: head.created,
        };
        let restored = self.registry.restore(record, kind, last_write, shards);
        restored.ok_or_else(|| Refusal("a board has a wrong number of parts".to_owned()))
    }
}
