//! The one thread that writes: what waits becomes one group, one write, one sync.
//!
//! [`Committer`] decides when the log is written, synced, marked, rolled and given more zeros, and
//! what an error means: lack of space is waited out, anything else ends the journal for good. How
//! each is done is in `log`.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::format::GROUP_HEADER_BYTES;
use super::inbox::{End, Group, Inbox, Work};
use super::log::Log;
use super::progress::{Progress, Standing};
use super::room::{BATCH_BYTES_MAX, ROOM_BYTES_MAX, Room};
use super::segment::{NotMade, ZEROS_STEP_BYTES, is_full};
use super::settings::{Durability, Settings};

/// On a full disk, zeros are asked for in ever smaller steps, down to this.
const ZEROS_STEP_BYTES_MIN: usize = 64 << 10;

/// Lack of space, and when to look again.
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

/// The writer of the log, to be run on a thread of its own.
#[derive(Debug)]
pub(super) struct Committer {
    log: Log,
    settings: Settings,
    inbox: Arc<Inbox>,
    room: Arc<Room>,
    progress: watch::Sender<Progress>,
    /// Zeros that are free, reserved or appended to: never more than the log has. Below zero by what
    /// is owed of room that was overdrawn.
    granted: i64,
    /// There are to be more zeros, and no space for them.
    no_room: Option<Full>,
    /// A group that found no space.
    stuck: Option<(Group, Full)>,
    /// When what was written has to be synced.
    sync_by: Option<Instant>,
    /// When a mark has to tell of the last sync.
    mark_by: Option<Instant>,
    /// No new segment is tried before.
    roll_from: Option<Instant>,
}

impl Committer {
    /// Ready to run, with room for the first writers.
    pub(super) fn new(
        log: Log,
        settings: Settings,
        inbox: Arc<Inbox>,
        room: Arc<Room>,
    ) -> io::Result<(Self, watch::Receiver<Progress>)> {
        let (progress, watching) = watch::channel(Progress {
            acknowledged: log.synced,
            synced: log.synced,
            standing: Standing::Well,
        });
        let mut committer = Self {
            log,
            settings,
            inbox,
            room,
            progress,
            granted: 0,
            no_room: None,
            stuck: None,
            sync_by: None,
            mark_by: None,
            roll_from: None,
        };
        committer.top_up()?;
        committer.settle_mark();
        committer.publish();
        Ok((committer, watching))
    }

    /// Works until it is told to end, or the disk fails.
    pub(super) fn run(mut self) {
        loop {
            let held = self.stuck.is_some();
            let work = self.inbox.wait(self.due(), self.log.synced, held);
            let done = match work.end {
                End::Kill => return,
                End::Stop => self.finish(work.group),
                End::NotYet => self.turn(work),
            };
            match done {
                Ok(false) => {}
                Ok(true) => return self.publish_standing(Standing::Stopped),
                Err(error) => {
                    let why = format!(
                        "the journal has failed, and takes no writes until a restart: {error}"
                    );
                    return self.publish_standing(Standing::Failed(why));
                }
            }
        }
    }

    /// When to look, though nothing came.
    pub(super) fn due(&self) -> Option<Instant> {
        let again = match &self.stuck {
            Some((_, full)) => [Some(full.again), None],
            None => [self.no_room.as_ref().map(|full| full.again), self.mark_by],
        };
        again.into_iter().flatten().chain(self.sync_by).min()
    }

    /// Does what there is to do; false, since there will be more.
    pub(super) fn turn(&mut self, work: Work) -> io::Result<bool> {
        let now = Instant::now();
        let idle = work.group.is_none();
        match (self.stuck.take(), work.group) {
            (Some((group, full)), None) if now >= full.again => self.write(group)?,
            (None, Some(group)) => self.write(group)?,
            (stuck, _) => self.stuck = stuck,
        }
        // A journal that is dropped is to look as if the process had been killed.
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

    /// Writes and syncs all there is, and says so in a mark; true, since that is all.
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
        if self.log.synced > self.log.told {
            self.mark()?;
        }
        Ok(true)
    }

    /// Writes a group; one that finds no space is kept.
    fn write(&mut self, mut group: Group) -> io::Result<()> {
        match self.log.write(&mut group) {
            Ok(bytes) => {
                // A record was granted a header of its own, and shares one.
                self.room.add(group.room_bytes - bytes);
                self.granted -= signed(bytes as u64);
                self.inbox.give_back(group.bytes);
                if let Durability::Interval(interval) = self.settings.durability {
                    self.sync_by
                        .get_or_insert_with(|| Instant::now() + interval);
                }
                self.settle_mark();
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
        self.settle_mark();
        Ok(())
    }

    /// A mark is due some time after the last sync, unless a group tells of it.
    fn settle_mark(&mut self) {
        let idle = self.log.synced == self.log.written && self.log.synced > self.log.told;
        self.mark_by = idle.then(|| Instant::now() + self.settings.mark_after);
    }

    /// Writes a group of no records, which says how far the log is synced, if there is room for it.
    fn mark(&mut self) -> io::Result<()> {
        self.settle_mark();
        if self.room.take(GROUP_HEADER_BYTES) {
            let mut mark = Group::empty(Vec::new(), self.log.written);
            mark.room_bytes = GROUP_HEADER_BYTES;
            self.write(mark)?;
            if self.stuck.is_none() {
                self.sync()?;
            }
        }
        Ok(())
    }

    /// Begins a new segment when this one is long enough; without space for one it goes on.
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
            Ok(()) => self.settle_mark(),
            Err(NotMade::Surely(_)) => self.roll_from = Some(now + self.settings.retry_after),
            Err(NotMade::Perhaps(error)) => return Err(error),
        }
        Ok(())
    }

    /// Adds zeros until there is room enough, as far as the disk has space.
    fn top_up(&mut self) -> io::Result<()> {
        if let Some(full) = &self.no_room
            && Instant::now() < full.again
        {
            return Ok(());
        }
        self.no_room = None;
        let mut step = ZEROS_STEP_BYTES;
        while self.granted + signed(ZEROS_STEP_BYTES as u64) <= signed(ROOM_BYTES_MAX as u64) {
            if signed(self.log.zeros()) == self.granted {
                match self.log.add_zeros(step) {
                    Ok(()) => {}
                    Err(error) if is_full(&error) && step > ZEROS_STEP_BYTES_MIN => {
                        step /= 2;
                        continue;
                    }
                    Err(error) if is_full(&error) => {
                        self.no_room = Some(Full::new(&error, self.settings.retry_after));
                        break;
                    }
                    Err(error) => return Err(error),
                }
            }
            let free = signed(self.log.zeros().min(ROOM_BYTES_MAX as u64)) - self.granted;
            self.granted += free;
            self.room
                .add(usize::try_from(free).expect("it is no more than ROOM_BYTES_MAX"));
        }
        Ok(())
    }

    fn publish(&self) {
        self.publish_standing(match (&self.stuck, &self.no_room) {
            (Some((_, full)), _) => Standing::Stuck(full.why.clone()),
            // With room for a batch, whoever waits will be served.
            (None, Some(full)) if self.granted < signed(BATCH_BYTES_MAX as u64) => {
                Standing::NoRoom(full.why.clone())
            }
            _ => Standing::Well,
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
        self.progress.send_if_modified(|told| {
            let changed = *told != now;
            if told.standing != now.standing {
                now.standing.log();
            }
            *told = now;
            changed
        });
    }
}

/// Bytes of a file, which are far fewer than what 63 bits count.
fn signed(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}
