//! One flat folder of files, in which the local store keeps its journal and its snapshots.
//!
//! [`Disk`] is the interface at which tests inject failures and crashes; [`LocalDisk`] is a real folder;
//! [`open_regular`] opens files of any folder. This crate does not know the contents of files.
//! Tests use `fixtures`.

mod disk;
#[cfg(feature = "fixtures")]
pub mod fixtures;
mod local;
mod regular;

pub use disk::{Disk, DiskFile};
pub use local::{LocalDisk, OpenError};
pub use regular::{Links, open_regular};
