//! What happens to boards, reported as it happens, for a store that has to recover it.
//!
//! The engine passes each [`Event`] to a [`Log`] under the locks of what the event is about: events of one shard, and
//! of one name, come in the order in which they happened.
//!
//! **Invariant:** the journal's order is the order of what happened, for each shard and for each name.
//!
//! **Invariant:** replay decides nothing. Whether an id was seen, a window is over, a board is small: all of that is
//! in the event. A replayed event that does not do what it did before is an error.

use std::time::Duration;

use board::{Incarnation, Timestamp, Window};

use shard_store::{BoardRecord, Item, KindRecord, Outcome};

/// Hears of everything that happens.
pub trait Log: Send {
    /// Takes an event. Room for it was made before the engine was called.
    fn note(&mut self, event: Event<'_>);

    /// From now on events belong together, until [`end_together`](Self::end_together): a crash keeps all of them or
    /// none.
    fn begin_together(&mut self) {}

    /// Takes the events since [`begin_together`](Self::begin_together).
    fn end_together(&mut self) {}
}

/// One thing that happened.
#[derive(Debug)]
pub enum Event<'a> {
    /// A kind was written, or deleted.
    KindWritten {
        /// As it is now.
        record: &'a KindRecord,
        /// It had no board that was created: those not yet created were made anew of it, or went with it.
        alone: bool,
    },
    /// A board's record was made, created or not, of its kind as it is: but settings that a board left may be of
    /// the kind before, and are of the one that there is.
    BoardMade {
        /// As it is now.
        record: &'a BoardRecord,
        /// When.
        at: Timestamp,
    },
    /// A board with settings was opened for contributions.
    BoardCreated {
        /// Which board.
        incarnation: Incarnation,
        /// When.
        at: Timestamp,
    },
    /// Items were applied to a shard.
    Applied(Applied<'a>),
    /// Windows past their time were dropped from a shard; of a board that is not split, from all.
    WindowsDropped {
        /// Which board.
        incarnation: Incarnation,
        /// Which shard of it.
        shard: u16,
        /// The windows.
        windows: &'a [Window],
    },
    /// The window without bounds of an idle board was emptied, on all shards.
    BoardEmptied {
        /// Which board.
        incarnation: Incarnation,
    },
    /// A board that was small was split into its shards.
    BoardSplit {
        /// Which board.
        incarnation: Incarnation,
    },
    /// This incarnation of a board ended, with all that it held.
    BoardEnded {
        /// Which board.
        incarnation: Incarnation,
    },
}

/// What was applied to one shard at once.
#[derive(Debug)]
pub struct Applied<'a> {
    /// The board, by its incarnation.
    pub incarnation: Incarnation,
    /// The shard.
    pub shard: u16,
    /// The server's clock: ids are remembered from then on.
    pub now: Timestamp,
    /// For how long.
    pub dedupe: Duration,
    /// All that came, in order, and what became of each.
    pub items: &'a [Item],
    /// One for each item.
    pub outcomes: &'a [Outcome],
}

impl<'a> Applied<'a> {
    /// The items that were applied, in order.
    pub fn items(&self) -> impl Iterator<Item = &'a Item> + Clone {
        let outcomes = self.items.iter().zip(self.outcomes);
        outcomes
            .filter_map(|(item, outcome)| matches!(outcome, Outcome::Applied(_)).then_some(item))
    }
}

/// Hears nothing: what is kept nowhere needs no log.
#[derive(Debug)]
pub struct Unlogged;

impl Log for Unlogged {
    fn note(&mut self, _: Event<'_>) {}
}
