//! [`Snapshots`]: the thread that takes snapshots, one at a time, and decides when.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use metering::as_float;
use parking_lot::Mutex;

use super::error::LocalError;
use super::recovery::Sizes;
use super::settings::LocalSettings;
use super::snapshotter;
use crate::metrics::SnapshotMetrics;
use disk::Disk;
use engine::Registry;
use journal::Journal;

/// How often the thread checks the size of the journal.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Added to the nice value of the thread: requests come first, and leave it at least about a tenth of a core.
#[cfg(target_os = "linux")]
const NICE: i32 = 10;

/// How long to wait after a failed snapshot.
const RETRY_AFTER: Duration = Duration::from_secs(30);

/// Takes snapshots of a store until it is dropped.
#[derive(Debug)]
pub(crate) struct Snapshots {
    job: Arc<SnapshotJob>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// The parts of the store that snapshots need, and the state of the last one.
#[derive(Debug)]
struct SnapshotJob {
    disk: Arc<dyn Disk>,
    registry: Arc<Registry>,
    journal: Arc<Journal>,
    after_bytes: u64,
    /// Set when the store ends: a snapshot in progress is abandoned.
    ended: AtomicBool,
    /// Of the last snapshot, and of the journal after it when this process began.
    sizes: Mutex<Sizes>,
    /// Journal bytes of this process up to the last snapshot.
    taken_at: AtomicU64,
    one_at_a_time: Mutex<()>,
    metrics: SnapshotMetrics,
}

impl Snapshots {
    /// Starts the thread. `sizes` are those of what was loaded.
    pub(crate) fn start(
        disk: Arc<dyn Disk>,
        registry: Arc<Registry>,
        journal: Arc<Journal>,
        sizes: Sizes,
        settings: &LocalSettings,
    ) -> Result<Self, LocalError> {
        let job = Arc::new(SnapshotJob {
            disk,
            registry,
            journal,
            after_bytes: settings.snapshot_after_bytes,
            ended: AtomicBool::new(false),
            sizes: Mutex::new(sizes),
            taken_at: AtomicU64::new(0),
            one_at_a_time: Mutex::new(()),
            metrics: SnapshotMetrics::default(),
        });
        job.metrics.note_found(sizes.snapshot_bytes);
        let thread = if settings.snapshot_after_bytes == u64::MAX {
            None
        } else {
            let job = job.clone();
            let builder = thread::Builder::new().name("megaboard-snapshot".to_owned());
            Some(builder.spawn(move || job.run())?)
        };
        Ok(Self {
            job,
            thread: Mutex::new(thread),
        })
    }

    /// Takes a snapshot now.
    pub(crate) fn take(&self) -> Result<(), LocalError> {
        self.job.take()
    }

    /// Returns the metrics.
    pub(crate) fn metrics(&self) -> &SnapshotMetrics {
        &self.job.metrics
    }

    /// Returns functions for gauges: the journal bytes after the last snapshot, and how many of
    /// them cause the next one; 0 once this has ended.
    pub(crate) fn watched(
        &self,
    ) -> (
        impl Fn() -> f64 + Send + Sync + 'static,
        impl Fn() -> f64 + Send + Sync + 'static,
    ) {
        let job = Arc::downgrade(&self.job);
        let look = move || job.upgrade().map_or((0, 0), |job| job.behind_and_due());
        let again = look.clone();
        (move || as_float(look().0), move || as_float(again().1))
    }

    /// Ends the thread. A snapshot in progress is abandoned, as by a crash.
    pub(crate) fn end(&self) {
        self.job.ended.store(true, Ordering::Relaxed);
        let thread = self.thread.lock().take();
        if let Some(thread) = thread {
            thread.thread().unpark();
            // A panic of the thread has been reported already.
            let _ = thread.join();
        }
    }
}

impl Drop for Snapshots {
    fn drop(&mut self) {
        self.end();
    }
}

impl SnapshotJob {
    fn run(&self) {
        // Of this thread only, if it can be changed.
        #[cfg(target_os = "linux")]
        let _ = rustix::process::nice(NICE);
        while !self.ended.load(Ordering::Relaxed) {
            thread::park_timeout(LOOK_EVERY);
            // A snapshot requires that everything in it becomes durable in the journal.
            if !self.is_due() || self.journal.refusal().is_some() {
                continue;
            }
            match self.take() {
                Ok(()) => {}
                Err(LocalError::Closed) => return,
                Err(error) => {
                    self.metrics.failures.inc();
                    tracing::warn!(%error, "a snapshot could not be taken: the journal grows");
                    self.wait_a_moment();
                }
            }
        }
    }

    fn is_due(&self) -> bool {
        let (behind, due) = self.behind_and_due();
        behind >= due
    }

    /// Returns the journal bytes after the last snapshot, and how many of them cause the next one.
    /// A large store is written less often: at most two bytes of snapshot for each byte of journal.
    fn behind_and_due(&self) -> (u64, u64) {
        let sizes = *self.sizes.lock();
        let taken_at = self.taken_at.load(Ordering::Relaxed);
        let own_bytes = self.journal.appended_bytes().saturating_sub(taken_at);
        let due = self.after_bytes.max(sizes.snapshot_bytes / 2);
        (sizes.journal_bytes + own_bytes, due)
    }

    fn take(&self) -> Result<(), LocalError> {
        let _one = self.one_at_a_time.lock();
        let began = Instant::now();
        let at = self.journal.appended_bytes();
        let go_on = || !self.ended.load(Ordering::Relaxed);
        let bytes = snapshotter::take(&*self.disk, &self.registry, &self.journal, &go_on)?;
        self.taken_at.store(at, Ordering::Relaxed);
        *self.sizes.lock() = Sizes {
            snapshot_bytes: bytes,
            journal_bytes: 0,
        };
        let took = began.elapsed();
        self.metrics.note_taken(took, bytes);
        let took_ms = took.as_millis();
        tracing::info!(bytes, took_ms, "took a snapshot");
        Ok(())
    }

    fn wait_a_moment(&self) {
        let until = Instant::now() + RETRY_AFTER;
        while !self.ended.load(Ordering::Relaxed) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            thread::park_timeout(left);
        }
    }
}
