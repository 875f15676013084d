//! How a journal is kept: [`Settings`], and what they are unless somebody says otherwise.

use std::time::Duration;

/// A segment that is longer is followed by another.
const SEGMENT_BYTES: u64 = 64 << 20;

/// Without a further group, a mark tells of the last sync after this.
const MARK_AFTER: Duration = Duration::from_secs(1);

/// How often a full disk is tried again.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// When a record counts as durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// When it is synced.
    Always,
    /// When it is written; a sync follows so much later at most.
    Interval(Duration),
}

/// How a journal is kept.
#[derive(Debug, Clone)]
pub struct Settings {
    /// When records count as durable.
    pub durability: Durability,
    /// A segment that is longer is followed by another.
    pub segment_bytes: u64,
    /// Without a further group, a mark tells of the last sync after this.
    pub mark_after: Duration,
    /// How often a full disk is tried again.
    pub retry_after: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            durability: Durability::Always,
            segment_bytes: SEGMENT_BYTES,
            mark_after: MARK_AFTER,
            retry_after: RETRY_AFTER,
        }
    }
}
