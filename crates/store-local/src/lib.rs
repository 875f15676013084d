//! The store that keeps everything in this process: in memory alone, or durable in one folder.
//!
//! [`LocalStore`] is both: the `engine` under the contract, and, in a folder, its events in a `journal`. In memory it is
//! also what tests use: there is no mock. Formats and promises are in `docs/durability.md`.
//!
//! ```text
//! store      the contract: each call; open: a folder; keep: where the events of a call go
//! clock      what is done while the wall clock has jumped; unconfirmed: what a restart knows of that
//! sweep      drops what is past its time
//! record     events as records and back; own: records that the store writes for itself
//! snapshot   the file that replaces old records; snapshotter takes one, snapshots decides when
//! recovery   load: a snapshot; replay: the journal behind it; crew: the threads that do both
//! bytes      what the formats share
//! ```

mod bytes;
mod clock;
mod error;
mod keep;
mod metrics;
mod open;
mod own;
mod record;
mod recovery;
mod settings;
mod snapshot;
mod snapshots;
mod snapshotter;
mod store;
mod sweep;
mod unconfirmed;

pub use engine::REMEMBERED_ID_BYTES_MAX;
pub use error::EmbeddedError;
pub use journal::{Disk, DiskFile, Durability, LocalDisk, OpenError};
pub use settings::EmbeddedSettings;
pub use store::LocalStore;

use own::Own;
use recovery::Recovery;
use snapshots::Snapshots;
