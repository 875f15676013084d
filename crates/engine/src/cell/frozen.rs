//! A board as a snapshot takes it: part by part, each as it is at one sequence of the log.

use std::sync::Arc;

use board::{Kind, Timestamp};

use super::{Body, Cell};
use crate::shard::FrozenShard;
use shard_store::BoardRecord;

/// One part of a board: a shard, or all of a small one.
#[derive(Debug)]
pub struct FrozenPart<S> {
    /// The board's record.
    pub record: BoardRecord,
    /// The kind that it was created under.
    pub kind: Arc<Kind>,
    /// When it was written to last; of a board to which nothing was ever applied, when its settings were made.
    pub last_write: Timestamp,
    /// How many parts the board has.
    pub parts: u16,
    /// Where the log was: everything before it is in here, nothing behind it.
    pub sequence: S,
    /// What the shard holds.
    pub shard: FrozenShard,
}

impl Cell {
    /// A part as it is now. `sequence` tells where the log is, while nothing happens to the part.
    /// `None`: the board has ended, or has no such part.
    pub fn freeze<S>(&self, part: u16, sequence: impl FnOnce() -> S) -> Option<FrozenPart<S>> {
        let body = self.body.read();
        if matches!(&*body, Body::Dead) {
            return None;
        }
        let shards = body.shards();
        let held = shards.get(usize::from(part))?.read();
        // A board is split by what is applied to it.
        let is_unused = shards.len() == 1 && held.is_untouched();
        Some(FrozenPart {
            record: self.record(),
            kind: self.kind.clone(),
            last_write: if is_unused {
                self.settled
            } else {
                self.written()
            },
            parts: u16::try_from(shards.len()).expect("a board has at most 4096 shards"),
            sequence: sequence(),
            shard: held.freeze(),
        })
    }
}
