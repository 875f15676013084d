//! One incarnation of a board in memory, and its locks.
//!
//! A [`Cell`] begins with one [`Shard`] for all members: a million rooms with ten members each are
//! a million short vectors. When a window of it outgrows that, it is split into the shards of its
//! record, each under a lock of its own. The outer lock is held for writing only to split and to
//! end a board; everything else shares it.
//!
//! A window that is past its time is taken out under the lock and freed outside of it. Which windows those are
//! follows from the calendar.

mod frozen;
mod replay;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use board::{Activity, BoardName, Incarnation, Kind, ShardCount, Timestamp, Window};
use parking_lot::{RwLock, RwLockWriteGuard};

pub use frozen::FrozenPart;
pub use replay::Restored;

use super::ids::IdBudget;
use super::log::{Applied, Event, Log};
use super::shard::{Holding, Shard, Terms};
use shard_store::Memory;
use shard_store::{
    Batch, BoardRecord, BoardSettings, Disagreement, Outcome, Query, Reading, StoreError,
    WindowCount,
};

/// Windows that a board drops in one sweep.
const EXPIRED_MAX: usize = 32;

/// How long a board that holds nothing stays, from its creation or its last write on.
const LINGER: Duration = Duration::from_mins(1);

/// One incarnation of a board.
#[derive(Debug)]
pub struct Cell {
    name: BoardName,
    /// What its standings mean, by name, meaning and rules: those never change. Nothing else of it is
    /// looked at, and boards of all its versions share it.
    kind: Arc<Kind>,
    incarnation: Incarnation,
    shards: ShardCount,
    activity: Activity,
    created: AtomicBool,
    /// When its settings were made, or it was created without any. Of a board that was in use and came back at a
    /// start: its last write then.
    settled: Timestamp,
    /// Or its creation; or `settled`, before that.
    last_write: AtomicI64,
    body: RwLock<Body>,
}

#[derive(Debug)]
enum Body {
    /// All shards in one, until a window has more members than a small ranking takes.
    Whole(RwLock<Shard>),
    Split(Box<[RwLock<Shard>]>),
    Dead,
}

impl Body {
    fn shards(&self) -> &[RwLock<Shard>] {
        match self {
            Self::Dead => &[],
            Self::Whole(whole) => std::slice::from_ref(whole),
            Self::Split(shards) => shards,
        }
    }

    /// Whether nothing was ever applied to it.
    fn is_untouched(&self) -> bool {
        let mut shards = self.shards().iter();
        shards.all(|shard| shard.read().is_untouched())
    }

    fn shards_mut(&mut self) -> &mut [RwLock<Shard>] {
        match self {
            Self::Dead => &mut [],
            Self::Whole(whole) => std::slice::from_mut(whole),
            Self::Split(shards) => shards,
        }
    }
}

impl Cell {
    /// A board without contributions.
    pub fn new(
        name: BoardName,
        kind: Arc<Kind>,
        incarnation: Incarnation,
        settings: BoardSettings,
        created: bool,
        now: Timestamp,
    ) -> Self {
        let BoardSettings { shards, activity } = settings;
        let body = if shards.get() == 1 {
            Body::Split(Box::new([RwLock::default()]))
        } else {
            Body::Whole(RwLock::default())
        };
        Self {
            name,
            kind,
            incarnation,
            shards,
            activity,
            created: AtomicBool::new(created),
            settled: now,
            last_write: AtomicI64::new(now.millis()),
            body: RwLock::new(body),
        }
    }

    /// The same settings for a board of another kind.
    pub fn uncreated_of(&self, kind: Arc<Kind>) -> Self {
        let (name, settings) = (self.name.clone(), self.settings());
        Self::new(name, kind, self.incarnation, settings, false, self.settled)
    }

    /// The board's record.
    pub fn record(&self) -> BoardRecord {
        BoardRecord {
            name: self.name.clone(),
            incarnation: self.incarnation,
            shards: self.shards,
            meaning: self.kind.meaning(),
            activity: self.activity,
            created: self.is_created(),
        }
    }

    /// The board's name.
    pub const fn name(&self) -> &BoardName {
        &self.name
    }

    /// Which existence of the board it is.
    pub const fn incarnation(&self) -> Incarnation {
        self.incarnation
    }

    /// The settings of the board.
    pub const fn settings(&self) -> BoardSettings {
        BoardSettings {
            shards: self.shards,
            activity: self.activity,
        }
    }

    /// The board's own time.
    pub const fn activity(&self) -> &Activity {
        &self.activity
    }

    /// When its settings were made, as far as that is known.
    pub const fn settled(&self) -> Timestamp {
        self.settled
    }

    /// When it was last written to. `None`: nothing was ever applied to it.
    pub fn last_write(&self) -> Option<Timestamp> {
        let is_in_use = self.is_created() && !self.body.read().is_untouched();
        is_in_use.then(|| self.written())
    }

    /// The last write, or what stands for it.
    fn written(&self) -> Timestamp {
        Timestamp::from_millis(self.last_write.load(Ordering::Relaxed))
    }

    /// Whether it was created a while ago for what came to nothing: its creation is to be withdrawn.
    pub fn is_abandoned(&self, now: Timestamp) -> bool {
        self.is_unused() && self.has_lingered(now)
    }

    /// Whether nobody has asked for it for a while.
    pub(crate) fn has_lingered(&self, now: Timestamp) -> bool {
        now >= self.written().plus(LINGER)
    }

    /// Whether it was created, and nothing was ever applied to it.
    fn is_unused(&self) -> bool {
        self.is_created() && self.body.read().is_untouched()
    }

    /// Whether the board has been created by a contribution.
    pub fn is_created(&self) -> bool {
        self.created.load(Ordering::Acquire)
    }

    /// Notes that the board is created.
    pub fn mark_created(&self, now: Timestamp) {
        if self.is_created() {
            self.last_write.fetch_max(now.millis(), Ordering::Relaxed);
        } else {
            // Settings may date from later than now (`Activity::after_it`).
            self.last_write.store(now.millis(), Ordering::Relaxed);
            self.created.store(true, Ordering::Release);
        }
    }

    /// Applies a batch to one shard.
    pub fn apply(
        &self,
        shard: u16,
        batch: &Batch<'_>,
        budget: &IdBudget,
        memory: &Memory,
        log: &mut dyn Log,
    ) -> Result<Vec<Outcome>, StoreError> {
        if batch.kind.meaning() != self.kind.meaning() {
            return Err(StoreError::StaleKind);
        }
        let shard_of = |hash| self.shards.shard_of(hash);
        let terms = &Terms {
            rules: batch.kind.rules(),
            now: batch.now,
            dedupe: batch.kind.dedupe(),
            report: batch.report,
            again: false,
            memory: Some(memory),
        };
        let body = self.body.read();
        let (outcomes, crowded) = match &*body {
            Body::Dead => return Err(StoreError::Dead),
            Body::Split(shards) => {
                let mut held = shards[usize::from(shard)].write();
                if batch.is_late() {
                    return Err(StoreError::Late);
                }
                let (outcomes, touched) = held.apply(batch.items, terms, shard_of, budget);
                held.finish(terms.rules, &touched);
                self.note_applied(shard, batch, &outcomes, log);
                (outcomes, false)
            }
            Body::Whole(whole) => {
                let mut held = whole.write();
                if batch.is_late() {
                    return Err(StoreError::Late);
                }
                let (outcomes, touched) = held.apply(batch.items, terms, shard_of, budget);
                self.note_applied(shard, batch, &outcomes, log);
                (outcomes, held.is_crowded(&touched))
            }
        };
        drop(body);
        if crowded {
            self.split(batch.kind, budget, log);
        }
        Ok(outcomes)
    }

    /// Before the shard's lock is given back: nobody finds the board idle who finds this written, and
    /// nobody's event comes before this one who saw what it did.
    fn note_applied(&self, shard: u16, batch: &Batch<'_>, outcomes: &[Outcome], log: &mut dyn Log) {
        let is_applied = |outcome: &Outcome| matches!(outcome, Outcome::Applied(_));
        if outcomes.iter().any(is_applied) {
            self.last_write
                .fetch_max(batch.now.millis(), Ordering::Relaxed);
            log.note(Event::Applied(Applied {
                incarnation: self.incarnation,
                shard,
                now: batch.now,
                dedupe: batch.kind.dedupe(),
                items: batch.items,
                outcomes,
            }));
        }
    }

    /// Reads one window of one shard.
    pub fn read(&self, epoch: u64, shard: u16, query: &Query) -> Result<Reading, StoreError> {
        self.look(shard, |held, only| {
            held.read(&self.kind, epoch, only, query)
        })?
    }

    /// Counts the members of each window of one shard.
    pub fn windows(&self, shard: u16) -> Result<Vec<WindowCount>, StoreError> {
        self.look(shard, Shard::windows)
    }

    /// How much each shard holds; of a small board all in one.
    pub fn holdings(&self, of_shards: &mut Vec<Holding>) {
        of_shards.clear();
        let body = self.body.read();
        of_shards.extend(body.shards().iter().map(|shard| shard.read().holding()));
    }

    /// Compares the order of one shard with its standings.
    pub fn verify(&self, shard: u16) -> Result<Vec<Disagreement>, StoreError> {
        self.look(shard, |held, only| {
            if only.is_some_and(|shard| shard > 0) {
                // The one vector of a small board is looked through with shard 0.
                return Vec::new();
            }
            let wrong = held.rankings().flat_map(|(window, ranking)| {
                let wrong = ranking.verify(self.kind.rules()).into_iter();
                wrong.map(move |(member, what)| Disagreement {
                    window,
                    member,
                    what,
                    repaired: false,
                })
            });
            wrong.collect()
        })
    }

    /// Lets go of ids past their span.
    pub fn age_ids(&self, kind: &Kind, now: Timestamp, budget: &IdBudget) {
        for shard in self.body.read().shards() {
            shard.write().age_ids(kind, now, budget);
        }
    }

    /// Whether it holds something, and is not idle: no more of it goes than windows past their time.
    pub fn is_in_use(&self, kind: &Kind, now: Timestamp) -> bool {
        let body = self.body.read();
        let mut shards = body.shards().iter();
        !self.is_idle(kind, now) && shards.any(|shard| !shard.read().is_empty(false))
    }

    /// The windows that are past their time, on any shard: at most [`EXPIRED_MAX`],
    /// the rest another time.
    pub fn expired(&self, kind: &Kind, now: Timestamp) -> Vec<Window> {
        let body = self.body.read();
        let mut gone: Vec<Window> = Vec::new();
        for shard in body.shards() {
            gone.extend(shard.read().expired(kind, now));
            gone.sort_unstable();
            gone.dedup();
        }
        gone.truncate(EXPIRED_MAX);
        gone
    }

    /// Drops what is past its time, of windows those that are `gone`. True when nothing is left and
    /// the board may go.
    pub fn expire(&self, kind: &Kind, gone: &[Window], now: Timestamp, log: &mut dyn Log) -> bool {
        self.expire_idle(kind, now, log);
        let body = self.body.read();
        let mut dropped = Vec::new();
        let mut empty = true;
        // What one shard drops is closed on all, also where it never held anybody.
        for (shard, held) in (0..).zip(body.shards()) {
            let mut held = held.write();
            if !gone.is_empty() {
                dropped.extend(held.take_windows(gone));
                log.note(Event::WindowsDropped {
                    incarnation: self.incarnation,
                    shard,
                    windows: gone,
                });
            }
            empty &= held.is_empty(self.is_idle(kind, now));
        }
        drop(body);
        // Freeing a large window takes a while, and nobody waits for it.
        drop(dropped);
        empty
    }

    /// Empties the window without bounds where the board is idle: on all shards or on none, so
    /// that whoever writes meanwhile finds the board whole.
    fn expire_idle(&self, kind: &Kind, now: Timestamp, log: &mut dyn Log) {
        if !self.is_idle(kind, now) {
            return;
        }
        let mut body = self.body.write();
        let mut dropped = Vec::new();
        if self.is_idle(kind, now) {
            let shards = body.shards_mut().iter_mut();
            dropped.extend(shards.filter_map(|shard| shard.get_mut().take_unbounded()));
            if !dropped.is_empty() {
                log.note(Event::BoardEmptied {
                    incarnation: self.incarnation,
                });
            }
        }
        drop(body);
        drop(dropped);
    }

    fn is_idle(&self, kind: &Kind, now: Timestamp) -> bool {
        let written = self.written();
        kind.idle().is_some_and(|idle| now >= written.plus(idle))
    }

    /// Waits until nobody reads or writes this incarnation any more, and keeps others from it. `None`: it has
    /// ended. Readers may take a while: wait for them with no lock of the registry.
    pub fn close(&self) -> Option<Closed<'_>> {
        let body = self.body.write();
        let on = !matches!(&*body, Body::Dead);
        on.then_some(Closed { cell: self, body })
    }

    fn look<T>(
        &self,
        shard: u16,
        look: impl FnOnce(&Shard, Option<u16>) -> T,
    ) -> Result<T, StoreError> {
        match &*self.body.read() {
            Body::Dead => Err(StoreError::Dead),
            Body::Split(shards) => Ok(look(&shards[usize::from(shard)].read(), None)),
            Body::Whole(whole) => Ok(look(&whole.read(), Some(shard))),
        }
    }

    fn split(&self, kind: &Kind, budget: &IdBudget, log: &mut dyn Log) {
        let mut body = self.body.write();
        if let Body::Whole(whole) = &mut *body {
            log.note(Event::BoardSplit {
                incarnation: self.incarnation,
            });
            let shards = std::mem::take(whole.get_mut()).split(kind, self.shards, budget);
            *body = Body::Split(shards.into_iter().map(RwLock::new).collect());
        }
    }
}

/// An incarnation that nobody reads or writes, and that may end.
pub struct Closed<'a> {
    cell: &'a Cell,
    body: RwLockWriteGuard<'a, Body>,
}

impl Closed<'_> {
    /// Whether it holds nothing, and is not about to: a board just created has its first contribution
    /// under way, and one that is not has its settings, which are kept for a while.
    pub fn is_spent(&self, kind: &Kind, now: Timestamp) -> bool {
        let cell = self.cell;
        let written = cell.written();
        let idle = cell.is_idle(kind, now);
        let stays_until = if cell.is_created() && cell.activity.is_always() {
            written.plus(LINGER)
        } else {
            // A name must not come back without the bounds that its board has.
            cell.activity.settings_kept_until(written)
        };
        let mut shards = self.body.shards().iter();
        now >= stays_until && shards.all(|shard| shard.read().is_empty(idle))
    }

    /// Whether nothing was ever applied to it.
    pub fn is_untouched(&self) -> bool {
        self.body.is_untouched()
    }

    /// Ends it; what it held is for the caller to drop where nobody waits.
    pub fn end(mut self, budget: &IdBudget, log: &mut dyn Log) -> impl Sized + use<> {
        let ended = std::mem::replace(&mut *self.body, Body::Dead);
        // Nothing is applied to this incarnation behind its end.
        log.note(Event::BoardEnded {
            incarnation: self.cell.incarnation,
        });
        drop(self);
        release(&ended, budget);
        ended
    }
}

/// Gives back what the ids of an incarnation took of the budget.
fn release(ended: &Body, budget: &IdBudget) {
    for shard in ended.shards() {
        shard.read().release_ids(budget);
    }
}

#[cfg(test)]
impl Cell {
    /// What a reader holds.
    pub fn hold(&self) -> impl Sized + '_ {
        self.body.read()
    }

    /// Whether somebody waits for the readers.
    pub fn is_awaited(&self) -> bool {
        self.body.try_read().is_none()
    }
}

/// A board as the registry hands it out.
pub type Shared = Arc<Cell>;
