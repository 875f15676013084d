//! The sweep: drops expired data, board by board, without blocking writers. While the clock has
//! jumped, and for a while after a start, it only counts, and withdraws unused creations.

use std::task::Poll;
use std::time::Duration;

use board::{Incarnation, Kind, Timestamp};

use crate::clock::{is_far_ahead, uptime};
use crate::files::record::{BOARD_BYTES_MAX, sweep_bytes_max};
use crate::metrics::Census;
use crate::store::{LocalStore, random};
use engine::SharedCell;
use shard_store::{BoardRecord, ShardStore as _, StoreError};

/// Boards that the sweep visits before it yields.
const SWEEP_BOARDS: usize = 256;

const NOT_YET: &str = "nothing is dropped for a while after a start, or a jump of the clock";

impl LocalStore {
    pub(super) async fn sweep(&self, now: Timestamp) -> Result<(), StoreError> {
        let added_before = self.registry.memory.added();
        let clock = self.clock.as_ref();
        let may_drop = clock.is_none_or(|clock| clock.may_drop(uptime()));
        let trusted_until = clock.and_then(|clock| clock.trusted_until(uptime()));
        self.registry
            .ids
            .limit_trust(trusted_until.filter(|_| !may_drop));
        let mut last_write: Option<Timestamp> = None;
        let mut census = Census::default();
        let mut of_shards = Vec::new();
        let mut dedupe_max = Duration::ZERO;
        // After the first error nothing more is dropped, but everything is still counted.
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
        self.held.update(&census);
        self.held.update_ids(ids, dedupe_max);
        let memory = &self.registry.memory;
        let weight = census.weight(ids.used_bytes) + self.registry.profiles_weight();
        memory.report_weight(weight, added_before);
        self.note_for_restart(last_write, now, may_drop);
        swept
    }

    /// Sweeps one board whose time is over.
    pub(super) async fn sweep_over(
        &self,
        board: &BoardRecord,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.check_time()?;
        let clock = self.clock.as_ref();
        if !clock.is_none_or(|clock| clock.may_drop(uptime())) {
            return Err(StoreError::Unavailable(NOT_YET.to_owned()));
        }
        let Ok(cell) = self.registry.cell(board.incarnation) else {
            return Ok(());
        };
        let kinds = self.registry.kinds().into_iter();
        let mut kinds = kinds.filter_map(|record| record.kind);
        match kinds.find(|kind| kind.name() == board.name.kind()) {
            Some(kind) if cell.is_over(&kind, now) => self.sweep_board(&cell, &kind, now).await,
            _ => Ok(()),
        }
    }

    /// Makes the next start wait for its clock, or not.
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

    /// Measures the memory use of the contents.
    pub(super) fn weigh(&self) {
        let mut census = Census::default();
        let mut of_shards = Vec::new();
        for cell in self.registry.all_cells() {
            cell.holdings(&mut of_shards);
            census.count(&of_shards);
        }
        let weight =
            census.weight(self.registry.ids.used_bytes()) + self.registry.profiles_weight();
        self.registry.memory.report_weight(weight, 0);
    }

    /// Withdraws an unused board. Works with any clock: settings keep their date, and contributions
    /// in flight create the next incarnation.
    async fn withdraw_abandoned(
        &self,
        cell: &SharedCell,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        if cell.is_abandoned(now) {
            let mut records = self.persistence.reserve(|| BOARD_BYTES_MAX).await?;
            let next = Incarnation(random()?);
            self.registry
                .withdraw_abandoned(cell, next, now, &mut records);
        }
        Ok(())
    }

    async fn sweep_board(
        &self,
        cell: &SharedCell,
        kind: &Kind,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        if cell.is_over(kind, now) {
            let mut records = self.persistence.reserve(|| BOARD_BYTES_MAX).await?;
            let next = Incarnation(random()?);
            self.registry
                .end_over(cell, next, now, &mut records, |closed| {
                    closed.is_over(kind, now)
                });
            return Ok(());
        }
        cell.age_ids(kind, now, &self.registry.ids);
        let gone = cell.expired(kind, now);
        if gone.is_empty() && cell.is_in_use(kind, now) {
            return Ok(());
        }
        let room = || sweep_bytes_max(cell.record().shards, gone.len()) + BOARD_BYTES_MAX;
        let mut records = self.persistence.reserve(room).await?;
        if cell.expire(kind, &gone, now, &mut records) {
            let next = Incarnation(random()?);
            self.registry
                .drop_if_empty(cell, kind, next, now, &mut records);
        }
        // No caller waits for it: what is not persisted is dropped again.
        Ok(())
    }
}

async fn let_others_run() {
    let waker = std::future::poll_fn(|context| Poll::Ready(context.waker().clone())).await;
    waker.wake();
    futures::pending!();
}
