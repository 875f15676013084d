//! [`RedisStore`]: the contract, and the parts that implement it.
//!
//! Nothing is decided here: each call goes to one of the parts.
//!
//! ```text
//!            Applier     Reader     Verifier     Registry     Sweep     SharedTops     Profiles
//!                 \         \          |            /          /           /            /
//!                  Incarnations: does this incarnation exist, and where are its shards
//!                                      |
//!                  Nodes: the nodes, and how a call gets its reply
//! ```
//!
//! **Invariant:** contributions do not need the registry, except the first one of a board, and
//! occasionally one to a board that may become idle. The registry may be unreachable.

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use board::{
    Activity, BoardName, Incarnation, Kind, KindName, Member, Profile, Subject, Timestamp,
};
use futures::future::{BoxFuture, ready};
use futures::{FutureExt, TryFutureExt};
use metering::Registry as Metrics;
use tokio::time::Instant;

use super::apply::Applier;
use super::lists::Refills;
use super::read::{self, Reader};
use super::verify::Verifier;
use crate::boards::parts::Parts;
use crate::boards::profiles::Profiles;
use crate::boards::shared::SharedTops;
use crate::boards::sweep::Sweep;
use redis_nodes::redis_link::RedisUrl;
use redis_nodes::{OpenError, RedisSettings};
use shard_store::{
    Batch, BoardRecord, BoardSettings, Calls, Capabilities, ChangeActivityError, CreateBoardError,
    Deadline, DeleteBoardError, IndexMismatch, KindRecord, KindWriteError, Memory, Orphan, Outcome,
    ProfileChange, PutSettingsError, RangeAsk, Revision, ShardQuery, ShardReading, ShardStore,
    SharedBoards, StoreError, StoreServers, WindowCount,
};

/// The maximum difference between the clocks of servers, and of nodes that check deadlines, at
/// which final responses stay final.
const CLOCK_TOLERANCE: Duration = Duration::from_secs(1);

/// Boards on Redis or Valkey: one server, several, a cluster, or a primary with Sentinel.
#[derive(Debug)]
pub struct RedisStore {
    parts: Parts,
    applier: Applier,
    reader: Arc<Reader>,
    verifier: Verifier,
    sweep: Sweep,
    shared: SharedTops,
    profiles: Profiles,
    calls: Arc<Calls>,
    memory: Arc<Memory>,
}

impl RedisStore {
    /// Connects, and checks whether the servers can be used and are the same as before.
    #[must_use]
    pub fn open<'a>(
        url: &'a RedisUrl,
        settings: &'a RedisSettings,
    ) -> BoxFuture<'a, Result<Self, OpenError>> {
        async move { Ok(Self::over(Parts::open(url, settings).await?)) }.boxed()
    }

    fn over(parts: Parts) -> Self {
        let refills = Refills::new(&parts);
        let reader = Arc::new(Reader::new(&parts));
        let calls = Arc::new(Calls::default());
        Self {
            applier: Applier::new(&parts, refills.clone()),
            verifier: Verifier::new(&parts, reader.clone()),
            sweep: Sweep::new(&parts, refills),
            shared: SharedTops::new(&parts, calls.clone()),
            profiles: Profiles::new(&parts),
            reader,
            calls,
            memory: Arc::default(),
            parts,
        }
    }

    /// Uses this memory budget for what needs memory of this process.
    #[must_use]
    pub fn within(mut self, memory: Arc<Memory>) -> Self {
        self.applier.hold_in(memory.clone());
        self.memory = memory;
        self
    }

    /// Returns the result of a call. If a shard has refused the settings in the caller's record, which
    /// may be because the registry has lost a change, that is set right first.
    async fn reconciled<T>(
        &self,
        board: &BoardRecord,
        result: Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if matches!(result, Err(StoreError::SettingsChanged)) {
            self.sweep.reconcile(board).await;
        }
        result
    }
}

impl StoreServers for RedisStore {
    fn silence<'a>(&'a self, board: Option<&'a BoardRecord>) -> BoxFuture<'a, ()> {
        let silence = async move {
            let places = match board {
                Some(board) => self.parts.incarnations.places_at_hand(board),
                None => vec![self.parts.servers.registry()],
            };
            self.parts.servers.silence(&places).await;
        };
        silence.boxed()
    }

    fn have_queue(&self, board: &BoardRecord) -> bool {
        let places = self.parts.incarnations.places_at_hand(board);
        self.parts.servers.has_queue(&places)
    }

    fn may_include(&self, replication_id: Option<&str>) -> bool {
        replication_id.is_none_or(|id| self.parts.servers.has_node(id))
    }

    fn shared(&self) -> Option<&dyn SharedBoards> {
        self.shared.has_others().then_some(&self.shared)
    }
}

impl ShardStore for RedisStore {
    fn name(&self) -> &'static str {
        "redis"
    }

    fn kinds(&self) -> BoxFuture<'_, Result<Vec<KindRecord>, StoreError>> {
        self.calls.kinds.time(self.parts.registry.kinds()).boxed()
    }

    fn put_kind(
        &self,
        kind: Arc<Kind>,
        expected: Revision,
        only_without_boards: bool,
    ) -> BoxFuture<'_, Result<KindRecord, KindWriteError>> {
        let call = self
            .parts
            .registry
            .put_kind(kind, expected, only_without_boards);
        self.calls.put_kind.time(call).boxed()
    }

    fn delete_kind<'a>(
        &'a self,
        name: &'a KindName,
        expected: Revision,
    ) -> BoxFuture<'a, Result<(), KindWriteError>> {
        let call = self.parts.registry.delete_kind(name, expected);
        self.calls.delete_kind.time(call).boxed()
    }

    fn put_profiles<'a>(
        &'a self,
        kind: &'a KindRecord,
        changes: &'a [ProfileChange],
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        let put = async move {
            if changes.iter().any(|change| change.profile.is_some()) {
                self.memory.check()?;
            }
            self.profiles.put(kind, changes).await
        };
        self.calls.put_profiles.time(put).boxed()
    }

    fn profiles<'a>(
        &'a self,
        kind: &'a KindRecord,
        members: &'a [Member],
    ) -> BoxFuture<'a, Result<Vec<Option<Profile>>, StoreError>> {
        let found = self.profiles.get(kind, members);
        self.calls.profiles.time(found).boxed()
    }

    fn board<'a>(
        &'a self,
        name: &'a BoardName,
    ) -> BoxFuture<'a, Result<Option<BoardRecord>, StoreError>> {
        let found = self.parts.registry.board(name);
        let found = found.map_ok(|found| found.map(|record| record.board));
        self.calls.board.time(found).boxed()
    }

    fn boards<'a>(
        &'a self,
        kind: &'a KindName,
        prefix: &'a str,
        after: Option<&'a Subject>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<BoardRecord>, StoreError>> {
        self.calls
            .boards
            .time(self.parts.registry.boards(kind, prefix, after, limit))
            .boxed()
    }

    fn create_board<'a>(
        &'a self,
        name: &'a BoardName,
        kind: &'a KindRecord,
        seen: Option<Incarnation>,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<BoardRecord, CreateBoardError>> {
        let created = async move {
            self.check_time()?;
            self.memory.check()?;
            // Of the process that replied, or of an earlier one.
            let epoch = self.parts.registry.epoch();
            let (record, due) = self
                .parts
                .registry
                .create_board(name, kind, seen, now)
                .await?;
            self.parts.incarnations.learn(&record, due, epoch);
            Ok(record.board)
        };
        self.calls.create_board.time(created).boxed()
    }

    fn withdraw<'a>(&'a self, board: &'a BoardRecord) -> BoxFuture<'a, Result<(), StoreError>> {
        let withdrawn = self.sweep.withdraw(board);
        self.calls.withdraw.time(withdrawn).boxed()
    }

    fn put_settings<'a>(
        &'a self,
        name: &'a BoardName,
        kind: &'a KindRecord,
        settings: BoardSettings,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<BoardRecord, PutSettingsError>> {
        let settled = async move {
            self.check_time()?;
            self.memory.check()?;
            let settled = self
                .parts
                .registry
                .put_settings(name, kind, settings, now)
                .await;
            settled.map(|record| record.board)
        };
        self.calls.put_settings.time(settled).boxed()
    }

    fn change_activity<'a>(
        &'a self,
        board: &'a BoardRecord,
        activity: Activity,
        until: Option<Deadline<'a>>,
    ) -> BoxFuture<'a, Result<BoardRecord, ChangeActivityError>> {
        let changed = async move {
            self.check_time()?;
            let until = until.map(|until| Instant::from_std(until.instant));
            // Goes on when the caller has gone: its shards would be held until that expires.
            let (sweep, board) = (self.sweep.clone(), board.clone());
            let changing =
                tokio::spawn(async move { sweep.change_activity(&board, activity, until).await });
            changing
                .await
                .unwrap_or_else(|error| Err(StoreError::Unknown(error.to_string()).into()))
        };
        self.calls.change_activity.time(changed).boxed()
    }

    fn delete_board<'a>(
        &'a self,
        name: &'a BoardName,
        _until: Timestamp,
    ) -> BoxFuture<'a, Result<(), DeleteBoardError>> {
        // An incarnation without a record is dead.
        self.calls
            .delete_board
            .time(self.sweep.delete_board(name))
            .boxed()
    }

    fn apply<'a>(
        &'a self,
        board: &'a BoardRecord,
        shard: u16,
        batch: Batch<'a>,
    ) -> BoxFuture<'a, Result<Vec<Outcome>, StoreError>> {
        let applied = async move {
            self.check_time()?;
            // A batch needs memory here while it is under way, whatever it does, except a removal.
            if !batch.items.iter().all(|item| item.change.is_removal()) {
                self.memory.check()?;
            }
            let applied = self.applier.apply(board, shard, batch).await;
            self.reconciled(board, applied).await
        };
        self.calls.apply.time(applied).boxed()
    }

    fn work_of(&self, ask: &RangeAsk) -> usize {
        read::work_of(ask)
    }

    fn read<'a>(
        &'a self,
        board: &'a BoardRecord,
        queries: &'a [ShardQuery],
    ) -> BoxFuture<'a, Result<Vec<ShardReading>, StoreError>> {
        let readings = async move {
            let readings = self.reader.read(board, queries).await;
            self.reconciled(board, readings).await
        };
        self.calls.read.time(readings).boxed()
    }

    fn windows<'a>(
        &'a self,
        board: &'a BoardRecord,
        shard: u16,
    ) -> BoxFuture<'a, Result<Vec<WindowCount>, StoreError>> {
        let windows = async move {
            let windows = self.reader.windows(board, shard).await;
            self.reconciled(board, windows).await
        };
        self.calls.windows.time(windows).boxed()
    }

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities {
            whole_boards: false,
            servers: Some(self),
        }
    }

    fn clock_tolerance(&self) -> Duration {
        CLOCK_TOLERANCE
    }

    fn register_metrics(&self, metrics: &mut Metrics) {
        self.calls.register(metrics);
        self.parts.servers.register_metrics(metrics);
        self.applier.register_metrics(metrics);
        self.memory.register_metrics(metrics);
    }

    fn drop_expired(&self, now: Timestamp) -> BoxFuture<'_, Result<(), StoreError>> {
        let expired = async move {
            // No board is kept in this process: the weight is that of calls under way.
            self.memory.report_weight(0, 0);
            self.applier.pass_time();
            self.check_time()?;
            let swept = self.sweep.drop_expired(now).await;
            swept.and(self.profiles.drop_ended().await)
        };
        self.calls.expire.time(expired).boxed()
    }

    fn drop_over<'a>(
        &'a self,
        board: &'a BoardRecord,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        let dropped = async move {
            self.check_time()?;
            self.sweep.end_over(board, now).await
        };
        self.calls.expire.time(dropped).boxed()
    }

    fn check_time(&self) -> Result<(), StoreError> {
        self.parts
            .servers
            .check_clock()
            .map_err(StoreError::Unavailable)
    }

    fn time(&self, own: Timestamp) -> Timestamp {
        Timestamp::from_micros(self.parts.servers.time_us(own.micros()))
    }

    fn check_ready(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        ready(self.parts.servers.ready().map_err(StoreError::Unavailable)).boxed()
    }

    fn close(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        self.shared.close().map(Ok).boxed()
    }

    fn verify<'a>(
        &'a self,
        board: &'a BoardRecord,
        shard: u16,
        repair: bool,
    ) -> BoxFuture<'a, Result<Vec<IndexMismatch>, StoreError>> {
        self.verifier.verify(board, shard, repair).boxed()
    }

    fn orphans(&self) -> BoxFuture<'_, Result<Vec<Orphan>, StoreError>> {
        self.verifier.orphans().boxed()
    }
}
