//! [`RedisStore`]: the contract, and what keeps it.
//!
//! Nothing is decided here: each call goes to the part that makes it.
//!
//! ```text
//!            Applier     Reader     Verifier     Registry     Sweep     SharedTops
//!                 \         \          |            /          /           /
//!                  Lives: is this life of the board on, and where are its shards
//!                                      |
//!                  Servers: the nodes, and how a call comes to an answer
//! ```

use std::sync::Arc;

use board::{BoardName, Incarnation, Kind, KindName, Subject, Timestamp};
use futures::future::{BoxFuture, ready};
use futures::{FutureExt, TryFutureExt};
use metering::Registry as Metrics;

use super::apply::Applier;
use super::lists::Refills;
use super::lives::Lives;
use super::read::Reader;
use super::registry::{Record, Registry};
use super::servers::{OpenError, Servers};
use super::session::Session;
use super::settings::RedisSettings;
use super::shared::SharedTops;
use super::sweep::Sweep;
use super::url::RedisUrl;
use super::verify::Verifier;
use crate::contract::{
    Batch, BirthError, BoardRecord, BoardSettings, BuryError, Disagreement, KindRecord,
    KindWriteError, Outcome, Query, Reading, Revision, SettleError, ShardStore, SharedBoards,
    StoreError, WindowCount,
};
use crate::metrics::Calls;

/// Boards on Redis or Valkey: one server, several, a cluster, or what Sentinel watches.
#[derive(Debug)]
pub struct RedisStore {
    servers: Arc<Servers>,
    registry: Arc<Registry>,
    applier: Applier,
    reader: Arc<Reader>,
    verifier: Verifier,
    sweep: Sweep,
    shared: SharedTops,
    calls: Arc<Calls>,
}

impl RedisStore {
    /// Connects, and looks whether the servers are fit and are those that they were.
    pub async fn open(url: &RedisUrl, settings: &RedisSettings) -> Result<Self, OpenError> {
        let session = Session::new()
            .map_err(|error| OpenError::Setting(format!("no random numbers: {error}")))?;
        let session = Arc::new(session);
        let servers = Arc::new(Servers::open(url, settings).await?);
        let registry = Registry::new(servers.clone(), session.clone(), settings);
        let registry = Arc::new(registry);
        let lives = Lives::new(servers.clone(), session.clone(), registry.clone(), settings);
        let lives = Arc::new(lives);
        let refills = Refills::new(&servers, &session, &lives, settings);
        let reader = Reader::new(servers.clone(), lives.clone(), registry.clone(), settings);
        let reader = Arc::new(reader);
        let calls = Arc::new(Calls::default());
        Ok(Self {
            applier: Applier::new(
                servers.clone(),
                session.clone(),
                lives.clone(),
                refills.clone(),
                registry.clone(),
                settings,
            ),
            verifier: Verifier::new(
                reader.clone(),
                servers.clone(),
                session.clone(),
                lives.clone(),
                registry.clone(),
                settings,
            ),
            sweep: Sweep::new(
                servers.clone(),
                session.clone(),
                registry.clone(),
                lives.clone(),
                refills,
                settings,
            ),
            shared: SharedTops::new(servers.clone(), session, lives, calls.clone()),
            servers,
            registry,
            reader,
            calls,
        })
    }
}

impl ShardStore for RedisStore {
    fn name(&self) -> &'static str {
        "redis"
    }

    fn kinds(&self) -> BoxFuture<'_, Result<Vec<KindRecord>, StoreError>> {
        self.calls.kinds.time(self.registry.kinds()).boxed()
    }

    fn put_kind(
        &self,
        kind: Arc<Kind>,
        expected: Revision,
        only_without_boards: bool,
    ) -> BoxFuture<'_, Result<KindRecord, KindWriteError>> {
        let call = self.registry.put_kind(kind, expected, only_without_boards);
        self.calls.put_kind.time(call).boxed()
    }

    fn delete_kind<'a>(
        &'a self,
        name: &'a KindName,
        expected: Revision,
    ) -> BoxFuture<'a, Result<(), KindWriteError>> {
        let call = self.registry.delete_kind(name, expected);
        self.calls.delete_kind.time(call).boxed()
    }

    fn board<'a>(
        &'a self,
        name: &'a BoardName,
    ) -> BoxFuture<'a, Result<Option<BoardRecord>, StoreError>> {
        let found = self.registry.board(name);
        let found = found.map_ok(|found| found.map(into_board));
        self.calls.board.time(found).boxed()
    }

    fn boards<'a>(
        &'a self,
        kind: &'a KindName,
        after: Option<&'a Subject>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<BoardRecord>, StoreError>> {
        self.calls
            .boards
            .time(self.registry.boards(kind, after, limit))
            .boxed()
    }

    fn birth<'a>(
        &'a self,
        name: &'a BoardName,
        kind: &'a KindRecord,
        seen: Option<Incarnation>,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<BoardRecord, BirthError>> {
        let born = self.registry.birth(name, kind, seen, now);
        self.calls.birth.time(born.map_ok(into_board)).boxed()
    }

    fn settle<'a>(
        &'a self,
        name: &'a BoardName,
        kind: &'a KindRecord,
        settings: BoardSettings,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<BoardRecord, SettleError>> {
        let settled = self.registry.settle(name, kind, settings, now);
        self.calls.settle.time(settled.map_ok(into_board)).boxed()
    }

    fn bury<'a>(
        &'a self,
        name: &'a BoardName,
        _until: Timestamp,
    ) -> BoxFuture<'a, Result<(), BuryError>> {
        // A life that is in no record is dead, for good.
        self.calls.bury.time(self.sweep.bury(name)).boxed()
    }

    fn apply<'a>(
        &'a self,
        board: &'a BoardRecord,
        shard: u16,
        batch: Batch<'a>,
    ) -> BoxFuture<'a, Result<Vec<Outcome>, StoreError>> {
        self.calls
            .apply
            .time(self.applier.apply(board, shard, batch))
            .boxed()
    }

    fn read<'a>(
        &'a self,
        board: &'a BoardRecord,
        shard: u16,
        query: &'a Query,
    ) -> BoxFuture<'a, Result<Reading, StoreError>> {
        self.calls
            .read
            .time(self.reader.read(board, shard, query))
            .boxed()
    }

    fn windows<'a>(
        &'a self,
        board: &'a BoardRecord,
        shard: u16,
    ) -> BoxFuture<'a, Result<Vec<WindowCount>, StoreError>> {
        self.calls
            .windows
            .time(self.reader.windows(board, shard))
            .boxed()
    }

    fn shared(&self) -> Option<&dyn SharedBoards> {
        self.shared.has_others().then_some(&self.shared)
    }

    fn register_metrics(&self, metrics: &mut Metrics) {
        self.calls.register(metrics);
        self.servers.register_metrics(metrics);
    }

    fn expire(&self, now: Timestamp) -> BoxFuture<'_, Result<(), StoreError>> {
        self.calls.expire.time(self.sweep.expire(now)).boxed()
    }

    fn ready(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        ready(self.servers.ready().map_err(StoreError::Unavailable)).boxed()
    }

    fn close(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        self.shared.close().map(Ok).boxed()
    }

    fn verify<'a>(
        &'a self,
        board: &'a BoardRecord,
        shard: u16,
        repair: bool,
    ) -> BoxFuture<'a, Result<Vec<Disagreement>, StoreError>> {
        self.verifier.verify(board, shard, repair).boxed()
    }
}

fn into_board(record: Record) -> BoardRecord {
    record.spread.board
}
