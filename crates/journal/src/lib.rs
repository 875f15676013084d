//! An ordered log of records, durable in a folder: opaque bytes, numbered over the lifetime of the folder.
//!
//! [`read()`] returns what a folder holds, [`Journal::start`] goes on from there. What the bytes mean,
//! and when a snapshot lets older ones go, is for the caller to know.
//!
//! ```text
//! append ─► inbox ─► committer ─► log ─► segment files: groups, chained, ahead of zeros
//!   ▲                    │
//!  room ◄── zeros ───────┴─► progress ─► durable
//! ```
//!
//! - `format`: bytes of headers. `segment`: the files. `read`, `window`, `search`: recovery.
//! - `log`: what is done to the disk, in which order; no thread, no clock. `tail`: where it goes on.
//! - `committer`: the one thread, and when it does what. `inbox`, `room`, `progress`: how others
//!   meet it.
//! - `handle`: the [`Journal`] itself, as the store holds it. `disk`: every operation on the file system, where tests
//!   fail, tear and fill.

mod committer;
mod disk;
mod format;
mod handle;
mod inbox;
mod log;
mod metrics;
mod progress;
mod read;
mod room;
mod search;
mod segment;
mod settings;
mod tail;
#[cfg(test)]
mod tests;
mod window;

use std::fmt;

#[cfg(test)]
use progress::Lost;
#[cfg(test)]
use read::ReadError;
#[cfg(test)]
use room::NotTaken;

pub use disk::{Disk, DiskFile, LocalDisk, OpenError};
pub use handle::Journal;
pub use metrics::JournalMetrics;
pub use read::{Recovered, read};
pub use room::{BATCH_BYTES_MAX, Reservation, room_of};
pub use settings::Durability;
pub use settings::Settings;

/// How many records were ever appended before something: records are numbered 0, 1, 2, ... for the
/// whole lifetime of the folder.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sequence(pub u64);

impl Sequence {
    /// The sequence so many records later.
    #[must_use]
    pub const fn plus(self, records: u32) -> Self {
        // Only a forged file comes near the end.
        Self(self.0.saturating_add(records as u64))
    }
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
