//! The contract over Redis or Valkey, thin: what each call does is in the parts.

use std::sync::Arc;

use board::{BoardName, Kind, KindName, ShardCount, Subject, Timestamp};
use futures::FutureExt;
use futures::future::{BoxFuture, ready};

use super::apply::Applier;
use super::lives::Lives;
use super::read::Reader;
use super::registry::Registry;
use super::servers::{OpenError, Servers};
use super::session::Session;
use super::settings::RedisSettings;
use super::sweep::Sweep;
use super::url::RedisUrl;
use super::verify::Verifier;
use crate::contract::{
    Batch, BirthError, BoardRecord, BuryError, Disagreement, KindRecord, KindWriteError, Outcome,
    Query, Reading, Revision, SettleError, ShardStore, StoreError, WindowCount,
};

/// Boards in Redis or Valkey: one server, a cluster, several independent servers, or what sentinels
/// watch.
#[derive(Debug)]
pub struct RedisStore {
    servers: Arc<Servers>,
    registry: Arc<Registry>,
    applier: Applier,
    reader: Arc<Reader>,
    verifier: Verifier,
    sweep: Sweep,
}

impl RedisStore {
    /// Connects, and looks whether the servers are what they should be.
    pub async fn open(url: &RedisUrl, settings: &RedisSettings) -> Result<Self, OpenError> {
        let session = Session::new().map_err(|error| OpenError::Setting(error.to_string()))?;
        let session = Arc::new(session);
        let servers = Arc::new(Servers::open(url, settings).await?);
        let (of, by) = (|| servers.clone(), || session.clone());
        let registry = Arc::new(Registry::new(of(), by(), settings));
        let lives = Arc::new(Lives::new(of(), by(), registry.clone(), settings));
        let reader = Arc::new(Reader::new(of(), lives.clone(), registry.clone(), settings));
        Ok(Self {
            applier: Applier::new(of(), by(), lives.clone(), registry.clone(), settings),
            verifier: Verifier::new(
                reader.clone(),
                of(),
                by(),
                lives.clone(),
                registry.clone(),
                settings,
            ),
            sweep: Sweep::new(of(), by(), registry.clone(), lives, settings),
            reader,
            registry,
            servers,
        })
    }
}

impl ShardStore for RedisStore {
    fn name(&self) -> &'static str {
        "redis"
    }

    fn kinds(&self) -> BoxFuture<'_, Result<Vec<KindRecord>, StoreError>> {
        self.registry.kinds().boxed()
    }

    fn put_kind(
        &self,
        kind: Arc<Kind>,
        expected: Revision,
        only_without_boards: bool,
    ) -> BoxFuture<'_, Result<KindRecord, KindWriteError>> {
        let put = self.registry.put_kind(kind, expected, only_without_boards);
        put.boxed()
    }

    fn delete_kind<'a>(
        &'a self,
        name: &'a KindName,
        expected: Revision,
    ) -> BoxFuture<'a, Result<(), KindWriteError>> {
        self.registry.delete_kind(name, expected).boxed()
    }

    fn board<'a>(
        &'a self,
        name: &'a BoardName,
    ) -> BoxFuture<'a, Result<Option<BoardRecord>, StoreError>> {
        let found = self.registry.board(name);
        found
            .map(|found| Ok(found?.map(|record| record.spread.board)))
            .boxed()
    }

    fn boards<'a>(
        &'a self,
        kind: &'a KindName,
        after: Option<&'a Subject>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<BoardRecord>, StoreError>> {
        self.registry.boards(kind, after, limit).boxed()
    }

    fn birth<'a>(
        &'a self,
        name: &'a BoardName,
        kind: &'a KindRecord,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<BoardRecord, BirthError>> {
        let born = self.registry.birth(name, kind, now);
        born.map(|born| Ok(born?.spread.board)).boxed()
    }

    fn settle<'a>(
        &'a self,
        name: &'a BoardName,
        kind: &'a KindRecord,
        shards: ShardCount,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<BoardRecord, SettleError>> {
        let settled = self.registry.settle(name, kind, shards, now);
        settled.map(|settled| Ok(settled?.spread.board)).boxed()
    }

    fn bury<'a>(
        &'a self,
        name: &'a BoardName,
        _until: Timestamp,
    ) -> BoxFuture<'a, Result<(), BuryError>> {
        // A life that is in no record is dead, for good.
        self.sweep.bury(name).boxed()
    }

    fn apply<'a>(
        &'a self,
        board: &'a BoardRecord,
        shard: u16,
        batch: Batch<'a>,
    ) -> BoxFuture<'a, Result<Vec<Outcome>, StoreError>> {
        self.applier.apply(board, shard, batch).boxed()
    }

    fn read<'a>(
        &'a self,
        board: &'a BoardRecord,
        shard: u16,
        query: &'a Query,
    ) -> BoxFuture<'a, Result<Reading, StoreError>> {
        self.reader.read(board, shard, query).boxed()
    }

    fn windows<'a>(
        &'a self,
        board: &'a BoardRecord,
        shard: u16,
    ) -> BoxFuture<'a, Result<Vec<WindowCount>, StoreError>> {
        self.reader.windows(board, shard).boxed()
    }

    fn expire(&self, now: Timestamp) -> BoxFuture<'_, Result<(), StoreError>> {
        self.sweep.expire(now).boxed()
    }

    fn ready(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        let served = self.servers.ready().map_err(StoreError::Unavailable);
        ready(served).boxed()
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
