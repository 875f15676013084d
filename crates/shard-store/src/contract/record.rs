//! What a store keeps of boards and kinds.

use std::sync::Arc;

use board::{Activity, BoardName, Incarnation, Kind, KindName, Meaning, ShardCount};

/// Counts the writes to a kind's record; 0 is before the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Revision(pub u64);

/// A kind as the store keeps it. A deleted kind leaves a record without `kind`, so that a
/// configuration file does not bring it back.
#[derive(Debug, Clone, PartialEq)]
pub struct KindRecord {
    /// Its name.
    pub name: KindName,
    /// How often it was written.
    pub revision: Revision,
    /// What it is, unless it was deleted.
    pub kind: Option<Arc<Kind>>,
}

/// A board as the store keeps it, made atomically before its first shard is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardRecord {
    /// Its name.
    pub name: BoardName,
    /// This incarnation of it: part of every shard key, of dedupe and of versions.
    pub incarnation: Incarnation,
    /// Over how many shards its members are spread; fixed for this incarnation.
    pub shards: ShardCount,
    /// What its standings mean: that of the kind it was made of. Of use to no other kind.
    pub meaning: Meaning,
    /// From when to when contributions count, and when it goes; fixed for this incarnation.
    pub activity: Activity,
    /// Whether it has been opened for contributions; before, only settings are kept.
    pub created: bool,
}

/// What one board has of its own, beside its kind, set before its creation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoardSettings {
    /// Over how many shards its members are spread.
    pub shards: ShardCount,
    /// From when to when contributions count, and when it goes.
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
