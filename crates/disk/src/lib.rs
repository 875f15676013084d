//! One flat folder of files, in which the local store keeps its journal and its snapshots.
//!
//! [`Disk`] is the interface at which tests inject failures and crashes; [`LocalDisk`] is a real folder. This crate
//! does not know the contents of files. Tests use the crate `simulated-disk`.

mod disk;
mod local;

pub use disk::{Disk, DiskFile};
pub use local::{LocalDisk, OpenError};
