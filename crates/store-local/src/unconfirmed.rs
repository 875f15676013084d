//! [`Unconfirmed`]: a file that makes the next start wait for its clock.
//!
//! A start whose clock is ahead of the last write trusts that clock, and makes its sweep wait. After the first write,
//! the last write no longer shows that the clock may be wrong. So the file is created before anything is written, and
//! removed by the first sweep that may drop: a restart before that waits, too, whatever the last write is.
//!
//! If that clock is then corrected, its writes are dated ahead of the time, and hide from the next start that its clock
//! is ahead as well. So the file stays, or is created, while the last write is dated ahead of the time.
//!
//! **Invariant:** after a start, and after each sweep, a folder without the file has no write that
//! is dated more than a minute ahead of the clock, unless every clock is trusted.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use disk::Disk;

/// The file; it is empty.
const NAME: &str = "clock-unconfirmed";

/// Whether the file exists, and the disk that it is on.
#[derive(Debug)]
pub(crate) struct Unconfirmed {
    disk: Arc<dyn Disk>,
    is_there: AtomicBool,
}

impl Unconfirmed {
    /// Checks whether an earlier start left the file.
    pub(crate) fn find(disk: Arc<dyn Disk>) -> io::Result<Self> {
        let is_there = disk.list()?.iter().any(|name| name == NAME);
        Ok(Self {
            disk,
            is_there: AtomicBool::new(is_there),
        })
    }

    pub(crate) fn is_there(&self) -> bool {
        self.is_there.load(Ordering::Relaxed)
    }

    /// Creates the file durably, unless it exists. If that fails, as on a full disk, the store continues nevertheless.
    pub(crate) fn set(&self) {
        if self.is_there.swap(true, Ordering::Relaxed) {
            return;
        }
        let made = self.disk.create(NAME).map(drop);
        if let Err(error) = made.and_then(|()| self.disk.sync_folder()) {
            tracing::warn!(%error, "a restart will not know that the clock is unconfirmed");
            // The next sweep tries again.
            self.is_there.store(false, Ordering::Relaxed);
        }
    }

    /// Removes the file: the clock is confirmed. If that fails, the next start waits.
    pub(crate) fn clear(&self) {
        if !self.is_there.swap(false, Ordering::Relaxed) {
            return;
        }
        let removed = self.disk.remove(NAME);
        if let Err(error) = removed.and_then(|()| self.disk.sync_folder()) {
            tracing::warn!(%error, "a restart will wait for the clock again");
        }
    }
}
