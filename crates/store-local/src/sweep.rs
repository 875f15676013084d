//! The sweep: drops what is past its time, board by board, and holds up no writer. While the clock has jumped, and for
//! a while after a start, it only counts, and withdraws creations that came to nothing.

use std::task::Poll;
use std::time::Duration;

use board::{Incarnation, Kind, Timestamp};

use crate::clock::{is_far_ahead, uptime};
use crate::metrics::Census;
use crate::record::{BOARD_BYTES_MAX, sweep_bytes_max};
use crate::store::{LocalStore, random};
use engine::Shared;
use shard_store::StoreError;

/// Boards that the sweep looks through before it lets others run.
const SWEEP_BOARDS: usize = 256;

impl LocalStore {
    pub(super) async fn sweep(&self, now: Timestamp) -> Result<(), StoreError> {
        let added_before = self.registry.memory.added();
        let clock = self.clock.as_ref();
        let may_drop = clock.is_none_or(|clock| clock.may_drop(uptime()));
        let trusted_until = clock.and_then(|clock| clock.trusted_until(uptime()));
        self.registry.ids.trust(trusted_until.filter(|_| !may_drop));
        let mut last_write: Option<Timestamp> = None;
        let mut census = Census::default();
        let mut of_shards = Vec::new();
        let mut dedupe_max = Duration::ZERO;
        // The first error ends what is dropped, and nothing else: what is held is counted whole.
        let mut swept = Ok(());
        let kinds = self.registry.kinds().into_iter();
        for kind in kinds.filter_map(|record| record.kind) {
            dedupe_max = dedupe_max.max(kind.dedupe());
            for cells in self.registry.pages(kind.name(), SWEEP_BOARDS) {
                for cell in &cells {
                    cell.holdings(&mut of_shards);
                    census.count(&of_shards);
                    last_write = last_write.max(cell.last_write());
                    if swept.is_ok() {
                        swept = if may_drop {
                            self.sweep_board(cell, &kind, now).await
                        } else {
                            self.withdraw_abandoned(cell, now).await
                        };
                    }
                }
                let_others_run().await;
            }
        }
        let ids = self.registry.ids.used();
        self.held.note(&census);
        self.held.note_ids(ids, dedupe_max);
        let weight = census.weight(ids.used_bytes);
        self.registry.memory.note_weight(weight, added_before);
        self.note_for_restart(last_write, now, may_drop);
        swept
    }

    /// Has the next start wait for its clock, or not.
    fn note_for_restart(&self, last_write: Option<Timestamp>, now: Timestamp, may_drop: bool) {
        let (Some(unconfirmed), Some(clock)) = (&self.unconfirmed, &self.clock) else {
            return;
        };
        if last_write.is_some_and(|last_write| is_far_ahead(last_write, now)) {
            if !clock.trusts_any() {
                unconfirmed.set();
            }
        } else if may_drop {
            unconfirmed.clear();
        }
    }

    /// Weighs what a folder held.
    pub(super) fn weigh(&self) {
        let mut census = Census::default();
        let mut of_shards = Vec::new();
        for cell in self.registry.all_cells() {
            cell.holdings(&mut of_shards);
            census.count(&of_shards);
        }
        let weight = census.weight(self.registry.ids.used_bytes());
        self.registry.memory.note_weight(weight, 0);
    }

    /// By whatever clock: settings keep their date, and what is under way goes to the next incarnation.
    async fn withdraw_abandoned(&self, cell: &Shared, now: Timestamp) -> Result<(), StoreError> {
        if cell.is_abandoned(now) {
            let mut entry = self.keep.room(|| BOARD_BYTES_MAX).await?;
            let next = Incarnation(random()?);
            self.registry
                .withdraw_abandoned(cell, next, now, &mut entry);
        }
        Ok(())
    }

    async fn sweep_board(
        &self,
        cell: &Shared,
        kind: &Kind,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        if cell.activity().has_expired(now) {
            let mut entry = self.keep.room(|| BOARD_BYTES_MAX).await?;
            let next = Incarnation(random()?);
            self.registry.end_expired(cell, next, now, &mut entry);
            return Ok(());
        }
        cell.age_ids(kind, now, &self.registry.ids);
        let gone = cell.expired(kind, now);
        if gone.is_empty() && cell.is_in_use(kind, now) {
            return Ok(());
        }
        let room = || sweep_bytes_max(cell.record().shards, gone.len()) + BOARD_BYTES_MAX;
        let mut entry = self.keep.room(room).await?;
        if cell.expire(kind, &gone, now, &mut entry) {
            let next = Incarnation(random()?);
            self.registry
                .drop_if_empty(cell, kind, next, now, &mut entry);
        }
        // Nobody is answered for it: what is not kept is dropped again.
        Ok(())
    }
}

async fn let_others_run() {
    let mut yielded = false;
    std::future::poll_fn(|context| {
        if std::mem::replace(&mut yielded, true) {
            Poll::Ready(())
        } else {
            context.waker().wake_by_ref();
            Poll::Pending
        }
    })
    .await;
}
