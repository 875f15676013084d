//! The records of boards and kinds in a store.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use board::{Activity, BoardName, Incarnation, Kind, KindName, Meaning, ShardCount};

/// Number of writes of a kind's record; 0 before the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Revision(pub u64);

/// The record of a kind. A deleted kind leaves a record without `kind`, so that a configuration
/// file does not create it again.
#[derive(Debug, Clone, PartialEq)]
pub struct KindRecord {
    /// Its name.
    pub name: KindName,
    /// Number of its writes.
    pub revision: Revision,
    /// The kind; `None` if it was deleted.
    pub kind: Option<Arc<Kind>>,
}

/// The record of a board, written atomically before its first shard.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct BoardRecord {
    /// Its name.
    pub name: BoardName,
    /// Its incarnation: part of every shard key, of id digests and of versions.
    pub incarnation: Incarnation,
    /// Number of shards; fixed for this incarnation.
    pub shards: ShardCount,
    /// The meaning of its kind. The board cannot be used with kinds of another meaning.
    pub meaning: Meaning,
    /// When contributions count, and when the board expires. A call with another activity than the
    /// board's current one fails with `SettingsChanged`.
    pub activity: Activity,
    /// Whether it has been created by a contribution; before that it only has settings.
    pub created: bool,
}

impl BoardRecord {
    /// Returns the shards that queries name. The board of a kind with dense ranks is read as a whole.
    #[must_use]
    pub fn read_as(&self, kind: &Kind) -> ShardCount {
        if kind.is_dense() {
            ShardCount::ONE
        } else {
            self.shards
        }
    }
}

/// The settings of one board, beside those of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoardSettings {
    /// Number of shards.
    pub shards: ShardCount,
    /// When contributions count, and when the board expires.
    pub activity: Activity,
}

impl From<ShardCount> for BoardSettings {
    fn from(shards: ShardCount) -> Self {
        Self {
            shards,
            activity: Activity::ALWAYS,
        }
    }
}
