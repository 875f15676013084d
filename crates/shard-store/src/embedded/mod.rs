//! The store that keeps everything in this process, durable in one folder.
//!
//! `disk` is all that is asked of a file system, so that tests can stand in its way. `record` has what
//! happened as bytes, `snapshot` what was held at one time as a file; `bytes` is what they share.

mod bytes;
mod disk;
#[cfg_attr(
    not(test),
    allow(
        dead_code,
        unused_imports,
        reason = "called once a store keeps a journal"
    )
)]
pub(crate) mod record;
#[cfg_attr(
    not(test),
    allow(
        dead_code,
        unused_imports,
        reason = "called once a store makes snapshots"
    )
)]
pub(crate) mod snapshot;

pub use disk::{Disk, DiskFile, LocalDisk, OpenError};
