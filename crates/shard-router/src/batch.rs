//! [`BoardBatches`]: the contributions of a request by board, the input of the router.
//!
//! They are grouped as they are read: a [`BoardBatch`] for each board, in it a part for each kind
//! that contributions were read under. What the store gets of a contribution (its [`Item`]) is made
//! here, and from then on only moved: into the batches of shards, and back if it is to be sent
//! again. Each has an index, by which its outcome is returned. Lists of boards and parts allocate
//! only from the second on: most requests have one.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::sync::Arc;

use board::{BoardName, ContributionId, Member, Timestamp, Window, Windows};
use shard_store::{Change, Item};
use smallvec::SmallVec;

use crate::catalogue::KnownKind;
use crate::write::Write;

/// One contribution to one board.
#[derive(Debug, Clone)]
pub struct Contribution {
    /// The member whose standing changes.
    pub member: Member,
    /// The change.
    pub change: Change,
    /// The time of the contribution.
    pub at: Timestamp,
    /// The client's id of it.
    pub id: Option<ContributionId>,
    /// Restricts a removal to this window, or another contribution, whose `at` it has to contain.
    pub only: Option<Window>,
}

/// Boards of a request that are searched one by one; with more, there is an index.
const SEARCHED_MAX: usize = 8;

/// Contributions to one board from which on their vector grows fourfold: copying them is a part of what each costs.
const GROWN_FAST_MIN: usize = 16;

/// The contributions of a request, by board.
#[derive(Debug, Default)]
pub struct BoardBatches {
    pub(crate) boards: SmallVec<[BoardBatch; 1]>,
    /// The slots of all boards; empty up to [`SEARCHED_MAX`].
    slots: HashMap<Arc<BoardName>, BoardSlot>,
    len: usize,
}

/// The position of a board in its [`BoardBatches`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoardSlot(usize);

impl BoardSlot {
    /// Returns the index of the board in [`BoardBatches::names`].
    #[must_use]
    pub const fn index(self) -> usize {
        self.0
    }
}

/// The contributions of a request to one board.
#[derive(Debug)]
pub(crate) struct BoardBatch {
    pub(crate) name: Arc<BoardName>,
    /// One part for each kind that contributions were read under, in order. A kind may be replaced
    /// while a request is read; what was read under one kind is not applied under another.
    pub(crate) parts: SmallVec<[KindPart; 1]>,
}

/// The contributions to one board that were read under one kind, in order.
#[derive(Debug)]
pub(crate) struct KindPart {
    pub(crate) kind: KnownKind,
    pub(crate) items: Vec<BatchItem>,
    /// When the first of the windows closes that the items were admitted to, if one does.
    pub(crate) closes_at: Option<Timestamp>,
}

/// A contribution in a batch.
#[derive(Debug)]
pub(crate) struct BatchItem {
    pub(crate) origin: ItemOrigin,
    /// What the store gets. Its windows are set when it is admitted, the digest of its id when it
    /// is sent to an incarnation of the board.
    pub(crate) item: Item,
}

/// Where an item comes from, and what it is admitted and identified by.
#[derive(Debug)]
pub(crate) struct ItemOrigin {
    /// The index of its outcome.
    pub(crate) index: usize,
    /// Its time, as the client sent it.
    pub(crate) at: Timestamp,
    pub(crate) id: Option<ContributionId>,
    pub(crate) only: Option<Window>,
}

impl BoardBatches {
    /// Creates the batch of one contribution.
    #[must_use]
    pub fn of_one(board: BoardName, kind: &KnownKind, contribution: Contribution) -> Self {
        let mut batches = Self::default();
        let slot = batches.slot(board);
        batches.push(slot, kind, contribution);
        batches
    }

    /// Returns the number of contributions.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no contributions.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the slot of a board; a new one for a board that has none.
    pub fn slot(&mut self, name: impl Borrow<BoardName> + Into<Arc<BoardName>>) -> BoardSlot {
        if let Some(slot) = self.slot_of(name.borrow()) {
            return slot;
        }
        let slot = BoardSlot(self.boards.len());
        self.boards.push(BoardBatch {
            name: name.into(),
            parts: SmallVec::new(),
        });
        if self.boards.len() > SEARCHED_MAX {
            let unindexed = self.boards.iter().enumerate().skip(self.slots.len());
            let slots = unindexed.map(|(slot, board)| (board.name.clone(), BoardSlot(slot)));
            self.slots.extend(slots);
        }
        slot
    }

    fn slot_of(&self, name: &BoardName) -> Option<BoardSlot> {
        if !self.slots.is_empty() {
            return self.slots.get(name).copied();
        }
        let mut boards = self.boards.iter();
        boards.position(|board| *board.name == *name).map(BoardSlot)
    }

    /// Returns the board of a slot.
    ///
    /// # Panics
    /// Panics if it is a slot of other batches.
    #[must_use]
    pub fn board(&self, slot: BoardSlot) -> &Arc<BoardName> {
        &self.boards[slot.0].name
    }

    /// Returns the names of all boards, by slot.
    #[must_use]
    pub fn names(&self) -> Vec<Arc<BoardName>> {
        let names = self.boards.iter().map(|board| board.name.clone());
        names.collect()
    }

    /// Adds a contribution that was read under this kind. Its outcome has the index that
    /// [`BoardBatches::len`] returned before.
    ///
    /// # Panics
    /// Panics if it is a slot of other batches.
    pub fn push(&mut self, slot: BoardSlot, kind: &KnownKind, contribution: Contribution) {
        let item = BatchItem::new(self.len, kind, contribution);
        self.len += 1;
        let items = &mut self.boards[slot.0].part_for(kind).items;
        if items.len() == items.capacity() && items.len() >= GROWN_FAST_MIN {
            items.reserve_exact(3 * items.len());
        }
        items.push(item);
    }
}

impl FromIterator<Write> for BoardBatches {
    fn from_iter<I: IntoIterator<Item = Write>>(writes: I) -> Self {
        let mut batches = Self::default();
        for Write {
            board,
            kind,
            member,
            change,
            at,
            id,
            only,
        } in writes
        {
            let slot = batches.slot(board);
            let contribution = Contribution {
                member,
                change,
                at,
                id,
                only,
            };
            batches.push(slot, &kind, contribution);
        }
        batches
    }
}

impl<W: AsRef<[Write]> + ?Sized> From<&W> for BoardBatches {
    fn from(writes: &W) -> Self {
        writes.as_ref().iter().cloned().collect()
    }
}

impl BoardBatch {
    fn part_for(&mut self, kind: &KnownKind) -> &mut KindPart {
        let revision = kind.record.revision;
        let last = self.parts.last();
        if last.is_none_or(|part| part.kind.record.revision != revision) {
            self.parts.push(KindPart {
                kind: kind.clone(),
                items: Vec::new(),
                closes_at: None,
            });
        }
        self.parts
            .last_mut()
            .expect("a part was added if there was none")
    }
}

impl BatchItem {
    pub(crate) fn new(index: usize, kind: &KnownKind, contribution: Contribution) -> Self {
        let Contribution {
            member,
            change,
            at,
            id,
            only,
        } = contribution;
        Self {
            origin: ItemOrigin {
                index,
                at,
                id,
                only,
            },
            item: Item {
                hash: member.placement_hash(),
                member,
                change: match (change, only) {
                    (Change::Remove, Some(_)) => Change::RemoveFrom,
                    _ => change,
                },
                at: kind.kind.rules().kept_time(at),
                id: None,
                windows: Windows::default(),
            },
        }
    }

    pub(crate) fn is_removal(&self) -> bool {
        self.item.change.is_removal()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_has_one_slot_however_many_boards_there_are() {
        let name = |number: usize| -> BoardName { format!("gifts/{number}").parse().unwrap() };
        let mut batches = BoardBatches::default();
        for boards in 1..=3 * SEARCHED_MAX {
            assert_eq!(batches.slot(name(boards - 1)), BoardSlot(boards - 1));
            for known in 0..boards {
                assert_eq!(batches.slot(name(known)), BoardSlot(known));
                let slot = BoardSlot(known);
                assert_eq!(**batches.board(slot), name(known));
            }
        }
    }
}
