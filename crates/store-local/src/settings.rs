//! How an embedded store is kept: [`EmbeddedSettings`], and what they are unless somebody says
//! otherwise.

use std::sync::Arc;
use std::time::Duration;

use engine::REMEMBERED_ID_BYTES_MAX;
use journal::{Durability, Settings};
use shard_store::Memory;

/// Bytes of journal after which a snapshot is taken, at least.
const SNAPSHOT_AFTER_BYTES: u64 = 64 << 20;

/// Longer than it takes to set a clock right that was set wrong by mistake.
const CLOCK_PAUSE: Duration = Duration::from_mins(10);

/// How an embedded store is kept.
#[derive(Debug, Clone)]
pub struct EmbeddedSettings {
    /// When what was applied counts as durable, and is answered.
    pub durability: Durability,
    /// Bytes that remembered ids may take in memory.
    pub id_bytes_max: usize,
    /// What boards have to find room in.
    pub memory: Arc<Memory>,
    /// Bytes of records in the journal after which a snapshot is taken, or half of the snapshot
    /// before, whichever is more; `u64::MAX`: none is taken by itself.
    pub snapshot_after_bytes: u64,
    /// How long a clock that has jumped ahead has to stay there before what is past its time by it is
    /// dropped; zero: it is trusted at once.
    pub clock_pause: Duration,
    /// A segment of the journal that is longer is followed by another.
    pub segment_bytes: u64,
    /// Without further writes, the journal says after this that all is durable.
    pub mark_after: Duration,
    /// How often a full disk is tried again.
    pub retry_after: Duration,
}

impl Default for EmbeddedSettings {
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

impl EmbeddedSettings {
    pub(crate) const fn journal(&self) -> Settings {
        Settings {
            durability: self.durability,
            segment_bytes: self.segment_bytes,
            mark_after: self.mark_after,
            retry_after: self.retry_after,
        }
    }
}
