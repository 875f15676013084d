//! [`Committer`]: the one thread that writes. Pending records become one group, one write, one
//! sync.
//!
//! The committer decides when the log is written, synced, marked, rolled and extended with zeros,
//! and what an error means: it waits for disk space, and any other error ends the journal for good.
//! How each operation is done is in `log`.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::capacity::Capacity;
use super::format::GROUP_HEADER_BYTES;
use super::inbox::{End, Group, Inbox, Work};
use super::limits::{BATCH_BYTES_MAX, CAPACITY_BYTES_MAX};
use super::log::Log;
use super::progress::{Progress, Standing};
use super::segment::{CreateError, ZEROS_STEP_BYTES, is_full};
use super::settings::{Durability, Settings};

/// On a full disk, zeros are added in ever smaller steps, down to this.
const ZEROS_STEP_BYTES_MIN: usize = 64 << 10;

/// A lack of disk space, and when to try again.
#[derive(Debug)]
struct Full {
    why: String,
    again: Instant,
}

impl Full {
    fn new(error: &io::Error, retry_after: Duration) -> Self {
        Self {
            why: format!("the disk is full: {error}"),
            again: Instant::now() + retry_after,
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
    /// Zeros that are free, reserved or appended to: never more than the log has. Negative by the
    /// bytes owed for overdrawn capacity.
    granted: i64,
    /// Set while more zeros are needed and the disk has no space for them.
    no_space: Option<Full>,
    /// A group that could not be written for lack of space.
    stuck: Option<(Group, Full)>,
    /// When written bytes have to be synced.
    sync_by: Option<Instant>,
    /// When a mark has to record the last sync.
    mark_by: Option<Instant>,
    /// The earliest time at which a new segment is tried again.
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
            standing: Standing::Healthy,
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
            let held = self.stuck.is_some();
            let work = self.inbox.wait(self.due(), self.log.synced, held);
            let done = match work.end {
                End::Kill => return,
                End::Stop => self.finish(work.group),
                End::NotYet => self.step(work),
            };
            match done {
                Ok(false) => {}
                Ok(true) => return self.publish_standing(Standing::Stopped),
                Err(error) => {
                    let why = format!(
                        "the journal has failed and rejects writes until a restart: {error}"
                    );
                    return self.publish_standing(Standing::Failed(why));
                }
            }
        }
    }

    /// Returns when to run even if no work arrives.
    pub(super) fn due(&self) -> Option<Instant> {
        let again = match &self.stuck {
            Some((_, full)) => [Some(full.again), None],
            None => [self.no_space.as_ref().map(|full| full.again), self.mark_by],
        };
        again.into_iter().flatten().chain(self.sync_by).min()
    }

    /// Does the pending work. Returns whether the committer has ended.
    pub(super) fn step(&mut self, work: Work) -> io::Result<bool> {
        let now = Instant::now();
        let idle = work.group.is_none();
        match (self.stuck.take(), work.group) {
            (Some((group, full)), None) if now >= full.again => self.write(group)?,
            (None, Some(group)) => self.write(group)?,
            (stuck, _) => self.stuck = stuck,
        }
        // A journal that is dropped must look as if the process had been killed.
        if self.inbox.is_killed() {
            return Ok(false);
        }
        let wanted = self.settings.durability == Durability::Always
            || work.sync_until > self.log.synced
            || self.sync_by.is_some_and(|by| now >= by);
        if wanted && (self.log.written > self.log.synced || self.sync_by.is_some()) {
            self.sync()?;
        }
        self.publish();
        if self.stuck.is_none() && !self.inbox.is_killed() {
            self.roll_if_past(now)?;
            self.top_up()?;
            if idle && self.mark_by.is_some_and(|by| now >= by) {
                self.mark()?;
            }
            self.publish();
        }
        Ok(false)
    }

    /// Writes and syncs everything, and records it in a mark. Returns true: the committer has
    /// ended.
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
        if self.log.synced > self.log.marked {
            self.mark()?;
        }
        Ok(true)
    }

    /// Writes a group; one that does not fit on the disk is kept.
    fn write(&mut self, mut group: Group) -> io::Result<()> {
        match self.log.write(&mut group) {
            Ok(bytes) => {
                // Capacity was reserved for a header of each record, but records share one.
                self.capacity.add(group.reserved_bytes - bytes);
                self.granted -= signed(bytes as u64);
                self.inbox.give_back(group.bytes);
                if let Durability::Interval(interval) = self.settings.durability {
                    self.sync_by
                        .get_or_insert_with(|| Instant::now() + interval);
                }
                self.schedule_mark();
                Ok(())
            }
            Err(error) if is_full(&error) => {
                let full = Full::new(&error, self.settings.retry_after);
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

    /// Schedules a mark some time after the last sync, unless a group records it.
    fn schedule_mark(&mut self) {
        let idle = self.log.synced == self.log.written && self.log.synced > self.log.marked;
        self.mark_by = idle.then(|| Instant::now() + self.settings.mark_after);
    }

    /// Writes a group without records, which records how far the log is synced, if there is
    /// capacity for it.
    fn mark(&mut self) -> io::Result<()> {
        self.schedule_mark();
        if self.capacity.take(GROUP_HEADER_BYTES) {
            let mut mark = Group::empty(Vec::new(), self.log.written);
            mark.reserved_bytes = GROUP_HEADER_BYTES;
            self.write(mark)?;
            if self.stuck.is_none() {
                self.sync()?;
            }
        }
        Ok(())
    }

    /// Begins a new segment when this one is long enough; continues with this one if the disk is
    /// full.
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
            && Instant::now() < full.again
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
                        self.no_space = Some(Full::new(&error, self.settings.retry_after));
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
        self.publish_standing(match (&self.stuck, &self.no_space) {
            (Some((_, full)), _) => Standing::Stuck(full.why.clone()),
            // With capacity for a batch, every waiting writer is served.
            (None, Some(full)) if self.granted < signed(BATCH_BYTES_MAX as u64) => {
                Standing::NoSpace(full.why.clone())
            }
            _ => Standing::Healthy,
        });
    }

    fn publish_standing(&self, standing: Standing) {
        let now = Progress {
            acknowledged: match self.settings.durability {
                Durability::Always => self.log.synced,
                Durability::Interval(_) => self.log.written,
            },
            synced: self.log.synced,
            standing,
        };
        self.progress.send_if_modified(|marked| {
            let changed = *marked != now;
            if marked.standing != now.standing {
                now.standing.log();
            }
            *marked = now;
            changed
        });
    }
}

/// Converts bytes of files, which are far fewer than 2^63.
fn signed(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}
