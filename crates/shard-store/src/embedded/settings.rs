//! How an embedded store is kept: [`EmbeddedSettings`], and what they are unless somebody says
//! otherwise.

use std::time::Duration;

pub use super::journal::Durability;
use super::journal::Settings;
use crate::engine::REMEMBERED_ID_BYTES_MAX;

/// Bytes of journal after which a snapshot is taken, at least.
const SNAPSHOT_AFTER_BYTES: u64 = 64 << 20;

/// How an embedded store is kept.
#[derive(Debug, Clone)]
pub struct EmbeddedSettings {
    /// When what was applied counts as durable, and is answered.
    pub durability: Durability,
    /// Bytes that remembered ids may take in memory.
    pub id_bytes_max: usize,
    /// Bytes of records in the journal after which a snapshot is taken, or half of the snapshot
    /// before, whichever is more; `u64::MAX`: none is taken by itself.
    pub snapshot_after_bytes: u64,
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
            snapshot_after_bytes: SNAPSHOT_AFTER_BYTES,
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
