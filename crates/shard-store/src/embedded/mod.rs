//! The store that keeps everything in this process, durable in one folder.
//!
//! `disk` is all that is asked of a file system, so that tests can stand in its way.

mod disk;

pub use disk::{Disk, DiskFile, LocalDisk, OpenError};
