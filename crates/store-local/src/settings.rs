//! [`LocalSettings`] of a local store, and their defaults.

use std::sync::Arc;
use std::time::Duration;

use engine::REMEMBERED_ID_BYTES_MAX;
use journal::{Durability, Settings};
use shard_store::Memory;

/// Minimum bytes of journal after which a snapshot is taken.
const SNAPSHOT_AFTER_BYTES: u64 = 64 << 20;

/// Longer than it takes to correct a clock that was set wrong by mistake.
const CLOCK_PAUSE: Duration = Duration::from_mins(10);

/// The settings of a local store.
#[derive(Debug, Clone)]
pub struct LocalSettings {
    /// When a write counts as durable and is acknowledged.
    pub durability: Durability,
    /// Memory limit of remembered ids, in bytes.
    pub id_bytes_max: usize,
    /// Memory limit of boards.
    pub memory: Arc<Memory>,
    /// A snapshot is taken after this many bytes of records, or half of the previous snapshot,
    /// whichever is more; `u64::MAX`: never automatically.
    pub snapshot_after_bytes: u64,
    /// How long a clock that has jumped ahead has to run steadily before data that is expired by it
    /// is dropped; zero: it is trusted immediately.
    pub clock_pause: Duration,
    /// A segment of the journal that is longer than this is followed by another.
    pub segment_bytes: u64,
    /// Without further writes, the journal records after this time that everything is durable.
    pub mark_after: Duration,
    /// How often a full disk is tried again.
    pub retry_after: Duration,
}

impl Default for LocalSettings {
    fn default() -> Self {
        let Settings {
            durability,
            segment_bytes,
            mark_after,
            retry_after,
        } = Settings::default();
        Self {
            durability,
            id_bytes_max: REMEMBERED_ID_BYTES_MAX,
            memory: Arc::default(),
            snapshot_after_bytes: SNAPSHOT_AFTER_BYTES,
            clock_pause: CLOCK_PAUSE,
            segment_bytes,
            mark_after,
            retry_after,
        }
    }
}

impl LocalSettings {
    pub(crate) const fn journal(&self) -> Settings {
        Settings {
            durability: self.durability,
            segment_bytes: self.segment_bytes,
            mark_after: self.mark_after,
            retry_after: self.retry_after,
        }
    }
}
