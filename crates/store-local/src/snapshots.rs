//! When snapshots are taken: [`Snapshots`], one at a time, by a thread that looks now and then.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use metering::as_float;
use parking_lot::Mutex;

use super::error::EmbeddedError;
use super::recovery::Sizes;
use super::settings::EmbeddedSettings;
use super::snapshotter;
use crate::metrics::SnapshotMetrics;
use engine::Registry;
use journal::Disk;
use journal::Journal;

/// How often the thread looks at the journal.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// How long after a snapshot that failed another is tried.
const RETRY_AFTER: Duration = Duration::from_secs(30);

/// Takes snapshots of a store while it lives.
#[derive(Debug)]
pub(crate) struct Snapshots {
    taking: Arc<Taking>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// What a snapshot is taken of, and how the last one was.
#[derive(Debug)]
struct Taking {
    disk: Arc<dyn Disk>,
    registry: Arc<Registry>,
    journal: Arc<Journal>,
    after_bytes: u64,
    /// The store ends: what is under way is left.
    ended: AtomicBool,
    /// Of the last one, and of the journal behind it when this process began.
    sizes: Mutex<Sizes>,
    /// Journal bytes of this process up to the last one.
    taken_at: AtomicU64,
    one_at_a_time: Mutex<()>,
    metrics: SnapshotMetrics,
}

impl Snapshots {
    /// `sizes`: of what was loaded.
    pub(crate) fn start(
        disk: Arc<dyn Disk>,
        registry: Arc<Registry>,
        journal: Arc<Journal>,
        sizes: Sizes,
        settings: &EmbeddedSettings,
    ) -> Result<Self, EmbeddedError> {
        let taking = Arc::new(Taking {
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
        taking.metrics.note_found(sizes.snapshot_bytes);
        let thread = if settings.snapshot_after_bytes == u64::MAX {
            None
        } else {
            let taking = taking.clone();
            let builder = thread::Builder::new().name("megaboard-snapshot".to_owned());
            Some(builder.spawn(move || taking.run())?)
        };
        Ok(Self {
            taking,
            thread: Mutex::new(thread),
        })
    }

    /// Takes one now.
    pub(crate) fn take(&self) -> Result<(), EmbeddedError> {
        self.taking.take()
    }

    /// What it counts.
    pub(crate) fn metrics(&self) -> &SnapshotMetrics {
        &self.taking.metrics
    }

    /// Tell, whenever they are asked, the journal bytes behind the last snapshot, and how many bring
    /// about the next: 0 once this has ended.
    pub(crate) fn watched(
        &self,
    ) -> (
        impl Fn() -> f64 + Send + Sync + 'static,
        impl Fn() -> f64 + Send + Sync + 'static,
    ) {
        let taking = Arc::downgrade(&self.taking);
        let look = move || {
            taking
                .upgrade()
                .map_or((0, 0), |taking| taking.behind_and_due())
        };
        let again = look.clone();
        (move || as_float(look().0), move || as_float(again().1))
    }

    /// Takes none any more. One under way is left, as a crash would leave it.
    pub(crate) fn end(&self) {
        self.taking.ended.store(true, Ordering::Relaxed);
        let thread = self.thread.lock().take();
        if let Some(thread) = thread {
            thread.thread().unpark();
            // What made it panic was told on its way.
            let _ = thread.join();
        }
    }
}

impl Drop for Snapshots {
    fn drop(&mut self) {
        self.end();
    }
}

impl Taking {
    fn run(&self) {
        while !self.ended.load(Ordering::Relaxed) {
            thread::park_timeout(LOOK_EVERY);
            // What is not durable in the journal makes no snapshot.
            if !self.is_due() || self.journal.refusal().is_some() {
                continue;
            }
            match self.take() {
                Ok(()) => {}
                Err(EmbeddedError::Closed) => return,
                Err(error) => {
                    self.metrics.failures.inc();
                    tracing::warn!(%error, "no snapshot could be taken: the journal grows");
                    self.rest();
                }
            }
        }
    }

    fn is_due(&self) -> bool {
        let (behind, due) = self.behind_and_due();
        behind >= due
    }

    /// Journal bytes behind the last snapshot, and how many bring about the next. A large store is
    /// written whole more rarely: at most two bytes for each of the journal.
    fn behind_and_due(&self) -> (u64, u64) {
        let sizes = *self.sizes.lock();
        let taken_at = self.taken_at.load(Ordering::Relaxed);
        let own_bytes = self.journal.appended_bytes().saturating_sub(taken_at);
        let due = self.after_bytes.max(sizes.snapshot_bytes / 2);
        (sizes.journal_bytes + own_bytes, due)
    }

    fn take(&self) -> Result<(), EmbeddedError> {
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

    fn rest(&self) {
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
