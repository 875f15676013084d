//! One incarnation of a board in memory, and its locks.
//!
//! A [`Cell`] starts with one [`Shard`] for all members: a million rooms with ten members each are
//! a million short vectors. When one of its windows outgrows that, the cell is split into the
//! shards of its record, each under its own lock. The outer lock is held for writing only to split
//! and to end a board; all other operations hold it for reading.
//!
//! A window past its retention is removed under the lock and freed after the lock is released.
//! Which windows those are follows from the calendar.

mod change;
mod closed;
mod expiry;
mod frozen;
mod read;
mod replay;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use board::{Activity, BoardName, Incarnation, Kind, ShardCount, Timestamp};
use parking_lot::RwLock;

pub(crate) use closed::Closed;
pub use frozen::FrozenPart;

use super::distinct::{Distinct, ValueChanges};
use super::ids::IdBudget;
use super::log::{Applied, Event, Log};
use super::shard::{ApplyContext, Holding, Shard};
use shard_store::Memory;
use shard_store::{
    Batch, BoardRecord, BoardSettings, IndexMismatch, Outcome, StoreError, WindowCount,
};

/// How long an empty board is kept after its creation or its last write.
const EMPTY_KEPT: Duration = Duration::from_mins(1);

/// One incarnation of a board.
#[derive(Debug)]
pub struct Cell {
    name: BoardName,
    /// The kind, of which only name, meaning and rules are used: those never change. Boards of all
    /// its versions share it.
    kind: Arc<Kind>,
    incarnation: Incarnation,
    shards: ShardCount,
    /// Changed only while the body is locked for writing.
    activity: RwLock<Activity>,
    /// Whether the activity was changed since this process made or loaded the board: no caller has a
    /// record with an earlier one otherwise.
    activity_changed: AtomicBool,
    created: AtomicBool,
    /// When its settings were made, or when it was created without any. For a board that was in use
    /// and was restored at a start: its last write at that time.
    settings_set_at: Timestamp,
    /// Milliseconds of the last write, or of the creation; equals `settings_set_at` before that.
    last_write: AtomicI64,
    body: RwLock<Body>,
    /// For dense ranks: the distinct values of a board that is split.
    distinct: Option<Box<Distinct>>,
}

#[derive(Debug)]
enum Body {
    /// All shards in one, until a window has more members than a small ranking supports.
    Whole(RwLock<Shard>),
    Split(Box<[RwLock<Shard>]>),
    Ended,
}

impl Body {
    fn shards(&self) -> &[RwLock<Shard>] {
        match self {
            Self::Ended => &[],
            Self::Whole(whole) => std::slice::from_ref(whole),
            Self::Split(shards) => shards,
        }
    }

    /// Returns whether nothing was ever applied to it.
    fn is_untouched(&self) -> bool {
        let mut shards = self.shards().iter();
        shards.all(|shard| shard.read().is_untouched())
    }

    fn shards_mut(&mut self) -> &mut [RwLock<Shard>] {
        match self {
            Self::Ended => &mut [],
            Self::Whole(whole) => std::slice::from_mut(whole),
            Self::Split(shards) => shards,
        }
    }
}

/// Returns where distinct values are counted, for a kind with dense ranks.
fn distinct_of(kind: &Kind) -> Option<Box<Distinct>> {
    kind.is_dense().then(Box::default)
}

impl Cell {
    /// Creates a board without contributions.
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
            incarnation,
            shards,
            activity: RwLock::new(activity),
            activity_changed: AtomicBool::new(false),
            created: AtomicBool::new(created),
            settings_set_at: now,
            last_write: AtomicI64::new(now.micros()),
            body: RwLock::new(body),
            distinct: distinct_of(&kind),
            kind,
        }
    }

    /// Returns a board with the same settings for another version of the kind.
    pub fn uncreated_of(&self, kind: Arc<Kind>) -> Self {
        let (name, settings) = (self.name.clone(), self.settings());
        Self::new(
            name,
            kind,
            self.incarnation,
            settings,
            false,
            self.settings_set_at,
        )
    }

    /// Returns the board's record.
    pub fn record(&self) -> BoardRecord {
        BoardRecord {
            name: self.name.clone(),
            incarnation: self.incarnation,
            shards: self.shards,
            meaning: self.kind.meaning(),
            activity: self.activity(),
            created: self.is_created(),
        }
    }

    /// Returns the board's name.
    pub const fn name(&self) -> &BoardName {
        &self.name
    }

    /// Returns the incarnation.
    pub const fn incarnation(&self) -> Incarnation {
        self.incarnation
    }

    /// Returns the settings of the board.
    pub fn settings(&self) -> BoardSettings {
        BoardSettings {
            shards: self.shards,
            activity: self.activity(),
        }
    }

    /// Returns the period in which the board accepts contributions.
    pub fn activity(&self) -> Activity {
        *self.activity.read()
    }

    /// Returns when its settings were made, as far as that is known.
    pub const fn settings_set_at(&self) -> Timestamp {
        self.settings_set_at
    }

    /// Returns the time of the last write. `None`: nothing was ever applied.
    pub fn last_write(&self) -> Option<Timestamp> {
        let is_in_use = self.is_created() && !self.body.read().is_untouched();
        is_in_use.then(|| self.written())
    }

    /// Returns the time of the last write, or of what replaces it while there is none.
    fn written(&self) -> Timestamp {
        Timestamp::from_micros(self.last_write.load(Ordering::Relaxed))
    }

    /// Returns whether it was created a while ago but never used: its creation is to be withdrawn.
    pub fn is_abandoned(&self, now: Timestamp) -> bool {
        self.is_unused() && self.was_unused_for_a_while(now)
    }

    /// Returns whether it has not been written to for [`EMPTY_KEPT`].
    pub(crate) fn was_unused_for_a_while(&self, now: Timestamp) -> bool {
        now >= self.written().plus(EMPTY_KEPT)
    }

    /// Returns whether it was created and nothing was ever applied to it.
    fn is_unused(&self) -> bool {
        self.is_created() && self.body.read().is_untouched()
    }

    /// Returns whether the board has been created by a contribution.
    pub fn is_created(&self) -> bool {
        self.created.load(Ordering::Acquire)
    }

    /// Marks the board as created.
    pub fn mark_created(&self, now: Timestamp) {
        if self.is_created() {
            self.last_write.fetch_max(now.micros(), Ordering::Relaxed);
        } else {
            // Settings may be dated later than now (`Activity::settings_after`).
            self.last_write.store(now.micros(), Ordering::Relaxed);
            self.created.store(true, Ordering::Release);
        }
    }

    /// Applies a batch to one shard, of a caller that has `seen` this activity in the board's record.
    pub fn apply(
        &self,
        seen: &Activity,
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
        let context = &ApplyContext {
            rules: batch.kind.rules(),
            now: batch.now,
            dedupe: batch.kind.dedupe(),
            report: batch.report,
            again: false,
            memory: Some(memory),
            values: None,
        };
        let body = self.body.read();
        self.check_seen(seen, &body)?;
        let (outcomes, crowded) = match &*body {
            Body::Ended => return Err(StoreError::IncarnationEnded),
            Body::Split(shards) => {
                let mut held = shards[usize::from(shard)].write();
                if batch.is_late() {
                    return Err(StoreError::DeadlinePassed);
                }
                let changes = ValueChanges::default();
                let context = &ApplyContext {
                    values: self.distinct.is_some().then_some(&changes),
                    ..*context
                };
                let (outcomes, touched) = held.apply(batch.items, context, shard_of, budget);
                held.finish(context.rules, &touched);
                if let Some(distinct) = &self.distinct {
                    distinct.apply(batch.kind.rules(), changes);
                }
                self.report_applied(shard, batch, &outcomes, log);
                (outcomes, false)
            }
            Body::Whole(whole) => {
                let mut held = whole.write();
                if batch.is_late() {
                    return Err(StoreError::DeadlinePassed);
                }
                let (outcomes, touched) = held.apply(batch.items, context, shard_of, budget);
                self.report_applied(shard, batch, &outcomes, log);
                (outcomes, held.outgrew_small(&touched))
            }
        };
        drop(body);
        if crowded {
            self.split(batch.kind, budget, log);
        }
        Ok(outcomes)
    }

    /// Reports a batch to the log. Called before the shard's lock is released, so that no caller
    /// that finds this written finds the board idle, and no event of a caller that saw the effect
    /// precedes this one.
    fn report_applied(
        &self,
        shard: u16,
        batch: &Batch<'_>,
        outcomes: &[Outcome],
        log: &mut dyn Log,
    ) {
        let is_applied = |outcome: &Outcome| matches!(outcome, Outcome::Applied(_));
        if outcomes.iter().any(is_applied) {
            self.last_write
                .fetch_max(batch.now.micros(), Ordering::Relaxed);
            log.record(Event::Applied(Applied {
                incarnation: self.incarnation,
                shard,
                now: batch.now,
                dedupe: batch.kind.dedupe(),
                items: batch.items.into(),
                outcomes,
            }));
        }
    }

    /// Counts the members of each window of one shard.
    pub fn windows(&self, seen: &Activity, shard: u16) -> Result<Vec<WindowCount>, StoreError> {
        let body = self.body.read();
        self.check_seen(seen, &body)?;
        Self::look_at(&body, shard, Shard::windows)
    }

    /// Appends how much each shard holds; for a small board, one entry for all shards.
    pub fn holdings(&self, of_shards: &mut Vec<Holding>) {
        of_shards.clear();
        let body = self.body.read();
        of_shards.extend(body.shards().iter().map(|shard| shard.read().holding()));
    }

    /// Compares the order of one shard with its standings, and returns the differences.
    pub fn verify(&self, shard: u16) -> Result<Vec<IndexMismatch>, StoreError> {
        let mut wrong = self.verify_order(shard)?;
        if shard == 0 {
            wrong.extend(
                self.verify_values()
                    .into_iter()
                    .map(|window| IndexMismatch {
                        window,
                        member: None,
                        detail: "the counts of distinct values do not match the scores".to_owned(),
                        repaired: false,
                    }),
            );
        }
        Ok(wrong)
    }

    fn verify_order(&self, shard: u16) -> Result<Vec<IndexMismatch>, StoreError> {
        self.look(shard, |held, only| {
            if only.is_some_and(|shard| shard > 0) {
                // The one vector of a small board is verified with shard 0.
                return Vec::new();
            }
            let wrong = held.rankings().flat_map(|(window, ranking)| {
                let wrong = ranking.verify(self.kind.rules()).into_iter();
                wrong.map(move |(member, detail)| IndexMismatch {
                    window,
                    member,
                    detail,
                    repaired: false,
                })
            });
            wrong.collect()
        })
    }

    /// Waits for the readers and writers of this incarnation, and excludes others. `None`: it has
    /// ended. Readers may take a while: call this without holding a lock of the registry.
    pub fn close(&self) -> Option<Closed<'_>> {
        let body = self.body.write();
        let on = !matches!(&*body, Body::Ended);
        on.then_some(Closed { cell: self, body })
    }

    fn look<T>(
        &self,
        shard: u16,
        look: impl FnOnce(&Shard, Option<u16>) -> T,
    ) -> Result<T, StoreError> {
        Self::look_at(&self.body.read(), shard, look)
    }

    fn look_at<T>(
        body: &Body,
        shard: u16,
        look: impl FnOnce(&Shard, Option<u16>) -> T,
    ) -> Result<T, StoreError> {
        match body {
            Body::Ended => Err(StoreError::IncarnationEnded),
            Body::Split(shards) => Ok(look(&shards[usize::from(shard)].read(), None)),
            Body::Whole(whole) => Ok(look(&whole.read(), Some(shard))),
        }
    }

    /// Counts the distinct values of a shard that was not counted before, unless it has no order yet.
    fn count_values(&self, shard: &Shard) {
        if let Some(distinct) = &self.distinct
            && !shard.is_unordered()
        {
            distinct.add(self.kind.rules(), shard);
        }
    }

    fn split(&self, kind: &Kind, budget: &IdBudget, log: &mut dyn Log) {
        self.split_and(kind, budget, log, |shard| self.count_values(shard));
    }

    /// Splits a small board, and passes each shard to `count`. Has no effect if it is not, or no longer, so large that
    /// it needs its shards.
    fn split_and(&self, kind: &Kind, budget: &IdBudget, log: &mut dyn Log, count: impl Fn(&Shard)) {
        let mut body = self.body.write();
        if let Body::Whole(whole) = &mut *body
            && whole.get_mut().is_large()
        {
            log.record(Event::BoardSplit {
                incarnation: self.incarnation,
            });
            let shards = std::mem::take(whole.get_mut()).split(kind, self.shards, budget);
            shards.iter().for_each(count);
            *body = Body::Split(shards.into_iter().map(RwLock::new).collect());
        }
    }
}

#[cfg(test)]
impl Cell {
    /// Blocks `close` like a reader does.
    pub fn hold(&self) -> impl Sized + '_ {
        self.body.read()
    }

    /// Returns whether a thread is waiting for the readers.
    pub fn is_awaited(&self) -> bool {
        self.body.try_read().is_none()
    }
}

/// A board as the registry returns it.
pub type SharedCell = Arc<Cell>;
