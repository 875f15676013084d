//! [`Committer`]: the only thread that writes. It writes all pending records as one group, with one write and one sync.
//!
//! The committer decides when the log is written, synced, marked, rolled and extended with zeros, and how errors are
//! handled: it waits for disk space, and any other error stops the journal permanently. The operations themselves are
//! in `log`.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::capacity::Capacity;
use crate::inbox::{End, Group, Inbox, Work};
use crate::limits::{BATCH_BYTES_MAX, CAPACITY_BYTES_MAX};
use crate::log::Log;
use crate::progress::{Health, Progress};
use crate::segment::{CreateError, ZEROS_STEP_BYTES, is_full};
use crate::settings::{Durability, Settings};

/// On a full disk, zeros are added in smaller and smaller steps, down to this size.
const ZEROS_STEP_BYTES_MIN: usize = 64 << 10;

/// A lack of disk space, and when to retry.
#[derive(Debug)]
struct DiskFull {
    why: String,
    retry_at: Instant,
}

impl DiskFull {
    fn new(error: &io::Error, retry_after: Duration) -> Self {
        Self {
            why: format!("the disk is full: {error}"),
            retry_at: Instant::now() + retry_after,
        }
    }
}

/// The writer of the log, run on its own thread.
#[derive(Debug)]
pub(super) struct Committer {
    log: Log,
    settings: Settings,
    inbox: Arc<Inbox>,
    capacity: Arc<Capacity>,
    progress: watch::Sender<Progress>,
    /// The bytes of zeros that are free, reserved or used by pending records: never more than the log has. Negative if
    /// overdrawn capacity is owed.
    granted: i64,
    /// Set while more zeros are needed and the disk has no space for them.
    no_space: Option<DiskFull>,
    /// A group that could not be written because the disk is full.
    stuck: Option<(Group, DiskFull)>,
    /// When written bytes have to be synced.
    sync_by: Option<Instant>,
    /// When the mark has to record the last sync.
    mark_by: Option<Instant>,
    /// The earliest time at which the creation of a new segment is retried.
    roll_from: Option<Instant>,
}

impl Committer {
    /// Creates a committer with capacity for the first writers.
    pub(super) fn new(
        log: Log,
        settings: Settings,
        inbox: Arc<Inbox>,
        capacity: Arc<Capacity>,
    ) -> io::Result<(Self, watch::Receiver<Progress>)> {
        let (progress, watching) = watch::channel(Progress {
            acknowledged: log.synced,
            synced: log.synced,
            health: Health::Healthy,
        });
        let mut committer = Self {
            log,
            settings,
            inbox,
            capacity,
            progress,
            granted: 0,
            no_space: None,
            stuck: None,
            sync_by: None,
            mark_by: None,
            roll_from: None,
        };
        committer.top_up()?;
        committer.schedule_mark();
        committer.publish();
        Ok((committer, watching))
    }

    /// Runs until it is asked to end, or the disk fails.
    pub(super) fn run(mut self) {
        loop {
            let is_stuck = self.stuck.is_some();
            let work = self.inbox.wait(self.due(), self.log.synced, is_stuck);
            let done = match work.end {
                End::Kill => return,
                End::Stop => self.finish(work.group),
                End::NotYet => self.step(work),
            };
            match done {
                Ok(false) => {}
                Ok(true) => return self.publish_health(Health::Stopped),
                Err(error) => {
                    let why = format!(
                        "the journal has failed and rejects writes until a restart: {error}"
                    );
                    return self.publish_health(Health::Failed(why));
                }
            }
        }
    }

    /// Returns when to run even if no work arrives.
    pub(super) fn due(&self) -> Option<Instant> {
        let retry_or_mark = if let Some((_, full)) = &self.stuck {
            [Some(full.retry_at), None]
        } else {
            let retry = self.no_space.as_ref().map(|full| full.retry_at);
            [retry, self.mark_by]
        };
        retry_or_mark
            .into_iter()
            .flatten()
            .chain(self.sync_by)
            .min()
    }

    /// Does the pending work. Returns whether the committer has ended.
    pub(super) fn step(&mut self, work: Work) -> io::Result<bool> {
        let now = Instant::now();
        match (self.stuck.take(), work.group) {
            (Some((group, full)), None) if now >= full.retry_at => self.write(group)?,
            (None, Some(group)) => self.write(group)?,
            (stuck, _) => self.stuck = stuck,
        }
        // A dropped journal must leave the files as if the process had been killed.
        if self.inbox.is_killed() {
            return Ok(false);
        }
        let is_required = self.settings.durability == Durability::Always
            || work.sync_until > self.log.synced
            || self.sync_by.is_some_and(|by| now >= by);
        if is_required && (self.log.written > self.log.synced || self.sync_by.is_some()) {
            self.sync()?;
        }
        self.publish();
        if self.stuck.is_none() && !self.inbox.is_killed() {
            self.roll_if_past(now)?;
            self.top_up()?;
            self.publish();
            self.mark_if_due(now);
        }
        Ok(false)
    }

    /// Writes and syncs everything, and marks the end. Returns `true`, since the committer has ended.
    fn finish(&mut self, group: Option<Group>) -> io::Result<bool> {
        if let Some((group, _)) = self.stuck.take() {
            self.write(group)?;
        }
        let mut group = group.or_else(|| self.inbox.take());
        while self.stuck.is_none()
            && let Some(next) = group
        {
            self.write(next)?;
            group = self.inbox.take();
        }
        if let Some((_, full)) = &self.stuck {
            return Err(io::Error::other(full.why.clone()));
        }
        if self.log.written > self.log.synced {
            self.sync()?;
        }
        if !self.log.is_marked() {
            self.log.mark();
        }
        Ok(true)
    }

    /// Writes a group. If the disk is full, keeps the group for a retry.
    fn write(&mut self, mut group: Group) -> io::Result<()> {
        match self.log.write(&mut group) {
            Ok(bytes) => {
                // Capacity was reserved for a group header of each record, but the records share one.
                self.capacity.add(group.reserved_bytes - bytes);
                self.granted -= signed(bytes as u64);
                self.inbox.reuse(group.bytes);
                if let Durability::Interval(interval) = self.settings.durability {
                    self.sync_by
                        .get_or_insert_with(|| Instant::now() + interval);
                }
                Ok(())
            }
            Err(error) if is_full(&error) => {
                let full = DiskFull::new(&error, self.settings.retry_after);
                self.stuck = Some((group, full));
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    fn sync(&mut self) -> io::Result<()> {
        self.log.sync()?;
        self.sync_by = None;
        self.schedule_mark();
        Ok(())
    }

    /// Schedules a mark of the last sync, unless one is due earlier.
    fn schedule_mark(&mut self) {
        if self.log.is_marked() {
            self.mark_by = None;
        } else {
            let after = self.settings.mark_after;
            self.mark_by.get_or_insert_with(|| Instant::now() + after);
        }
    }

    fn mark_if_due(&mut self, now: Instant) {
        if self.mark_by.take_if(|by| now >= *by).is_some() {
            self.log.mark();
            self.schedule_mark();
        }
    }

    /// Begins a new segment if the current one is long enough. Continues with the current one if the disk is full.
    fn roll_if_past(&mut self, now: Instant) -> io::Result<()> {
        if !self.log.is_past(self.settings.segment_bytes)
            || self.roll_from.is_some_and(|from| now < from)
        {
            return Ok(());
        }
        if self.log.written > self.log.synced {
            self.sync()?;
        }
        self.roll_from = None;
        match self.log.roll(u64::try_from(self.granted).unwrap_or(0)) {
            Ok(()) => self.schedule_mark(),
            Err(CreateError::Absent(_)) => self.roll_from = Some(now + self.settings.retry_after),
            Err(CreateError::Uncertain(error)) => return Err(error),
        }
        Ok(())
    }

    /// Adds zeros until there is enough capacity, as far as the disk has space.
    fn top_up(&mut self) -> io::Result<()> {
        if let Some(full) = &self.no_space
            && Instant::now() < full.retry_at
        {
            return Ok(());
        }
        self.no_space = None;
        let mut step = ZEROS_STEP_BYTES;
        while self.granted + signed(ZEROS_STEP_BYTES as u64) <= signed(CAPACITY_BYTES_MAX as u64) {
            if signed(self.log.zeros()) == self.granted {
                match self.log.add_zeros(step) {
                    Ok(()) => {}
                    Err(error) if is_full(&error) && step > ZEROS_STEP_BYTES_MIN => {
                        step /= 2;
                        continue;
                    }
                    Err(error) if is_full(&error) => {
                        self.no_space = Some(DiskFull::new(&error, self.settings.retry_after));
                        break;
                    }
                    Err(error) => return Err(error),
                }
            }
            let free = signed(self.log.zeros().min(CAPACITY_BYTES_MAX as u64)) - self.granted;
            self.granted += free;
            self.capacity
                .add(usize::try_from(free).expect("at most CAPACITY_BYTES_MAX"));
        }
        Ok(())
    }

    fn publish(&self) {
        self.publish_health(match (&self.stuck, &self.no_space) {
            (Some((_, full)), _) => Health::Stuck(full.why.clone()),
            // Capacity for a batch is sufficient for every waiting writer.
            (None, Some(full)) if self.granted < signed(BATCH_BYTES_MAX as u64) => {
                Health::NoSpace(full.why.clone())
            }
            _ => Health::Healthy,
        });
    }

    fn publish_health(&self, health: Health) {
        let now = Progress {
            acknowledged: match self.settings.durability {
                Durability::Always => self.log.synced,
                Durability::Interval(_) => self.log.written,
            },
            synced: self.log.synced,
            health,
        };
        self.progress.send_if_modified(|published| {
            let changed = *published != now;
            if published.health != now.health {
                now.health.log();
            }
            *published = now;
            changed
        });
    }
}

/// Converts bytes of files, which are far fewer than 2^63.
fn signed(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}
