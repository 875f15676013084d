//! Replays the journal after a snapshot, event by event.
//!
//! Each part of the snapshot has the sequence up to which it contains the events: earlier events on
//! it are skipped. If the snapshot lacks an incarnation, because it ended while the snapshot was
//! taken, the journal also contains the end; if it does not, the two do not belong together.

use std::collections::{HashMap, HashSet};

use board::{BoardName, Incarnation};

use super::crew::{Action, Crew, Task};
use engine::{Event, Registry, SharedCell};
use journal::Sequence;

/// For each board of the snapshot, the sequences of its parts.
pub(super) type Positions = HashMap<Incarnation, Box<[Sequence]>>;

/// Why a record could not be replayed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Misfit {
    /// A board's kind is unknown, or has another meaning.
    #[error("board {0} was not created under the current kind")]
    OtherKind(BoardName),
    /// A board was split that has not enough members.
    #[error("board {0} was split into shards, and is too small for that")]
    TooSmall(Incarnation),
}

/// A replay in progress.
pub(super) struct Replay<'a> {
    registry: &'a Registry,
    positions: &'a Positions,
    crew: Crew,
    /// Incarnations that do not exist, and whose end has not been read yet.
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

    pub(super) fn event(
        &mut self,
        sequence: Sequence,
        event: Event<'static>,
    ) -> Result<(), Misfit> {
        match event {
            Event::KindWritten {
                record,
                without_boards,
            } => self
                .registry
                .replay_kind(record.into_owned(), without_boards),
            Event::BoardMade { record, at } => {
                let made = self.registry.replay_made(&record, at);
                made.ok_or_else(|| Misfit::OtherKind(record.name.clone()))?;
            }
            Event::BoardCreated { incarnation, at } => {
                if let Some(cell) = self.cell(incarnation) {
                    cell.mark_created(at);
                }
            }
            Event::ActivityChanged {
                incarnation,
                activity,
            } => {
                if let Some(cell) = self.cell(incarnation) {
                    cell.replay_activity(activity);
                }
            }
            Event::Applied(applied) => {
                let (incarnation, shard) = (applied.incarnation, applied.shard);
                self.submit(incarnation, shard, sequence, Action::Apply(applied));
            }
            Event::WindowsDropped {
                incarnation,
                shard,
                windows,
            } => self.submit(incarnation, shard, sequence, Action::DropWindows(windows)),
            Event::BoardEmptied { incarnation } => self.empty(incarnation, sequence),
            Event::BoardSplit { incarnation } => {
                if let Some(cell) = self.cell(incarnation).filter(|cell| !cell.is_split()) {
                    self.crew.wait();
                    let split = cell.replay_split(&self.registry.ids);
                    split.then_some(()).ok_or(Misfit::TooSmall(incarnation))?;
                }
            }
            Event::ProfileChanged { kind, change } => self.registry.replay_profile(&kind, &change),
            Event::BoardEnded { incarnation } => {
                if !self.registry.replay_ended(incarnation) {
                    self.missing.remove(&incarnation);
                }
            }
        }
        Ok(())
    }

    /// Returns the number of missing incarnations, and the first record that could not be replayed.
    pub(super) fn finish(self) -> (usize, Result<(), Sequence>) {
        (self.missing.len(), self.crew.finish())
    }

    fn cell(&mut self, incarnation: Incarnation) -> Option<SharedCell> {
        let cell = self.registry.cell(incarnation).ok();
        if cell.is_none() {
            self.missing.insert(incarnation);
        }
        cell
    }

    fn submit(&mut self, incarnation: Incarnation, shard: u16, sequence: Sequence, action: Action) {
        let Some(cell) = self.cell(incarnation) else {
            return;
        };
        if self.is_after_part(incarnation, shard, sequence) {
            self.crew.submit(Task {
                cell,
                shard,
                sequence,
                action,
            });
        }
    }

    fn empty(&mut self, incarnation: Incarnation, sequence: Sequence) {
        let parts = self.cell(incarnation).map_or(0, |cell| cell.parts());
        for shard in 0..u16::try_from(parts).unwrap_or(u16::MAX) {
            self.submit(incarnation, shard, sequence, Action::Empty);
        }
    }

    /// Returns whether the record follows the part of the snapshot, and so has to be replayed.
    fn is_after_part(&self, incarnation: Incarnation, shard: u16, sequence: Sequence) -> bool {
        let Some(taken) = self.positions.get(&incarnation) else {
            return true;
        };
        let part = usize::from(shard).min(taken.len() - 1);
        sequence >= taken[part]
    }
}
