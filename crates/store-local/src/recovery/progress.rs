//! [`Progress`]: logs how far a recovery is, so that a long start is not silent.

use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// Shorter starts log nothing of this.
const FIRST_AFTER: Duration = Duration::from_millis(500);

const EVERY: Duration = Duration::from_secs(2);

/// How much of a folder has been read.
#[derive(Debug, Default)]
pub(super) struct Progress {
    snapshot_units: AtomicUsize,
    snapshot_units_read: AtomicUsize,
    journal_bytes: AtomicU64,
}

impl Progress {
    /// Runs `work`, and logs the progress until it ends.
    pub(super) fn logged<T>(&self, folder: &Path, work: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let log = || {
            tracing::info!(
                folder = %folder.display(),
                elapsed_ms = began.elapsed().as_millis(),
                snapshot_percent = self.snapshot_percent(),
                journal_bytes = self.journal_bytes.load(Ordering::Relaxed),
                "loading the store",
            );
        };
        during(FIRST_AFTER, EVERY, log, work)
    }

    /// Sets the number of units of the snapshot.
    pub(super) fn snapshot_has(&self, units: usize) {
        self.snapshot_units.store(units, Ordering::Relaxed);
    }

    pub(super) fn snapshot_unit_read(&self) {
        self.snapshot_units_read.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn journal_read(&self, bytes: u64) {
        self.journal_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Returns the share of the snapshot that has been read; `None` without one.
    fn snapshot_percent(&self) -> Option<usize> {
        let units = self.snapshot_units.load(Ordering::Relaxed);
        let read = self.snapshot_units_read.load(Ordering::Relaxed);
        (100 * read).checked_div(units)
    }
}

/// Calls `log` after `first`, and then at this interval, until `work` has ended.
fn during<T>(
    first: Duration,
    every: Duration,
    log: impl Fn() + Send,
    work: impl FnOnce() -> T,
) -> T {
    thread::scope(|scope| {
        // Closed at the end of `work`, also by a panic.
        let (_working, ended) = mpsc::channel::<()>();
        scope.spawn(move || {
            let mut pause = first;
            while ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                log();
                pause = every;
            }
        });
        work()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_logged_until_the_work_ends() {
        let (logged, lines) = mpsc::channel();
        let tick = Duration::from_millis(1);
        let log = move || {
            let _ = logged.send(());
        };
        let count = during(tick, tick, log, || lines.iter().take(3).count());
        assert_eq!(count, 3);
    }

    #[test]
    fn short_work_is_not_logged() {
        let hour = Duration::from_hours(1);
        assert_eq!(during(hour, hour, || panic!("logged"), || 7), 7);
    }

    #[test]
    fn the_share_of_the_snapshot_is_that_of_its_units() {
        let progress = Progress::default();
        assert_eq!(progress.snapshot_percent(), None);
        progress.snapshot_has(3);
        assert_eq!(progress.snapshot_percent(), Some(0));
        (0..2).for_each(|_| progress.snapshot_unit_read());
        assert_eq!(progress.snapshot_percent(), Some(66));
    }
}
