//! [`Journal`]: the running journal, which the store uses. The committer's thread does the writing.

use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use disk::Disk;
use metering::Registry;
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::task::yield_now;

use crate::capacity::{Capacity, Rejected, Reservation};
use crate::committer::Committer;
use crate::format::reserved_bytes;
use crate::inbox::{End, Inbox};
use crate::log::Segments;
use crate::metrics::JournalMetrics;
use crate::progress::{self, Health, OutcomeUnknown, Progress, THREAD_ENDED};
use crate::read::Recovered;
use crate::sequence::Sequence;
use crate::settings::Settings;
use crate::tail;

/// A running journal. If it is dropped without [`stop`](Self::stop), it ends as if the process had been killed: pending
/// records are not written.
#[derive(Debug)]
pub struct Journal {
    disk: Arc<dyn Disk>,
    segments: Arc<Segments>,
    pub(super) inbox: Arc<Inbox>,
    capacity: Arc<Capacity>,
    progress: watch::Receiver<Progress>,
    metrics: JournalMetrics,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Journal {
    /// Truncates the tail that recovery found, and continues from there.
    pub fn start(
        disk: Arc<dyn Disk>,
        recovered: &Recovered,
        settings: Settings,
    ) -> io::Result<Self> {
        let log = tail::resume_log(Arc::clone(&disk), recovered)?;
        let segments = Arc::clone(&log.segments);
        let metrics = log.metrics.clone();
        let inbox = Arc::new(Inbox::new(log.written));
        let capacity = Arc::new(Capacity::none());
        let (committer, progress) =
            Committer::new(log, settings, Arc::clone(&inbox), Arc::clone(&capacity))?;
        let thread = thread::Builder::new()
            .name("megaboard-journal".to_owned())
            .spawn(|| committer.run())?;
        Ok(Self {
            disk,
            segments,
            inbox,
            capacity,
            progress,
            metrics,
            thread: Mutex::new(Some(thread)),
        })
    }

    /// Waits for capacity of this many bytes, the sum of [`reserved_bytes`] of all records. Rejects the reservation if
    /// the disk is full, if the journal has failed, or if it exceeds
    /// [`BATCH_BYTES_MAX`](crate::limits::BATCH_BYTES_MAX).
    pub async fn reserve(&self, bytes: usize) -> Result<Reservation<'_>, Rejected> {
        self.capacity.reserve(bytes, &self.progress).await
    }

    /// Reserves capacity like [`reserve`](Self::reserve), but rejects the reservation instead of waiting.
    #[cfg(test)]
    pub fn try_reserve(&self, bytes: usize) -> Result<Reservation<'_>, Rejected> {
        self.capacity
            .try_reserve(bytes, &self.progress)?
            .ok_or_else(|| {
                Rejected("the journal has more pending writes than it can hold".to_owned())
            })
    }

    /// Appends a record in memory, for which capacity was reserved. Call this while holding the lock of what the record
    /// describes. Returns the sequence after the record, for which [`durable`](Self::durable) can wait.
    pub fn append<'a>(&'a self, capacity: &mut Reservation<'a>, record: &[u8]) -> Sequence {
        capacity.spend(reserved_bytes(record.len()));
        let (until, open) = self.inbox.append(record);
        capacity.hold_open(open);
        until
    }

    /// Appends records like [`append`](Self::append), in one group: after a crash all of them exist, or none.
    pub fn append_together<'a>(
        &'a self,
        capacity: &mut Reservation<'a>,
        records: &[Vec<u8>],
    ) -> Sequence {
        let bytes = records.iter().map(|record| reserved_bytes(record.len()));
        capacity.spend(bytes.sum());
        let (until, open) = self.inbox.append_together(records);
        capacity.hold_open(open);
        until
    }

    /// Returns the unused capacity, and waits like [`durable`](Self::durable). If one of the records that were appended
    /// with this capacity began a group, the tasks of the runtime that are ready to run may add theirs to it first.
    pub async fn commit(
        &self,
        capacity: Reservation<'_>,
        until: Sequence,
    ) -> Result<(), OutcomeUnknown> {
        if let Some(open) = capacity.into_open_group() {
            yield_now().await;
            drop(open);
        }
        self.durable(until).await
    }

    /// Appends one record and blocks until it is synced.
    pub fn write_blocking(&self, record: &[u8]) -> Result<(), OutcomeUnknown> {
        let capacity = progress::block_on(self.reserve(reserved_bytes(record.len())));
        let mut capacity = capacity.map_err(|Rejected(why)| OutcomeUnknown(why))?;
        let until = self.append(&mut capacity, record);
        drop(capacity);
        self.durable_blocking(until)
    }

    /// Returns why records are rejected for good, if they are: the journal has failed, or was stopped.
    pub fn failure(&self) -> Option<String> {
        self.why(Progress::failure)
    }

    /// Returns why records are rejected, if they are. A full disk counts once a group could not be written.
    pub fn refusal(&self) -> Option<String> {
        self.why(Progress::refusal)
    }

    fn why(&self, reason: impl Fn(&Progress) -> Option<String>) -> Option<String> {
        let reason = reason(&self.progress.borrow());
        let has_ended = || self.progress.has_changed().is_err();
        reason.or_else(|| has_ended().then(|| THREAD_ENDED.to_owned()))
    }

    /// Returns the number of the next record.
    pub fn next(&self) -> Sequence {
        self.inbox.next()
    }

    /// Waits until all records before `until` are durable, as the durability setting defines it.
    pub async fn durable(&self, until: Sequence) -> Result<(), OutcomeUnknown> {
        progress::wait_for(&self.progress, |now| now.acknowledged(until)).await
    }

    /// Blocks until all records before `until` are synced, regardless of the durability setting.
    pub fn durable_blocking(&self, until: Sequence) -> Result<(), OutcomeUnknown> {
        self.inbox.request_sync(until);
        progress::block_on(progress::wait_for(&self.progress, |now| now.synced(until)))
    }

    /// Removes the segments whose records are all before `sequence`, except the current one.
    pub fn remove_before(&self, sequence: Sequence) -> io::Result<()> {
        self.segments.remove_before(&*self.disk, sequence)
    }

    /// Returns the bytes of all records that this process has appended.
    pub fn appended_bytes(&self) -> u64 {
        self.inbox.appended_bytes()
    }

    /// Registers the metrics. A full disk counts as rejecting from the time on when a batch might not find space, and so
    /// does a journal that no longer exists.
    pub fn register_metrics(self: &Arc<Self>, registry: &mut Registry) {
        // A weak reference, so that dropping the store also drops its journal.
        let journal = Arc::downgrade(self);
        let is_refusing = move || {
            journal
                .upgrade()
                .is_none_or(|journal| journal.why(Progress::reason_not_to_wait).is_some())
        };
        self.metrics.register(is_refusing, registry);
    }

    /// Writes and syncs everything, and ends. Reservations are rejected from then on, and nothing may be appended.
    pub fn stop(&self) -> Result<(), OutcomeUnknown> {
        self.end(End::Stop);
        match &self.progress.borrow().health {
            Health::Stopped => Ok(()),
            Health::Failed(why) => Err(OutcomeUnknown(why.clone())),
            _ => Err(OutcomeUnknown(THREAD_ENDED.to_owned())),
        }
    }

    fn end(&self, how: End) {
        self.inbox.end(how);
        // Concurrent callers wait here.
        let mut thread = self.thread.lock();
        if let Some(thread) = thread.take() {
            // A panic of the thread has already been reported.
            let _ = thread.join();
        }
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        self.end(End::Kill);
    }
}
