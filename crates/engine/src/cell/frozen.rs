//! [`FrozenPart`]: one part of a board for a snapshot, as it was at one sequence of the log.

use std::sync::Arc;

use board::{Kind, Timestamp};

use super::{Body, Cell};
use crate::shard::FrozenShard;
use shard_store::BoardRecord;

/// One part of a board: a shard, or all of a small board.
#[derive(Debug)]
pub struct FrozenPart<S> {
    /// The board's record.
    pub record: BoardRecord,
    /// The kind that it was created under.
    pub kind: Arc<Kind>,
    /// The time of the last write; for a board to which nothing was ever applied, when its settings
    /// were made.
    pub last_write: Timestamp,
    /// How many parts the board has.
    pub parts: u16,
    /// The log's sequence at that time: everything before it is included, nothing after it.
    pub sequence: S,
    /// The contents of the shard.
    pub shard: FrozenShard,
}

impl Cell {
    /// Copies a part as it is now. `sequence` returns the log's sequence; the part does not change
    /// while it is called. `None`: the board has ended, or has no such part.
    pub fn freeze<S>(&self, part: u16, sequence: impl FnOnce() -> S) -> Option<FrozenPart<S>> {
        let body = self.body.read();
        if matches!(&*body, Body::Ended) {
            return None;
        }
        let shards = body.shards();
        let held = shards.get(usize::from(part))?.read();
        // Splitting a board requires something applied to it.
        let is_unused = shards.len() == 1 && held.is_untouched();
        Some(FrozenPart {
            record: self.record(),
            kind: self.kind.clone(),
            last_write: if is_unused {
                self.settings_set_at
            } else {
                self.written()
            },
            parts: u16::try_from(shards.len()).expect("a board has at most 4096 shards"),
            sequence: sequence(),
            shard: held.freeze(),
        })
    }
}
