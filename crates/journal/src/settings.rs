//! [`Settings`] of a journal, and their defaults.

use std::time::Duration;

/// A segment that is longer than this is followed by another.
const SEGMENT_BYTES: u64 = 64 << 20;

/// If no group follows, a mark records the last sync after this time.
const MARK_AFTER: Duration = Duration::from_secs(1);

/// How often a full disk is tried again.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// When a record counts as durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// When it is synced.
    Always,
    /// When it is written; a sync follows at most this much later.
    Interval(Duration),
}

/// The settings of a journal.
#[derive(Debug, Clone)]
pub struct Settings {
    /// When records count as durable.
    pub durability: Durability,
    /// A segment that is longer than this is followed by another.
    pub segment_bytes: u64,
    /// If no group follows, a mark records the last sync after this time.
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
