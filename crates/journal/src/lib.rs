//! A durable, ordered log of opaque records in a folder, numbered over the lifetime of the folder.
//!
//! [`read()`] returns the records of a folder, and [`Journal::start`] continues after them. The caller interprets the
//! records, and decides when older ones are no longer needed.
//!
//! ```text
//! append ─► inbox ─► committer ─► log ─► segment files: groups, chained, followed by zeros
//!   ▲                    │
//! capacity ◄── zeros ────┴─► progress ─► durable
//! ```
//!
//! - `format`: the bytes of headers. `segment`: the files. `read`, `window`, `search`: recovery.
//! - `log`: the operations on the disk and their order; no thread, no clock. `tail`: prepares a recovered log for
//!   writing. `end`: a file that records how far the log is durable.
//! - `committer`: the only thread that writes. `inbox`, `capacity`, `progress`: its communication with other
//!   threads.
//! - `handle`: the [`Journal`], which the store uses.
//!
//! Every operation on the file system goes through the crate `disk`, where tests inject failures.

mod capacity;
mod committer;
mod end;
mod format;
mod handle;
mod inbox;
mod limits;
mod log;
mod metrics;
mod progress;
mod read;
mod search;
mod segment;
mod sequence;
mod settings;
mod tail;
#[cfg(test)]
mod tests;
mod window;

#[cfg(test)]
use capacity::Rejected;
#[cfg(test)]
use progress::OutcomeUnknown;
#[cfg(test)]
use read::ReadError;

pub use capacity::Reservation;
pub use format::reserved_bytes;
pub use handle::Journal;
pub use limits::BATCH_BYTES_MAX;
pub use read::{Recovered, read};
pub use sequence::Sequence;
pub use settings::{Durability, Settings};
