//! The store that keeps everything in this process, durable in one folder.
//!
//! `disk` is all that is asked of a file system, so that tests can stand in its way; `journal` keeps
//! records on it, in order.

mod disk;
#[cfg_attr(
    not(test),
    expect(
        dead_code,
        unused_imports,
        reason = "the store is still to be built on it"
    )
)]
mod journal;

pub use disk::{Disk, DiskFile, LocalDisk, OpenError};
