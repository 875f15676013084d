//! [`Sending`]: sends the batch of one board to its shards.
//!
//! The board's record has the shard count; the top bits of a member's hash select its shard
//! ([`ShardCount::shard_of`](board::ShardCount::shard_of)). A shard gets all items of a request in
//! one batch, so that those of one member stay in order. A batch that meets a deleted incarnation
//! of the board is sent to the next one: nothing of it was applied.
//!
//! A board may have an [`Activity`], which is in its record. A write outside of it is rejected here,
//! by the record that the batch goes with (`target_board`). If the activity was changed since, the store
//! rejects the batch, and it is sent again with the new record.
//!
//! A batch has a deadline, [`Batch::until`]: the first closing of its windows, or the end of the
//! board. The store checks it in the atomic step in which it applies the batch. A batch that misses
//! it is admitted again, by the current time. So nothing is applied after a read that reports a
//! window as final. Every other error is the outcome of its items; [`ItemFailure`] says whether to send
//! those again.
//!
//! **Invariant:** a contribution that would be rejected never creates a board. What the rules
//! reject on an empty board is rejected before the board is created (`empty_board`). A board that
//! was created for contributions that only the store could reject is withdrawn
//! ([`ShardStore::withdraw`]). If the withdrawal fails, as under overload, the board stays, without
//! standings, until the next sweep after a minute: it is not retried, which would be more work for
//! an overloaded store.

use board::{Activity, BoardName, Timestamp};
use futures::FutureExt;
use shard_store::{Batch, BoardRecord, Deadline, ItemFailure, Outcome, ShardStore, StoreError};
use tracing::{Instrument as _, Span};

use crate::batch::{BoardBatch, KindPart};
use crate::catalogue::KnownKind;
use crate::concurrently::concurrently;
use crate::empty_board;
use crate::metrics::Metrics;
use crate::moment::Moment;
use crate::outcomes::Outcomes;
use crate::pending::PendingItems;
use crate::shard_batch::{ShardBatch, batches};
use crate::target_board::{BoardFinder, TargetBoard};
use crate::trace_target::TRACE_TARGET;
use crate::watch::{Watch, Watcher};
use crate::write::WriteOutcome;

/// Attempts of one request at a board whose incarnations end, or whose windows close.
const TRIES_MAX: usize = 8;

/// Whether the activity of a board is enforced.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ActivityCheck {
    Enforced,
    /// Only the end of the board: what was final stays.
    End,
    Skipped,
}

/// What is needed to send the items of one request.
pub(crate) struct Sending<'a> {
    pub(crate) store: &'a dyn ShardStore,
    pub(crate) finder: BoardFinder<'a>,
    /// When the request arrived.
    pub(crate) moment: Moment,
    pub(crate) report: bool,
    pub(crate) activity_check: ActivityCheck,
    pub(crate) watcher: Option<&'a dyn Watcher>,
    pub(crate) metrics: &'a Metrics,
}

/// Why a batch has no outcomes. Nothing of it was applied.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Missed {
    /// The record is outdated: the incarnation has ended, or the board's settings were changed.
    RecordOutdated,
    /// Its deadline had passed.
    DeadlinePassed,
}

/// What became of items that were sent to an incarnation.
#[derive(Default)]
struct SentItems {
    /// The number of contributions that were applied.
    contributions: usize,
    may_have_changed_board: bool,
    any_outdated: bool,
    any_late: bool,
}

impl Sending<'_> {
    /// Applies the batch of one board, and returns the outcomes. Parts are sent one after the other, so that the items
    /// of one member stay in order.
    pub(crate) async fn send(&self, batch: BoardBatch) -> Outcomes {
        let watch = Watch::over_writes(self.watcher, &batch);
        let BoardBatch { name, parts } = batch;
        let count = parts.iter().map(|part| part.items.len()).sum();
        let mut outcomes = Outcomes::with_capacity(count);
        for part in parts {
            self.send_part(&name, part, &mut outcomes).await;
        }
        watch.written(&outcomes);
        outcomes
    }

    async fn send_part(&self, name: &BoardName, part: KindPart, outcomes: &mut Outcomes) {
        let KindPart {
            kind,
            items,
            closes_at,
        } = part;
        let mut pending = PendingItems {
            outcomes,
            items,
            closes_at,
            moment: self.moment.clone(),
        };
        for _ in 0..TRIES_MAX {
            let (record, perhaps_new) = match self.target(name, &kind, &pending).await {
                Ok(TargetBoard::Created(record)) => (record, false),
                Ok(TargetBoard::PerhapsNew(record)) => (record, true),
                Ok(TargetBoard::Uncreated(activity)) => {
                    pending.end_outside(&self.enforced(&activity), WriteOutcome::rejected);
                    return pending.end(|item| empty_board::rejection(item, kind.kind.rules()));
                }
                Err(failure) => return pending.fail(&failure),
            };
            let activity = &self.enforced(&record.activity);
            if pending.any_outside(activity) {
                // A cached record may be of a board that has ended.
                let is_current = perhaps_new
                    || match self.finder.boards.is_current(&record).await {
                        Ok(is_current) => is_current,
                        Err(error) => {
                            let failure = error.of_unsent();
                            pending
                                .end_outside(activity, |_| WriteOutcome::Failed(failure.clone()));
                            true
                        }
                    };
                if !is_current {
                    continue;
                }
                pending.end_outside(activity, WriteOutcome::rejected);
            }
            if pending.items.is_empty() {
                return;
            }
            let sent = self.send_to(&record, &kind, &mut pending).await;
            record.rate.count(sent.contributions, pending.moment.now);
            if sent.any_outdated {
                self.finder.boards.forget(&record);
            } else if perhaps_new && !sent.may_have_changed_board {
                self.withdraw(&record).await;
            }
            if sent.any_late {
                pending.admit_again(&kind);
            }
            if pending.items.is_empty() {
                return;
            }
        }
        let why = format!(
            "board {name} was deleted, changed or closed repeatedly during the request: send it again"
        );
        pending.fail(&ItemFailure::Unavailable(why));
    }

    /// Finds or creates the board, as soon as the store is available if the caller waits for it.
    async fn target(
        &self,
        name: &BoardName,
        kind: &KnownKind,
        pending: &PendingItems<'_>,
    ) -> Result<TargetBoard, ItemFailure> {
        let mut wait = self.moment.wait(self.store);
        loop {
            let cached = self
                .finder
                .boards
                .cached(name, &kind.kind, pending.moment.now);
            if let Some(record) = cached {
                return Ok(TargetBoard::Created(record));
            }
            // Boxed: it is large, and the boards of most writes are cached.
            match self.finder.target(name, kind, pending).boxed().await {
                Err(ItemFailure::Unavailable(_)) if wait.may_try_again().await => {}
                target => return target,
            }
        }
    }

    /// Returns the activity that is enforced on a board with this one.
    fn enforced(&self, activity: &Activity) -> Activity {
        match self.activity_check {
            ActivityCheck::Enforced => *activity,
            ActivityCheck::End => activity.without_start(),
            ActivityCheck::Skipped => Activity::ALWAYS,
        }
    }

    /// Sends all pending items to one incarnation of the board. Those whose record was outdated, or
    /// which missed their deadline, are pending again.
    async fn send_to(
        &self,
        record: &BoardRecord,
        kind: &KnownKind,
        pending: &mut PendingItems<'_>,
    ) -> SentItems {
        let PendingItems {
            items,
            closes_at,
            moment,
            outcomes: written,
        } = pending;
        let until = self.until(&record.activity, *closes_at, moment);
        let batches = batches(record, std::mem::take(items));
        let calls_max = self.store.capabilities().concurrent_applies_max();
        let call = |batch| self.call(record, kind, batch, moment.now, until);
        let mut sent = SentItems::default();
        for (batch, result) in concurrently(batches, calls_max, call).await {
            match result {
                Ok(outcomes) => {
                    let from = batch.origins.iter().zip(&batch.items);
                    let outcomes = outcomes.into_iter().zip(from);
                    written.extend(outcomes.map(|(outcome, (origin, item))| {
                        let outcome = WriteOutcome::of(outcome, origin, item, &kind.kind);
                        // Members that are removed, erased, or leave, are no contributions.
                        let is_contribution = outcome.is_applied() && !item.change.is_removal();
                        sent.contributions += usize::from(is_contribution);
                        sent.may_have_changed_board |= outcome.may_have_changed_board();
                        (origin.index, outcome)
                    }));
                }
                // Those of a member are from one shard, and still in order.
                Err(missed) => {
                    sent.any_outdated |= missed == Missed::RecordOutdated;
                    sent.any_late |= missed == Missed::DeadlinePassed;
                    items.extend(batch.into_items());
                }
            }
        }
        sent
    }

    /// Withdraws the creation of a board to which nothing was applied.
    async fn withdraw(&self, record: &BoardRecord) {
        self.finder.boards.forget(record);
        if let Err(error) = self.store.withdraw(record).await {
            // The sweep deletes it.
            tracing::debug!(board = %record.name, %error, "an empty board could not be withdrawn");
        }
    }

    /// Returns from when on the batch must not be applied.
    fn until<'m>(
        &self,
        activity: &Activity,
        closes_at: Option<Timestamp>,
        moment: &'m Moment,
    ) -> Option<Deadline<'m>> {
        let ends_at = self.enforced(activity).ends_at();
        let first = ends_at.into_iter().chain(closes_at).min()?;
        moment.deadline(first)
    }

    /// Makes one call to a shard.
    async fn call(
        &self,
        record: &BoardRecord,
        kind: &KnownKind,
        batch: ShardBatch,
        now: Timestamp,
        until: Option<Deadline<'_>>,
    ) -> (ShardBatch, Result<Vec<Outcome>, Missed>) {
        let ShardBatch { shard, items, .. } = &batch;
        let shard = *shard;
        let mut call = Batch {
            kind: &kind.kind,
            now,
            report: self.report,
            until,
            waits_until: self.moment.waits_until,
            items,
        };
        self.metrics.batches.observe_count(items.len());
        let all = |failure: ItemFailure| vec![Outcome::Failed(failure); items.len()];
        let span = apply_span(record, shard, items.len());
        let applied = async {
            let mut wait = self.moment.wait(self.store);
            loop {
                match self.store.apply(record, shard, call.clone()).await {
                    // Nothing was applied. Ids are remembered from the time at which they are applied.
                    Err(StoreError::Unavailable(_)) if wait.may_try_again().await => {
                        call.now = self.moment.later().now;
                    }
                    applied => return applied,
                }
            }
        };
        let applied = applied.instrument(span);
        let result = match applied.await {
            Ok(outcomes) => Ok(outcomes),
            Err(StoreError::IncarnationEnded) => {
                self.metrics.met_ended.inc();
                Err(Missed::RecordOutdated)
            }
            Err(StoreError::SettingsChanged) => Err(Missed::RecordOutdated),
            Err(StoreError::DeadlinePassed) => Err(Missed::DeadlinePassed),
            Err(error @ StoreError::WindowDropped) => {
                Ok(all(ItemFailure::Unavailable(error.to_string())))
            }
            Err(StoreError::StaleKind) => Ok(all(self.finder.kind_changed(&record.name).await)),
            Err(StoreError::Overloaded(overload)) => Ok(all(ItemFailure::Overloaded(overload))),
            Err(StoreError::Unavailable(why)) => Ok(all(ItemFailure::Unavailable(why))),
            Err(StoreError::Unknown(why)) => Ok(all(ItemFailure::Unknown(why))),
        };
        (batch, result)
    }
}

/// Creates the span of a call to a shard.
fn apply_span(record: &BoardRecord, shard: u16, contributions: usize) -> Span {
    tracing::trace_span!(
        target: TRACE_TARGET,
        "apply",
        megaboard.board = %record.name,
        megaboard.shard = i64::from(shard),
        megaboard.contributions = i64::try_from(contributions).unwrap_or(i64::MAX),
    )
}
