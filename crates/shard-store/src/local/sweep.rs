//! The sweep: drops what is past its time, board by board, and holds up no writer.

use std::task::Poll;

use board::{Kind, Timestamp};

use super::LocalStore;
use crate::contract::StoreError;
use crate::embedded::record::{BOARD_BYTES_MAX, sweep_bytes_max};
use crate::engine::Shared;
use crate::metrics::Census;

/// Boards that the sweep looks through before it lets others run.
const SWEEP_BOARDS: usize = 256;

impl LocalStore {
    pub(super) async fn sweep(&self, now: Timestamp) -> Result<(), StoreError> {
        let mut census = Census::default();
        let mut of_shards = Vec::new();
        let kinds = self.registry.kinds().into_iter();
        for kind in kinds.filter_map(|record| record.kind) {
            for cells in self.registry.pages(kind.name(), SWEEP_BOARDS) {
                for cell in &cells {
                    cell.holdings(&mut of_shards);
                    census.count(&of_shards);
                    self.sweep_board(cell, &kind, now).await?;
                }
                let_others_run().await;
            }
        }
        self.held.note(&census, self.registry.ids.used_bytes());
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
            self.registry.end_expired(cell, &mut entry);
            return Ok(());
        }
        let gone = cell.expired(kind, now);
        let room = || sweep_bytes_max(cell.record().shards, gone.len());
        let mut entry = self.keep.room(room).await?;
        if cell.expire(kind, &gone, now, &self.registry.ids, &mut entry) {
            self.registry.drop_if_empty(cell, kind, now, &mut entry);
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
