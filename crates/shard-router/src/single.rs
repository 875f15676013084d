//! [`Router::write_single`]: one contribution of its own, to a board that is cached.
//!
//! It does what [`Router::write`] does for a batch of one, without its collections: admits the contribution, and
//! makes one call to one shard. Whatever else may be necessary is left to `write`, by `None`: nothing was applied then.

use std::future::ready;
use std::slice;
use std::sync::Arc;

use board::{Admission, BoardName};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use shard_store::{Batch, Deadline, Item, ItemFailure, StoreError};
use tracing::Instrument as _;

use crate::batch::{BatchItem, Contribution, ItemOrigin};
use crate::boards::KnownBoard;
use crate::catalogue::KnownKind;
use crate::moment::Moment;
use crate::router::Router;
use crate::send::apply_span;
use crate::shard_batch::identified;
use crate::write::WriteOutcome;

/// A contribution that is ready to be applied.
struct Single<'a> {
    origin: ItemOrigin,
    record: Arc<KnownBoard>,
    item: Item,
    until: Option<Deadline<'a>>,
}

impl Router {
    /// Applies a contribution to a board. Standings are not returned. `None`: nothing was applied, and the contribution
    /// has to be written by [`write`](Self::write), which creates boards, notifies watchers and repeats calls.
    pub fn write_single<'a>(
        &'a self,
        board: &BoardName,
        kind: &'a KnownKind,
        contribution: Contribution,
        moment: &'a Moment,
    ) -> BoxFuture<'a, Option<WriteOutcome>> {
        // Boxed without what only this part needs.
        match self.admitted(board, kind, contribution, moment) {
            Some(single) => self.apply(kind, single, moment).boxed(),
            None => ready(None).boxed(),
        }
    }

    /// Finds the board, and admits the contribution to its windows.
    fn admitted<'a>(
        &self,
        board: &BoardName,
        kind: &KnownKind,
        contribution: Contribution,
        moment: &'a Moment,
    ) -> Option<Single<'a>> {
        let is_watched = self.watcher().is_some() && kind.kind.publication().is_some();
        if is_watched || contribution.only.is_some() || self.store().check_time().is_err() {
            return None;
        }
        let record = self.boards().cached(board, &kind.kind, moment.now)?;
        let item = BatchItem::new(0, kind, contribution);
        if !record.activity.admits_all() || item.is_removal() {
            return None;
        }
        let BatchItem { origin, mut item } = item;
        let mut admission = Admission::default();
        item.windows = admission.admit(&kind.kind, origin.at, moment.now).ok()?;
        let closes_at = admission.closes_at();
        Some(Single {
            item: identified(&record, &origin, item),
            origin,
            record,
            until: closes_at.and_then(|at| moment.deadline(at)),
        })
    }

    async fn apply(
        &self,
        kind: &KnownKind,
        single: Single<'_>,
        moment: &Moment,
    ) -> Option<WriteOutcome> {
        let Single {
            origin,
            record,
            item,
            until,
        } = &single;
        let batch = Batch {
            kind: &kind.kind,
            now: moment.now,
            report: false,
            until: *until,
            waits_until: moment.waits_until,
            items: slice::from_ref(item),
        };
        self.metrics().boards.observe_count(1);
        self.metrics().batches.observe_count(1);
        let shard = record.shards.shard_of(item.hash);
        let span = apply_span(record, shard, 1);
        let applied = self.store().apply(record, shard, batch).instrument(span);
        match applied.await {
            Ok(mut outcomes) => Some(outcomes.pop().map_or_else(
                || {
                    let why = "the store has returned no outcome".to_owned();
                    WriteOutcome::Failed(ItemFailure::Unknown(why))
                },
                |outcome| {
                    let outcome = WriteOutcome::of(outcome, origin, item, &kind.kind);
                    if outcome.is_applied() {
                        record.rate.count(1, moment.now);
                    }
                    outcome
                },
            )),
            // In these cases the whole batch was not applied, and more than this call is necessary.
            Err(
                StoreError::IncarnationEnded
                | StoreError::SettingsChanged
                | StoreError::DeadlinePassed
                | StoreError::WindowDropped
                | StoreError::StaleKind,
            ) => None,
            Err(StoreError::Unavailable(_))
                if moment.wait(&**self.store()).may_try_again().await =>
            {
                None
            }
            Err(StoreError::Overloaded(overload)) => {
                Some(WriteOutcome::Failed(ItemFailure::Overloaded(overload)))
            }
            Err(StoreError::Unavailable(why)) => {
                Some(WriteOutcome::Failed(ItemFailure::Unavailable(why)))
            }
            Err(StoreError::Unknown(why)) => Some(WriteOutcome::Failed(ItemFailure::Unknown(why))),
        }
    }
}
