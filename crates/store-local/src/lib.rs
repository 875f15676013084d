//! [`LocalStore`]: the store that keeps everything in this process, in memory only or durable in one folder.
//!
//! It is the `engine` behind the store contract and, in a folder, a `journal` of its events. The
//! store in memory is also the one that tests use: there is no mock. Formats and guarantees are in
//! `docs/durability.md`.
//!
//! ```text
//! store      the contract: each call; open: a folder; persistence: where the events of a call go
//! clock      what happens while the wall clock has jumped; unconfirmed: the flag for the next start
//! sweep      drops expired data
//! files      the bytes of the journal's records and of snapshots
//! snapshotter takes a snapshot, snapshots decides when
//! recovery   load: a snapshot; replay: the journal after it; crew: the threads that do both
//! ```

mod clock;
mod error;
pub mod files;
mod metrics;
mod open;
mod persistence;
mod recovery;
mod settings;
mod snapshots;
mod snapshotter;
mod store;
mod sweep;
mod unconfirmed;

pub use disk::{Disk, DiskFile, LocalDisk, OpenError};
pub use engine::REMEMBERED_ID_BYTES_MAX;
pub use error::LocalError;
pub use journal::Durability;
pub use settings::LocalSettings;
pub use store::LocalStore;

use recovery::Recovery;
use snapshots::Snapshots;
