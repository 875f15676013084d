//! The store that keeps everything in this process and nothing on disk.
//!
//! [`MemoryStore`] is the engine behind the contract: every call is a short, synchronous look under
//! a lock, ready at once. It is also what tests use: there is no mock.

use std::sync::Arc;
use std::task::Poll;

use board::{BoardName, Incarnation, Kind, KindName, ShardCount, Subject, Timestamp};
use futures::FutureExt;
use futures::future::{BoxFuture, ready};

use crate::contract::{
    Batch, BirthError, BoardRecord, BuryError, Disagreement, KindRecord, KindWriteError, Outcome,
    Query, Reading, Revision, SettleError, ShardStore, StoreError, WindowCount,
};
use crate::engine::Registry;

/// Bytes that remembered ids may take without another setting.
pub const REMEMBERED_ID_BYTES_MAX: usize = 2 << 30;

/// Boards that the sweep looks through before it lets others run.
const SWEEP_BOARDS: usize = 256;

/// Everything in this process, nothing on disk.
#[derive(Debug)]
pub struct MemoryStore {
    registry: Registry,
    epoch: u64,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Result<Self, StoreError> {
        Self::with_id_bytes(REMEMBERED_ID_BYTES_MAX)
    }

    /// An empty store whose remembered ids may take so many bytes.
    pub fn with_id_bytes(id_bytes_max: usize) -> Result<Self, StoreError> {
        // What was here before is lost, which is what an epoch tells.
        Ok(Self {
            registry: Registry::new(id_bytes_max),
            epoch: random()?,
        })
    }

    async fn sweep(&self, now: Timestamp) {
        for kind in self
            .registry
            .kinds()
            .into_iter()
            .filter_map(|record| record.kind)
        {
            let mut after: Option<Subject> = None;
            loop {
                let cells = self
                    .registry
                    .cells_behind(kind.name(), after.as_ref(), SWEEP_BOARDS);
                let Some(last) = cells.last() else { break };
                after = Some(last.name().subject().clone());
                for cell in &cells {
                    if cell.expire(&kind, now, &self.registry.ids) {
                        self.registry.drop_if_empty(cell, &kind, now);
                    }
                }
                let_others_run().await;
            }
        }
    }
}

fn random() -> Result<u64, StoreError> {
    getrandom::u64().map_err(|error| StoreError::Unavailable(format!("no random numbers: {error}")))
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

fn done<'a, T: Send + 'a>(value: T) -> BoxFuture<'a, T> {
    ready(value).boxed()
}

impl ShardStore for MemoryStore {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn kinds(&self) -> BoxFuture<'_, Result<Vec<KindRecord>, StoreError>> {
        done(Ok(self.registry.kinds()))
    }

    fn put_kind(
        &self,
        kind: Arc<Kind>,
        expected: Revision,
        only_without_boards: bool,
    ) -> BoxFuture<'_, Result<KindRecord, KindWriteError>> {
        done(self.registry.put_kind(kind, expected, only_without_boards))
    }

    fn delete_kind<'a>(
        &'a self,
        name: &'a KindName,
        expected: Revision,
    ) -> BoxFuture<'a, Result<(), KindWriteError>> {
        done(self.registry.delete_kind(name, expected))
    }

    fn board<'a>(
        &'a self,
        name: &'a BoardName,
    ) -> BoxFuture<'a, Result<Option<BoardRecord>, StoreError>> {
        done(Ok(self.registry.board(name)))
    }

    fn boards<'a>(
        &'a self,
        kind: &'a KindName,
        after: Option<&'a Subject>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<BoardRecord>, StoreError>> {
        done(Ok(self.registry.boards(kind, after, limit)))
    }

    fn birth<'a>(
        &'a self,
        name: &'a BoardName,
        kind: &'a KindRecord,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<BoardRecord, BirthError>> {
        done(random().map_err(BirthError::from).and_then(|incarnation| {
            self.registry
                .birth(name, kind, Incarnation(incarnation), now)
        }))
    }

    fn settle<'a>(
        &'a self,
        name: &'a BoardName,
        kind: &'a KindRecord,
        shards: ShardCount,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<BoardRecord, SettleError>> {
        done(random().map_err(SettleError::from).and_then(|incarnation| {
            self.registry
                .settle(name, kind, shards, Incarnation(incarnation), now)
        }))
    }

    fn bury<'a>(
        &'a self,
        name: &'a BoardName,
        _until: Timestamp,
    ) -> BoxFuture<'a, Result<(), BuryError>> {
        done(self.registry.bury(name))
    }

    fn apply<'a>(
        &'a self,
        board: &'a BoardRecord,
        shard: u16,
        batch: Batch<'a>,
    ) -> BoxFuture<'a, Result<Vec<Outcome>, StoreError>> {
        let cell = self.registry.cell(board.incarnation);
        done(cell.and_then(|cell| cell.apply(shard, &batch, &self.registry.ids)))
    }

    fn read<'a>(
        &'a self,
        board: &'a BoardRecord,
        shard: u16,
        query: &'a Query,
    ) -> BoxFuture<'a, Result<Reading, StoreError>> {
        let cell = self.registry.cell(board.incarnation);
        done(cell.and_then(|cell| cell.read(self.epoch, shard, query)))
    }

    fn windows<'a>(
        &'a self,
        board: &'a BoardRecord,
        shard: u16,
    ) -> BoxFuture<'a, Result<Vec<WindowCount>, StoreError>> {
        done(
            self.registry
                .cell(board.incarnation)
                .and_then(|cell| cell.windows(shard)),
        )
    }

    fn expire(&self, now: Timestamp) -> BoxFuture<'_, Result<(), StoreError>> {
        self.sweep(now).map(Ok).boxed()
    }

    fn verify<'a>(
        &'a self,
        board: &'a BoardRecord,
        shard: u16,
    ) -> BoxFuture<'a, Result<Vec<Disagreement>, StoreError>> {
        done(
            self.registry
                .cell(board.incarnation)
                .and_then(|cell| cell.verify(shard)),
        )
    }
}
