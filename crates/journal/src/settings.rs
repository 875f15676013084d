//! [`Settings`] of a journal, and their defaults.

use std::time::Duration;

const SEGMENT_BYTES: u64 = 64 << 20;
const MARK_AFTER: Duration = Duration::from_secs(1);
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
    /// The length of a segment after which the next one begins.
    pub segment_bytes: u64,
    /// The time after which a sync is recorded in the mark of the journal's end.
    pub mark_after: Duration,
    /// The interval between two attempts to write to a full disk.
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
