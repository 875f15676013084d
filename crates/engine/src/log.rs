//! [`Log`]: receives every change of a board, for a store that has to recover it.
//!
//! The engine passes each [`Event`] to a log under the locks of what the event is about: events of
//! one shard, and of one name, arrive in the order in which they happened.
//!
//! **Invariant:** for each shard and each name, the journal's order is the order of the changes.
//!
//! **Invariant:** replay decides nothing. Whether an id was known, a window is over, a board is
//! small: all of that is in the event. A replayed event that does not have the effect it had before
//! is an error.

use std::borrow::Cow;
use std::time::Duration;

use board::{Activity, Incarnation, KindName, Timestamp, Window};

use serde::{Deserialize, Serialize};
use shard_store::{BoardRecord, Item, KindRecord, Outcome, ProfileChange, kind_text};

use crate::logged_items;

/// Receives every event.
pub trait Log: Send {
    /// Records an event. The caller reserved space for it before it called the engine.
    fn record(&mut self, event: Event<'_>);

    /// Records two events, of which a crash keeps both or none.
    fn record_together(&mut self, events: [Event<'_>; 2]) {
        for event in events {
            self.record(event);
        }
    }
}

/// A change of the registry or of a board.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub enum Event<'a> {
    /// A kind was written or deleted. Its profiles were deleted with it.
    KindWritten {
        /// The record after the change.
        #[serde(with = "kind_text")]
        record: Cow<'a, KindRecord>,
        /// The kind had no created boards. Boards not yet created were remade under the new kind,
        /// or deleted with it.
        without_boards: bool,
    },
    /// The profile of a member was replaced or deleted.
    ProfileChanged {
        /// The kind, which exists.
        kind: Cow<'a, KindName>,
        /// The change.
        change: Cow<'a, ProfileChange>,
    },
    /// A board's record was made, created or not, under the current version of its kind. Settings
    /// left by a board that ended may have been made under the previous version and belong to the
    /// current one.
    BoardMade {
        /// The record.
        record: Cow<'a, BoardRecord>,
        /// The time.
        at: Timestamp,
    },
    /// A board with settings was created by its first contribution.
    BoardCreated {
        /// The board.
        incarnation: Incarnation,
        /// The time.
        at: Timestamp,
    },
    /// The activity of a created board was changed.
    ActivityChanged {
        /// The board.
        incarnation: Incarnation,
        /// The new one.
        activity: Activity,
    },
    /// Items were applied to a shard.
    #[serde(with = "logged_items")]
    Applied(Applied<'a>),
    /// Windows past their retention were dropped from a shard; for a board that is not split, from
    /// all shards.
    WindowsDropped {
        /// The board.
        incarnation: Incarnation,
        /// The shard.
        shard: u16,
        /// The windows.
        windows: Cow<'a, [Window]>,
    },
    /// The window without bounds of an idle board was emptied on all shards.
    BoardEmptied {
        /// The board.
        incarnation: Incarnation,
    },
    /// A small board was split into its shards.
    BoardSplit {
        /// The board.
        incarnation: Incarnation,
    },
    /// An incarnation of a board ended, with all its contents.
    BoardEnded {
        /// The board.
        incarnation: Incarnation,
    },
}

/// A batch that was applied to one shard.
#[derive(Debug, Clone, PartialEq)]
pub struct Applied<'a> {
    /// The board, by its incarnation.
    pub incarnation: Incarnation,
    /// The shard.
    pub shard: u16,
    /// The server's clock, from which ids are remembered.
    pub now: Timestamp,
    /// How long ids are remembered.
    pub dedupe: Duration,
    /// All items of the batch, in order; of one that was read, those that were applied.
    pub items: Cow<'a, [Item]>,
    /// The outcome of each item; empty if all were applied.
    pub outcomes: &'a [Outcome],
}

impl Applied<'_> {
    /// Iterates over the items that were applied, in order.
    pub(crate) fn applied(&self) -> impl Iterator<Item = &Item> + Clone {
        let is_applied = |index: usize| {
            let outcome = self.outcomes.get(index);
            outcome.is_none_or(|outcome| matches!(outcome, Outcome::Applied(_)))
        };
        let items = self.items.iter().enumerate();
        items.filter_map(move |(index, item)| is_applied(index).then_some(item))
    }
}

/// Discards every event, for a store without a journal.
#[derive(Debug)]
pub struct NoLog;

impl Log for NoLog {
    fn record(&mut self, _: Event<'_>) {}
}
