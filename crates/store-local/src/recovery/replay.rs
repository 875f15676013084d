//! The journal behind a snapshot, event by event.
//!
//! Each part of the snapshot knows the sequence up to which it holds what happened: earlier events
//! on it are passed over. Of an incarnation that the snapshot does not have, because it ended while the
//! snapshot was taken, the journal tells the end too; if it does not, the two do not belong together.

use std::collections::{HashMap, HashSet};

use board::{BoardName, Incarnation};

use super::crew::{Crew, Task, What};
use crate::record::Record;
use engine::{Registry, Shared};
use journal::Sequence;

/// Up to where the parts of each board in the snapshot hold the journal.
pub(super) type Positions = HashMap<Incarnation, Box<[Sequence]>>;

/// Why a record could not be replayed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Misfit {
    /// It is of a board whose kind is not known, or means something else.
    #[error("board {0} was not made of the kind that there is")]
    OtherKind(BoardName),
}

/// A replay under way.
pub(super) struct Replay<'a> {
    registry: &'a Registry,
    positions: &'a Positions,
    crew: Crew,
    /// Incarnations that are not here, and have not ended yet.
    missing: HashSet<Incarnation>,
}

impl<'a> Replay<'a> {
    pub(super) fn new(registry: &'a Registry, positions: &'a Positions, crew: Crew) -> Self {
        Self {
            registry,
            positions,
            crew,
            missing: HashSet::new(),
        }
    }

    pub(super) fn event(&mut self, sequence: Sequence, record: Record) -> Result<(), Misfit> {
        match record {
            Record::KindWritten { record, alone } => self.registry.replay_kind(record, alone),
            Record::BoardMade { record, at } => {
                let made = self.registry.replay_made(&record, at);
                made.ok_or(Misfit::OtherKind(record.name))?;
            }
            Record::BoardCreated { incarnation, at } => {
                if let Some(cell) = self.cell(incarnation) {
                    cell.mark_created(at);
                }
            }
            Record::Applied(applied) => {
                let (incarnation, shard) = (applied.incarnation, applied.shard);
                self.hand(incarnation, shard, sequence, What::Apply(applied));
            }
            Record::WindowsDropped {
                incarnation,
                shard,
                windows,
            } => self.hand(incarnation, shard, sequence, What::DropWindows(windows)),
            Record::BoardEmptied { incarnation } => self.empty(incarnation, sequence),
            Record::BoardSplit { incarnation } => {
                if let Some(cell) = self.cell(incarnation).filter(|cell| !cell.is_split()) {
                    self.crew.wait();
                    cell.replay_split(&self.registry.ids);
                }
            }
            Record::BoardEnded { incarnation } => {
                if !self.registry.replay_ended(incarnation) {
                    self.missing.remove(&incarnation);
                }
            }
        }
        Ok(())
    }

    /// How many incarnations were spoken of that are not here; and the first record that could not be
    /// done again.
    pub(super) fn finish(self) -> (usize, Result<(), Sequence>) {
        (self.missing.len(), self.crew.finish())
    }

    fn cell(&mut self, incarnation: Incarnation) -> Option<Shared> {
        let cell = self.registry.cell(incarnation).ok();
        if cell.is_none() {
            self.missing.insert(incarnation);
        }
        cell
    }

    fn hand(&mut self, incarnation: Incarnation, shard: u16, sequence: Sequence, what: What) {
        let Some(cell) = self.cell(incarnation) else {
            return;
        };
        if self.is_behind(incarnation, shard, sequence) {
            self.crew.hand(Task {
                cell,
                shard,
                sequence,
                what,
            });
        }
    }

    fn empty(&mut self, incarnation: Incarnation, sequence: Sequence) {
        let parts = self.cell(incarnation).map_or(0, |cell| cell.parts());
        for shard in 0..u16::try_from(parts).unwrap_or(u16::MAX) {
            self.hand(incarnation, shard, sequence, What::Empty);
        }
    }

    /// Whether the record came after the part was taken into the snapshot.
    fn is_behind(&self, incarnation: Incarnation, shard: u16, sequence: Sequence) -> bool {
        let Some(taken) = self.positions.get(&incarnation) else {
            return true;
        };
        let part = usize::from(shard).min(taken.len() - 1);
        sequence >= taken[part]
    }
}
