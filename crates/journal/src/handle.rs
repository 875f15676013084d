//! A journal at work: what the store calls.
//!
//! [`Journal`] puts the parts together. The writing is done on its thread, by the committer.

use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use parking_lot::Mutex;
use tokio::sync::watch;

use super::committer::Committer;
use super::inbox::{End, Inbox};
use super::log::Segments;
use super::progress::{self, Lost, Progress, Standing, THREAD_ENDED};
use super::read::Recovered;
use super::room::{NotTaken, Reservation, Room, room_of};
use super::settings::Settings;
use super::{Sequence, tail};
use crate::disk::Disk;
use crate::metrics::JournalMetrics;

/// A journal at work. Dropped without [`stop`](Self::stop), it ends as if the process had been
/// killed: what waits is not written.
#[derive(Debug)]
pub struct Journal {
    disk: Arc<dyn Disk>,
    segments: Arc<Segments>,
    pub(super) inbox: Arc<Inbox>,
    room: Arc<Room>,
    progress: watch::Receiver<Progress>,
    metrics: JournalMetrics,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Journal {
    /// Cuts the tail that recovery told of, and goes on from there.
    pub fn start(
        disk: Arc<dyn Disk>,
        recovered: &Recovered,
        settings: Settings,
    ) -> io::Result<Self> {
        let log = tail::go_on(Arc::clone(&disk), recovered)?;
        let segments = Arc::clone(&log.segments);
        let metrics = log.metrics.clone();
        let inbox = Arc::new(Inbox::new(log.written));
        let room = Arc::new(Room::none());
        let (committer, progress) =
            Committer::new(log, settings, Arc::clone(&inbox), Arc::clone(&room))?;
        let thread = thread::Builder::new()
            .name("megaboard-journal".to_owned())
            .spawn(|| committer.run())?;
        Ok(Self {
            disk,
            segments,
            inbox,
            room,
            progress,
            metrics,
            thread: Mutex::new(Some(thread)),
        })
    }

    /// Waits for room for so many bytes: the sum of [`room_of`] each record. Refused when the disk
    /// is full, the journal has failed, or they are more than
    /// [`BATCH_BYTES_MAX`](super::room::BATCH_BYTES_MAX).
    pub async fn reserve(&self, bytes: usize) -> Result<Reservation<'_>, NotTaken> {
        self.room.reserve(bytes, &self.progress).await
    }

    /// The same without waiting: also refused when there is no room now.
    #[cfg(test)]
    pub fn try_reserve(&self, bytes: usize) -> Result<Reservation<'_>, NotTaken> {
        self.room
            .try_reserve(bytes, &self.progress)?
            .ok_or_else(|| NotTaken("the journal has more to write than it can hold".to_owned()))
    }

    /// Appends a record for which room was reserved, to memory: call it under the lock of what it
    /// speaks of. Returns the sequence after it: what to wait for.
    pub fn append(&self, room: &mut Reservation<'_>, record: &[u8]) -> Sequence {
        room.spend(room_of(record.len()));
        self.inbox.append(record)
    }

    /// Appends records as [`append`](Self::append) does, in one group: what a crash keeps of them is all or nothing.
    pub fn append_together(&self, room: &mut Reservation<'_>, records: &[Vec<u8>]) -> Sequence {
        let rooms = records.iter().map(|record| room_of(record.len()));
        room.spend(rooms.sum());
        self.inbox.append_together(records)
    }

    /// Appends one record and blocks until it is synced.
    pub fn write_blocking(&self, record: &[u8]) -> Result<(), Lost> {
        let room = progress::block_on(self.reserve(room_of(record.len())));
        let mut room = room.map_err(|NotTaken(why)| Lost(why))?;
        let until = self.append(&mut room, record);
        drop(room);
        self.durable_blocking(until)
    }

    /// Why nothing more is taken, if so.
    pub fn refusal(&self) -> Option<String> {
        let gone = || {
            self.progress
                .has_changed()
                .is_err()
                .then(|| THREAD_ENDED.to_owned())
        };
        let refusal = self.progress.borrow().refusal();
        refusal.or_else(gone)
    }

    /// The number of the next record.
    pub fn next(&self) -> Sequence {
        self.inbox.next()
    }

    /// Waits until what was appended before `until` is durable, as the setting means it.
    pub async fn durable(&self, until: Sequence) -> Result<(), Lost> {
        progress::acknowledged(&self.progress, until).await
    }

    /// Blocks until what was appended before `until` is synced, whatever the setting.
    pub fn durable_blocking(&self, until: Sequence) -> Result<(), Lost> {
        self.inbox.want_sync(until);
        progress::block_on(progress::synced(&self.progress, until))
    }

    /// Removes the segments that hold nothing from `sequence` on, never the current one.
    pub fn remove_before(&self, sequence: Sequence) -> io::Result<()> {
        self.segments.remove_before(&*self.disk, sequence)
    }

    /// Bytes of records ever appended by this process.
    pub fn appended_bytes(&self) -> u64 {
        self.inbox.appended_bytes()
    }

    /// What its thread counts.
    pub const fn metrics(&self) -> &JournalMetrics {
        &self.metrics
    }

    /// Writes and syncs all, and ends. Nothing may be appended any more; reservations are refused.
    pub fn stop(&self) -> Result<(), Lost> {
        self.end(End::Stop);
        match &self.progress.borrow().standing {
            Standing::Stopped => Ok(()),
            Standing::Failed(why) => Err(Lost(why.clone())),
            _ => Err(Lost(THREAD_ENDED.to_owned())),
        }
    }

    fn end(&self, how: End) {
        self.inbox.end(how);
        // Whoever ends it at the same time waits here.
        let mut thread = self.thread.lock();
        if let Some(thread) = thread.take() {
            // What made it panic was told on its way.
            let _ = thread.join();
        }
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        self.end(End::Kill);
    }
}
