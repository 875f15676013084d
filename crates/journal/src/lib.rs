//! A durable, ordered log of opaque records in a folder, numbered over the lifetime of the folder.
//!
//! [`read()`] returns the records of a folder, [`Journal::start`] continues after them. What the
//! bytes mean, and when a snapshot makes older records unnecessary, is up to the caller.
//!
//! ```text
//! append ─► inbox ─► committer ─► log ─► segment files: groups, chained, followed by zeros
//!   ▲                    │
//! capacity ◄── zeros ────┴─► progress ─► durable
//! ```
//!
//! - `format`: bytes of headers. `segment`: the files. `read`, `window`, `search`: recovery.
//! - `log`: the operations on the disk and their order; no thread, no clock. `tail`: from recovery
//!   to writing.
//! - `committer`: the one thread, and when it does what. `inbox`, `capacity`, `progress`: how other
//!   threads interact with it.
//! - `handle`: the [`Journal`] itself, as the store uses it.
//!
//! Every operation on the file system goes through the crate `disk`, where tests inject failures.

mod capacity;
mod committer;
mod format;
mod handle;
mod inbox;
mod log;
mod metrics;
mod progress;
mod read;
mod search;
mod segment;
mod settings;
mod tail;
#[cfg(test)]
mod tests;
mod window;

use std::fmt;

#[cfg(test)]
use capacity::Rejected;
#[cfg(test)]
use progress::Lost;
#[cfg(test)]
use read::ReadError;

pub use capacity::{BATCH_BYTES_MAX, Reservation, reserved_bytes};
pub use handle::Journal;
pub use metrics::JournalMetrics;
pub use read::{Recovered, read};
pub use settings::Durability;
pub use settings::Settings;

/// A position in the log: the number of records appended before it. Records are numbered 0, 1, 2,
/// ... for the whole lifetime of the folder.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sequence(pub u64);

impl Sequence {
    /// Returns the sequence this many records later.
    #[must_use]
    pub const fn plus(self, records: u32) -> Self {
        // Only a forged file has sequences near the maximum.
        Self(self.0.saturating_add(records as u64))
    }
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
