//! [`Sending`]: sends the batch of one board to its shards.
//!
//! The board's record has the shard count; the top bits of a member's hash select its shard
//! ([`ShardCount::shard_of`](board::ShardCount::shard_of)). A shard gets all items of a request in
//! one batch, so that those of one member stay in order. A batch that meets a deleted incarnation
//! of the board is sent to the next one: nothing of it was applied.
//!
//! A board may have an [`Activity`], set before the board is created and fixed in its record. A
//! write outside of it is rejected here, by the record of the incarnation that the batch goes to.
//! Until the board is created, any server may change its settings. So a store creates a board whose
//! settings have bounds only for a caller that has seen these settings (`seen` of
//! [`ShardStore::create_board`]), and returns them to any other.
//!
//! A batch has a deadline, [`Batch::until`]: the first closing of its windows, or the end of the
//! board. The store checks it in the atomic step in which it applies the batch. A batch that misses
//! it is admitted again, by the current time. So nothing is applied after a read that reports a
//! window as final. Every other error is the outcome of its items; [`ItemFailure`] says whether to send
//! those again.
//!
//! **Invariant:** a contribution that would be rejected never creates a board. What the rules
//! reject on an empty board is rejected before the board is created. A board that was created for
//! contributions that only the store could reject is withdrawn ([`ShardStore::withdraw`]). If the
//! withdrawal fails, as under overload, the board stays, without standings, until the next sweep
//! after a minute: it is not retried, which would be more work for an overloaded store.

use std::sync::Arc;

use board::{Activity, ActivityRejection, BoardName, OutOfRange, Rules, Timestamp};
use futures::FutureExt;
use futures::stream::{self, StreamExt};
use shard_store::{
    Batch, BoardRecord, Change, CreateBoardError, Deadline, ItemFailure, ItemRejected, Outcome,
    ShardStore, StoreError,
};
use tracing::Instrument as _;

use crate::batch::{BatchItem, BoardBatch, KindPart};
use crate::boards::Boards;
use crate::catalogue::{Catalogue, KnownKind};
use crate::metrics::Metrics;
use crate::moment::Moment;
use crate::plan::admit_again;
use crate::shard_batch::{ShardBatch, batches};
use crate::trace_target::TRACE_TARGET;
use crate::write::WriteOutcome;

/// Attempts of one request at a board whose incarnations end, or whose windows close.
const TRIES_MAX: usize = 8;

/// Attempts at the creation of a board whose kind or settings keep changing.
const CREATE_TRIES_MAX: usize = 4;

/// What exists under a board's name.
enum BoardLookup {
    /// A board, whose record is valid as long as its incarnation exists.
    Created(Arc<BoardRecord>),
    /// A board whose record was not cached: it may have been created just now.
    PerhapsNew(Arc<BoardRecord>),
    /// No board, and nothing to create it for; the activity in its settings.
    Uncreated(Activity),
}

/// Whether the activity of a board is enforced.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gate {
    Kept,
    Open,
}

/// What is needed to send the items of one request.
pub(crate) struct Sending<'a> {
    pub(crate) store: &'a dyn ShardStore,
    pub(crate) catalogue: &'a Catalogue,
    pub(crate) boards: &'a Boards,
    /// When the request arrived.
    pub(crate) moment: Moment,
    pub(crate) report: bool,
    pub(crate) gate: Gate,
    pub(crate) metrics: &'a Metrics,
}

/// The items of a board that have no outcome yet.
struct Left {
    /// In order.
    items: Vec<BatchItem>,
    /// When the first of their windows closes.
    closes_at: Option<Timestamp>,
    /// The moment by which they are admitted.
    moment: Moment,
    written: Vec<(usize, WriteOutcome)>,
}

impl Left {
    fn end(mut self, outcome: impl Fn(&BatchItem) -> WriteOutcome) -> Vec<(usize, WriteOutcome)> {
        let ended = self.items.iter();
        let ended = ended.map(|item| (item.origin.index, outcome(item)));
        self.written.extend(ended);
        self.written
    }

    fn fail(self, failure: &ItemFailure) -> Vec<(usize, WriteOutcome)> {
        self.end(|_| WriteOutcome::Failed(failure.clone()))
    }

    /// Admits what has missed a deadline again, by the current time.
    fn admit_again(&mut self, kind: &KnownKind) {
        self.moment = self.moment.later();
        let (closes_at, refused) = admit_again(&mut self.items, &kind.kind, self.moment.now);
        self.closes_at = closes_at;
        let refused = refused.into_iter();
        let refused = refused.map(|(index, reason)| (index, WriteOutcome::Rejected(reason)));
        self.written.extend(refused);
    }
}

/// Why a batch has no outcomes. Nothing of it was applied.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Missed {
    /// The incarnation has ended.
    IncarnationEnded,
    /// Its deadline had passed.
    DeadlinePassed,
}

impl Sending<'_> {
    /// Applies the batch of one board and returns an outcome for each index. Parts are sent one
    /// after the other, so that the items of one member stay in order.
    pub(crate) async fn send(&self, batch: BoardBatch) -> Vec<(usize, WriteOutcome)> {
        let BoardBatch { name, parts } = batch;
        let mut written = Vec::new();
        for part in parts {
            written.extend(self.send_part(&name, part).await);
        }
        written
    }

    async fn send_part(&self, name: &BoardName, part: KindPart) -> Vec<(usize, WriteOutcome)> {
        let KindPart {
            kind,
            items,
            closes_at,
        } = part;
        let mut left = Left {
            written: Vec::with_capacity(items.len()),
            items,
            closes_at,
            moment: self.moment.clone(),
        };
        for _ in 0..TRIES_MAX {
            let (record, perhaps_new) = match self.record_for(name, &kind, &left).await {
                Ok(BoardLookup::Created(record)) => (record, false),
                Ok(BoardLookup::PerhapsNew(record)) => (record, true),
                Ok(BoardLookup::Uncreated(activity)) => {
                    self.refuse_outside(&activity, &mut left);
                    return left.end(|item| refused_on_nothing(item, kind.kind.rules()));
                }
                Err(failure) => return left.fail(&failure),
            };
            if self.refuses_any(&record.activity, &left) {
                // A cached record may be of a board that has ended.
                let is_current = perhaps_new
                    || match self.boards.is_current(&record).await {
                        Ok(is_current) => is_current,
                        Err(error) => {
                            let failure = error.of_unsent();
                            let failed = |_| WriteOutcome::Failed(failure.clone());
                            self.end_outside(&record.activity, &mut left, failed);
                            true
                        }
                    };
                if !is_current {
                    continue;
                }
                self.refuse_outside(&record.activity, &mut left);
            }
            if left.items.is_empty() {
                return left.written;
            }
            let before = left.written.len();
            let (any_dead, any_late) = self.send_to(&record, &kind, &mut left).await;
            if any_dead {
                self.boards.forget(&record);
            } else if perhaps_new && left.written[before..].iter().all(|(_, it)| is_nothing(it)) {
                self.withdraw(&record).await;
            }
            if left.items.is_empty() {
                return left.written;
            }
            if any_late {
                left.admit_again(&kind);
            }
            if left.items.is_empty() {
                return left.written;
            }
        }
        let why = format!(
            "board {name} was deleted or closed repeatedly during the request: send it again"
        );
        left.fail(&ItemFailure::Unavailable(why))
    }

    /// Sends everything that is left to one incarnation of the board. What met its end, or was
    /// late, is left again; returns whether there is any of the one and of the other.
    async fn send_to(
        &self,
        record: &BoardRecord,
        kind: &KnownKind,
        left: &mut Left,
    ) -> (bool, bool) {
        let Left {
            items,
            closes_at,
            moment,
            written,
        } = left;
        let until = self.until(&record.activity, *closes_at, moment);
        let calls = batches(record, std::mem::take(items)).into_iter();
        let calls = calls.map(|batch| self.call(record, kind, batch, moment.now, until).boxed());
        let mut calls = stream::iter(calls.collect::<Vec<_>>())
            .buffer_unordered(self.store.concurrent_applies_max());
        let (mut any_dead, mut any_late) = (false, false);
        while let Some((batch, result)) = calls.next().await {
            match result {
                Ok(outcomes) => {
                    let indexes = batch.origins.iter().map(|origin| origin.index);
                    written.extend(indexes.zip(outcomes));
                }
                Err(missed) => {
                    any_dead |= missed == Missed::IncarnationEnded;
                    any_late |= missed == Missed::DeadlinePassed;
                    items.extend(batch.into_items());
                }
            }
        }
        // Each shard has returned its own in order.
        items.sort_unstable_by_key(|item| item.origin.index);
        (any_dead, any_late)
    }

    /// Withdraws the creation of a board to which nothing was applied.
    async fn withdraw(&self, record: &BoardRecord) {
        self.boards.forget(record);
        if let Err(error) = self.store.withdraw(record).await {
            // The sweep deletes it.
            tracing::debug!(board = %record.name, %error, "an empty board could not be withdrawn");
        }
    }

    /// Returns whether any item is outside of the board's activity.
    fn refuses_any(&self, activity: &Activity, left: &Left) -> bool {
        if activity.is_always() || self.gate == Gate::Open {
            return false;
        }
        let mut times = left.items.iter().map(|item| item.origin.at);
        times.any(|at| activity.admit(at, left.moment.now).is_err())
    }

    /// Rejects items outside of the board's activity.
    fn refuse_outside(&self, activity: &Activity, left: &mut Left) {
        self.end_outside(activity, left, |not_open| {
            WriteOutcome::Rejected(not_open.into())
        });
    }

    fn end_outside(
        &self,
        activity: &Activity,
        left: &mut Left,
        mut end: impl FnMut(ActivityRejection) -> WriteOutcome,
    ) {
        if activity.is_always() || self.gate == Gate::Open {
            return;
        }
        let Left {
            items,
            moment,
            written,
            ..
        } = left;
        items.retain(|item| match activity.admit(item.origin.at, moment.now) {
            Ok(()) => true,
            Err(not_open) => {
                written.push((item.origin.index, end(not_open)));
                false
            }
        });
    }

    /// Returns from when on the batch must not be applied.
    fn until<'m>(
        &self,
        activity: &Activity,
        closes_at: Option<Timestamp>,
        moment: &'m Moment,
    ) -> Option<Deadline<'m>> {
        let ends_at = activity.ends_at().filter(|_| self.gate == Gate::Kept);
        let first = ends_at.into_iter().chain(closes_at).min()?;
        moment.deadline(first)
    }

    /// Returns the board's record. Removals do not create a board, nor do writes outside of its
    /// activity, nor those that the rules reject without a standing.
    async fn record_for(
        &self,
        name: &BoardName,
        kind: &KnownKind,
        left: &Left,
    ) -> Result<BoardLookup, ItemFailure> {
        let now = left.moment.now;
        let would_create = |activity: &Activity| {
            let rules = kind.kind.rules();
            let mut items = left.items.iter();
            items.any(|item| activity.admit(item.origin.at, now).is_ok() && creates(item, rules))
        };
        if let Some(record) = self.boards.cached(name, &kind.kind, now) {
            return Ok(BoardLookup::Created(record));
        }
        if !would_create(&Activity::ALWAYS) {
            return match self.boards.found_of(name, &kind.kind, now).await {
                Ok(Some(record)) if record.created => Ok(BoardLookup::Created(record)),
                Ok(uncreated) => Ok(BoardLookup::Uncreated(
                    uncreated.map_or(Activity::ALWAYS, |record| record.activity),
                )),
                Err(StoreError::StaleKind) => Err(self.changed(name).await),
                Err(error) => Err(error.of_unsent()),
            };
        }
        let mut known = kind.clone();
        let mut seen = None;
        for _ in 0..CREATE_TRIES_MAX {
            match self.boards.created_now(name, &known, seen, now).await {
                Ok(record) => return Ok(BoardLookup::PerhapsNew(record)),
                Err(CreateBoardError::SettingsUnseen(uncreated))
                    if would_create(&uncreated.activity) =>
                {
                    seen = Some(uncreated.incarnation);
                }
                Err(CreateBoardError::SettingsUnseen(uncreated)) => {
                    return Ok(BoardLookup::Uncreated(uncreated.activity));
                }
                // If the creation happened nevertheless, the next write finds the board: nothing of
                // this contribution was sent.
                Err(CreateBoardError::Store(error)) => return Err(error.of_unsent()),
                Err(CreateBoardError::StaleKind) => match self.still_meant(kind).await {
                    Some(current) => known = current,
                    None => return Err(has_changed(name)),
                },
            }
        }
        let why = format!("the kind or the settings of board {name} keep changing: send it again");
        Err(ItemFailure::Unavailable(why))
    }

    /// Returns the failure of writes read under a kind that was replaced. The new one is in the
    /// catalogue before they are sent again.
    async fn changed(&self, name: &BoardName) -> ItemFailure {
        match self.catalogue.refresh().await {
            Ok(()) => has_changed(name),
            Err(error) => error.of_unsent(),
        }
    }

    /// Returns the current version of a kind, if it has the same meaning. Otherwise the write has
    /// to be read again, and the new kind is in the catalogue before it is sent again.
    async fn still_meant(&self, read_by: &KnownKind) -> Option<KnownKind> {
        self.catalogue.refresh().await.ok()?;
        let current = self.catalogue.known(read_by.kind.name().as_str())?;
        let same = current.kind.rules() == read_by.kind.rules()
            && current.kind.windows() == read_by.kind.windows()
            && current.kind.calendar() == read_by.kind.calendar();
        same.then_some(current)
    }

    /// Makes one call to a shard.
    async fn call(
        &self,
        record: &BoardRecord,
        kind: &KnownKind,
        batch: ShardBatch,
        now: Timestamp,
        until: Option<Deadline<'_>>,
    ) -> (ShardBatch, Result<Vec<WriteOutcome>, Missed>) {
        let ShardBatch { shard, items, .. } = &batch;
        let shard = *shard;
        let call = Batch {
            kind: &kind.kind,
            now,
            report: self.report,
            until,
            items,
        };
        self.metrics.batches.observe_count(items.len());
        let all = |failure: ItemFailure| vec![WriteOutcome::Failed(failure); items.len()];
        let span = tracing::trace_span!(
            target: TRACE_TARGET,
            "apply",
            megaboard.board = %record.name,
            megaboard.shard = i64::from(shard),
            megaboard.contributions = i64::try_from(items.len()).unwrap_or(i64::MAX),
        );
        let applied = self.store.apply(record, shard, call).instrument(span);
        let result = match applied.await {
            Ok(outcomes) => Ok(outcomes.into_iter().map(WriteOutcome::from).collect()),
            Err(StoreError::IncarnationEnded) => {
                self.metrics.met_dead.inc();
                Err(Missed::IncarnationEnded)
            }
            Err(StoreError::DeadlinePassed) => Err(Missed::DeadlinePassed),
            Err(error @ StoreError::WindowDropped) => {
                Ok(all(ItemFailure::Unavailable(error.to_string())))
            }
            Err(StoreError::StaleKind) => Ok(all(self.changed(&record.name).await)),
            Err(StoreError::Overloaded(overload)) => Ok(all(ItemFailure::Overloaded(overload))),
            Err(StoreError::Unavailable(why)) => Ok(all(ItemFailure::Unavailable(why))),
            Err(StoreError::Unknown(why)) => Ok(all(ItemFailure::Unknown(why))),
        };
        (batch, result)
    }
}

fn has_changed(name: &BoardName) -> ItemFailure {
    let kind = name.kind();
    ItemFailure::Unavailable(format!("kind {kind} has just changed: send it again"))
}

/// Returns whether the item, alone on a board without standings, would create a standing.
fn creates(item: &BatchItem, rules: &Rules) -> bool {
    !item.is_removal() && on_nothing(item, rules).is_ok()
}

/// Checks an item of a member without a standing by the rules.
fn on_nothing(item: &BatchItem, rules: &Rules) -> Result<(), OutOfRange> {
    match &item.item.change {
        Change::Fold(values) => rules.fold(None, values, item.item.at).map(drop),
        Change::Set(_) | Change::Remove => Ok(()),
    }
}

/// Returns the outcome of an item without effect where there is no board.
fn refused_on_nothing(item: &BatchItem, rules: &Rules) -> WriteOutcome {
    let refused = match on_nothing(item, rules) {
        Err(out_of_range) => ItemRejected::from(out_of_range),
        Ok(()) => ItemRejected::NotRanked(item.item.member.clone()),
    };
    WriteOutcome::Rejected(refused.into())
}

/// Returns whether an item definitely changed nothing.
fn is_nothing(written: &WriteOutcome) -> bool {
    match written {
        WriteOutcome::Rejected(_)
        | WriteOutcome::Failed(ItemFailure::Overloaded(_) | ItemFailure::Unavailable(_)) => true,
        WriteOutcome::Applied(_)
        | WriteOutcome::Duplicate(_)
        | WriteOutcome::Failed(ItemFailure::Unknown(_)) => false,
    }
}

impl From<Outcome> for WriteOutcome {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Applied(standings) => Self::Applied(standings),
            Outcome::Duplicate(standings) => Self::Duplicate(standings),
            Outcome::Rejected(refused) => Self::Rejected(refused.into()),
            Outcome::Failed(failure) => Self::Failed(failure),
        }
    }
}
