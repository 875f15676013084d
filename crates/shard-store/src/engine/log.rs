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

use crate::contract::{BoardRecord, Item, KindRecord, Outcome};

/// Hears of everything that happens.
pub(crate) trait Log: Send {
    /// Takes an event. Room for it was made before the engine was called.
    fn note(&mut self, event: Event<'_>);
}

/// One thing that happened.
#[derive(Debug)]
pub(crate) enum Event<'a> {
    /// A kind was written, or deleted.
    KindWritten {
        /// As it is now.
        record: &'a KindRecord,
        /// It had no board that was born: those unborn were made anew of it, or went with it.
        alone: bool,
    },
    /// A board's record was made, born or not, of its kind as it is.
    BoardMade {
        record: &'a BoardRecord,
        at: Timestamp,
    },
    /// A board with settings was opened for contributions.
    BoardBorn {
        incarnation: Incarnation,
        at: Timestamp,
    },
    /// Items were applied to a shard.
    Applied(Applied<'a>),
    /// Windows past their time were dropped from a shard; of a board that is not split, from all.
    WindowsDropped {
        incarnation: Incarnation,
        shard: u16,
        windows: &'a [Window],
    },
    /// The window without bounds of an idle board was emptied, on all shards.
    BoardEmptied { incarnation: Incarnation },
    /// A board that was small was split into its shards.
    BoardSplit { incarnation: Incarnation },
    /// This life of a board ended, with all that it held.
    BoardEnded { incarnation: Incarnation },
}

/// What was applied to one shard at once.
#[derive(Debug)]
pub(crate) struct Applied<'a> {
    pub(crate) incarnation: Incarnation,
    pub(crate) shard: u16,
    /// The server's clock: ids are remembered from then on.
    pub(crate) now: Timestamp,
    /// For how long.
    pub(crate) dedupe: Duration,
    /// All that came, in order, and what became of each.
    pub(crate) items: &'a [Item],
    pub(crate) outcomes: &'a [Outcome],
}

impl<'a> Applied<'a> {
    /// The items that were applied, in order.
    pub(crate) fn items(&self) -> impl Iterator<Item = &'a Item> + Clone {
        let outcomes = self.items.iter().zip(self.outcomes);
        outcomes
            .filter_map(|(item, outcome)| matches!(outcome, Outcome::Applied(_)).then_some(item))
    }
}

/// Hears nothing: what is kept nowhere needs no log.
#[derive(Debug)]
pub(crate) struct Unlogged;

impl Log for Unlogged {
    fn note(&mut self, _: Event<'_>) {}
}
