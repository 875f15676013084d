//! The file of a folder that says that the next start has to wait for its clock: [`Unconfirmed`].
//!
//! A start whose clock is ahead of the last write goes by that clock, and has its sweep wait. Once something is written
//! by it, the last write no longer shows that the clock may be wrong. So the file is made before anything is written,
//! and removed by the first sweep that may drop: a restart before that waits, too, whatever the last write says.
//!
//! If that clock is set right, what was written by it is dated ahead of the time, and hides from the next start that
//! its clock is ahead as well. So the file stays, or is made, while the last write is dated ahead of the time.
//!
//! **Invariant:** after a start, and after each sweep, a folder without the file has no write that is dated more than a
//! minute ahead of the clock, unless any clock is trusted.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use journal::Disk;

/// The file; it is empty.
const NAME: &str = "clock-unconfirmed";

/// Whether the file is there, and the folder that it is in.
#[derive(Debug)]
pub(crate) struct Unconfirmed {
    disk: Arc<dyn Disk>,
    is_there: AtomicBool,
}

impl Unconfirmed {
    /// As an earlier start left it.
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

    /// Makes the file durable, unless it is there. Where it cannot be made, as on a full disk, the store goes on all
    /// the same.
    pub(crate) fn set(&self) {
        if self.is_there.swap(true, Ordering::Relaxed) {
            return;
        }
        let made = self.disk.create(NAME).map(drop);
        if let Err(error) = made.and_then(|()| self.disk.sync_folder()) {
            tracing::warn!(%error, "a restart will not know that the clock is not confirmed");
            // The next sweep tries again.
            self.is_there.store(false, Ordering::Relaxed);
        }
    }

    /// Removes the file: the clock is confirmed. Where it cannot be removed, the next start waits.
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
