//! [`HookedStore`]: a store in memory with hooks, by which a test can delay reads, fail them, count
//! them, write between them, and change their results.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use board::{
    Activity, BoardName, Incarnation, Kind, KindName, Member, Profile, Subject, Timestamp,
};
use futures::FutureExt;
use futures::future::{BoxFuture, ready, try_join_all};
use parking_lot::Mutex;
use shard_store::{
    Batch, BoardRecord, BoardSettings, Capabilities, ChangeActivityError, CreateBoardError,
    Deadline, DeleteBoardError, IndexMismatch, KindRecord, KindWriteError, Outcome, ProfileChange,
    PutSettingsError, Query, Revision, ShardQuery, ShardReading, ShardStore, SharedBoards,
    StoreError, StoreServers, UnsupportedKind, WindowCount,
};
use store_local::LocalStore;
use testkit::conformance::fixtures::read_shard;

use crate::shared::SharedInMemory;
use crate::trimmed;

/// A hook that is called before a read of this shard.
pub(crate) type Before = dyn Fn(u16) -> BoxFuture<'static, Result<(), StoreError>> + Send + Sync;

/// A hook that changes a reading of this shard.
pub(crate) type After = dyn Fn(u16, &mut ShardReading) + Send + Sync;

pub(crate) struct HookedStore {
    inner: Arc<LocalStore>,
    shared: Option<SharedInMemory>,
    is_local: bool,
    before: Mutex<Option<Arc<Before>>>,
    after: Mutex<Option<Arc<After>>>,
    best: Mutex<Option<u64>>,
    boards_fail: Mutex<Option<StoreError>>,
    durable: Mutex<Option<StoreError>>,
    durable_never: AtomicBool,
    keeps_over: AtomicBool,
    has_queue: AtomicBool,
    durable_waits: AtomicU64,
    reads: AtomicU64,
    board_reads: AtomicU64,
}

impl HookedStore {
    pub(crate) fn new() -> Arc<Self> {
        Self::before(Arc::new(LocalStore::in_memory().unwrap()))
    }

    /// Creates a store in this process that reads shards one after the other: never a whole board in one step.
    pub(crate) fn by_shards(inner: Arc<LocalStore>) -> Arc<Self> {
        Self::with(inner, None, true)
    }

    /// Creates a store before another one, whose reads make round trips.
    pub(crate) fn before(inner: Arc<LocalStore>) -> Arc<Self> {
        Self::with(inner, None, false)
    }

    /// Creates a store that several servers share.
    pub(crate) fn of_several_servers() -> Arc<Self> {
        let inner = Arc::new(LocalStore::in_memory().unwrap());
        Self::with(inner, Some(SharedInMemory::default()), false)
    }

    fn with(inner: Arc<LocalStore>, shared: Option<SharedInMemory>, is_local: bool) -> Arc<Self> {
        Arc::new(Self {
            inner,
            shared,
            is_local,
            before: Mutex::default(),
            after: Mutex::default(),
            best: Mutex::default(),
            boards_fail: Mutex::default(),
            durable: Mutex::default(),
            durable_never: AtomicBool::default(),
            keeps_over: AtomicBool::default(),
            has_queue: AtomicBool::default(),
            durable_waits: AtomicU64::default(),
            reads: AtomicU64::default(),
            board_reads: AtomicU64::default(),
        })
    }

    /// Sets the hook before reads.
    pub(crate) fn before_reads<F>(&self, before: impl Fn(u16) -> F + Send + Sync + 'static)
    where
        F: Future<Output = Result<(), StoreError>> + Send + 'static,
    {
        *self.before.lock() = Some(Arc::new(move |shard| before(shard).boxed()));
    }

    /// Sets the hook after reads.
    pub(crate) fn after_reads(
        &self,
        after: impl Fn(u16, &mut ShardReading) + Send + Sync + 'static,
    ) {
        *self.after.lock() = Some(Arc::new(after));
    }

    /// From now on each shard ranks only this many, like a store that trims lists.
    pub(crate) fn trim_to(&self, best: u64) {
        *self.best.lock() = Some(best);
    }

    /// From now on all reads fail, including those of records.
    pub(crate) fn become_unavailable(&self) {
        let error = StoreError::Unavailable("away".to_owned());
        *self.boards_fail.lock() = Some(error.clone());
        self.before_reads(move |_| std::future::ready(Err(error.clone())));
    }

    /// From now on waits for durability fail.
    pub(crate) fn fail_durable(&self) {
        *self.durable.lock() = Some(StoreError::Unknown("lost".to_owned()));
    }

    /// Sets whether waits for durability never end.
    pub(crate) fn stall(&self, is_stalled: bool) {
        self.durable_never.store(is_stalled, Ordering::Relaxed);
    }

    /// Sets whether boards whose time is over cannot be dropped.
    pub(crate) fn keep_over(&self, keeps: bool) {
        self.keeps_over.store(keeps, Ordering::Relaxed);
    }

    /// Sets whether reads queue.
    pub(crate) fn queue(&self, has_queue: bool) {
        self.has_queue.store(has_queue, Ordering::Relaxed);
    }

    /// Returns the number of waits for durability.
    pub(crate) fn durable_waits(&self) -> u64 {
        self.durable_waits.load(Ordering::Relaxed)
    }

    /// Removes all hooks.
    pub(crate) fn clear_hooks(&self) {
        *self.before.lock() = None;
        *self.after.lock() = None;
        *self.boards_fail.lock() = None;
        *self.durable.lock() = None;
    }

    /// Returns the boards that servers share.
    pub(crate) fn shared_boards(&self) -> &SharedInMemory {
        self.shared.as_ref().unwrap()
    }

    /// Returns the number of reads of shards, including failed ones.
    pub(crate) fn reads(&self) -> u64 {
        self.reads.load(Ordering::Relaxed)
    }

    /// Reads one shard, with its hooks.
    async fn read_one(
        &self,
        board: &BoardRecord,
        shard: u16,
        query: &Query,
    ) -> Result<ShardReading, StoreError> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        let (before, after) = (self.before.lock().clone(), self.after.lock().clone());
        let best = *self.best.lock();
        if let Some(before) = before {
            before(shard).await?;
        }
        let Some(after) = after else {
            return match best {
                Some(best) => trimmed::read(&self.inner, board, shard, query, best).await,
                None => read_shard(&*self.inner, board, shard, query).await,
            };
        };
        let whole = Query {
            unless: None,
            ..query.clone()
        };
        let mut reading = read_shard(&*self.inner, board, shard, &whole).await?;
        after(shard, &mut reading);
        reading.parts = reading
            .parts
            .filter(|_| query.unless != Some(reading.version));
        Ok(reading)
    }

    /// Returns the number of reads of records.
    pub(crate) fn board_reads(&self) -> u64 {
        self.board_reads.load(Ordering::Relaxed)
    }
}

impl ShardStore for HookedStore {
    fn name(&self) -> &'static str {
        "hooked"
    }

    fn kinds(&self) -> BoxFuture<'_, Result<Vec<KindRecord>, StoreError>> {
        self.inner.kinds()
    }

    fn put_kind(
        &self,
        kind: Arc<Kind>,
        expected: Revision,
        only_without_boards: bool,
    ) -> BoxFuture<'_, Result<KindRecord, KindWriteError>> {
        self.inner.put_kind(kind, expected, only_without_boards)
    }

    fn delete_kind<'a>(
        &'a self,
        name: &'a KindName,
        expected: Revision,
    ) -> BoxFuture<'a, Result<(), KindWriteError>> {
        self.inner.delete_kind(name, expected)
    }

    fn board<'a>(
        &'a self,
        name: &'a BoardName,
    ) -> BoxFuture<'a, Result<Option<BoardRecord>, StoreError>> {
        self.board_reads.fetch_add(1, Ordering::Relaxed);
        match self.boards_fail.lock().clone() {
            Some(error) => std::future::ready(Err(error)).boxed(),
            None => self.inner.board(name),
        }
    }

    fn put_profiles<'a>(
        &'a self,
        kind: &'a KindRecord,
        changes: &'a [ProfileChange],
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        self.inner.put_profiles(kind, changes)
    }

    fn profiles<'a>(
        &'a self,
        kind: &'a KindRecord,
        members: &'a [Member],
    ) -> BoxFuture<'a, Result<Vec<Option<Profile>>, StoreError>> {
        self.inner.profiles(kind, members)
    }

    fn boards<'a>(
        &'a self,
        kind: &'a KindName,
        prefix: &'a str,
        after: Option<&'a Subject>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<BoardRecord>, StoreError>> {
        self.inner.boards(kind, prefix, after, limit)
    }

    fn create_board<'a>(
        &'a self,
        name: &'a BoardName,
        kind: &'a KindRecord,
        seen: Option<Incarnation>,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<BoardRecord, CreateBoardError>> {
        self.inner.create_board(name, kind, seen, now)
    }

    fn withdraw<'a>(&'a self, board: &'a BoardRecord) -> BoxFuture<'a, Result<(), StoreError>> {
        self.inner.withdraw(board)
    }

    fn put_settings<'a>(
        &'a self,
        name: &'a BoardName,
        kind: &'a KindRecord,
        settings: BoardSettings,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<BoardRecord, PutSettingsError>> {
        self.inner.put_settings(name, kind, settings, now)
    }

    fn change_activity<'a>(
        &'a self,
        board: &'a BoardRecord,
        activity: Activity,
        until: Option<Deadline<'a>>,
    ) -> BoxFuture<'a, Result<BoardRecord, ChangeActivityError>> {
        self.inner.change_activity(board, activity, until)
    }

    fn delete_board<'a>(
        &'a self,
        name: &'a BoardName,
        until: Timestamp,
    ) -> BoxFuture<'a, Result<(), DeleteBoardError>> {
        self.inner.delete_board(name, until)
    }

    fn apply<'a>(
        &'a self,
        board: &'a BoardRecord,
        shard: u16,
        batch: Batch<'a>,
    ) -> BoxFuture<'a, Result<Vec<Outcome>, StoreError>> {
        self.inner.apply(board, shard, batch)
    }

    fn read<'a>(
        &'a self,
        board: &'a BoardRecord,
        queries: &'a [ShardQuery],
    ) -> BoxFuture<'a, Result<Vec<ShardReading>, StoreError>> {
        let read = |asked: &'a ShardQuery| self.read_one(board, asked.shard, &asked.query);
        try_join_all(queries.iter().map(read)).boxed()
    }

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities {
            whole_boards: self.is_local,
            servers: (!self.is_local).then_some(self),
        }
    }

    fn check_kind(&self, kind: &Kind) -> Result<(), UnsupportedKind> {
        self.inner.check_kind(kind)
    }

    fn durable(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        self.durable_waits.fetch_add(1, Ordering::Relaxed);
        if self.durable_never.load(Ordering::Relaxed) {
            return std::future::pending().boxed();
        }
        std::future::ready(self.durable.lock().clone().map_or(Ok(()), Err)).boxed()
    }

    fn windows<'a>(
        &'a self,
        board: &'a BoardRecord,
        shard: u16,
    ) -> BoxFuture<'a, Result<Vec<WindowCount>, StoreError>> {
        self.inner.windows(board, shard)
    }

    fn drop_expired(&self, now: Timestamp) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.drop_expired(now)
    }

    fn drop_over<'a>(
        &'a self,
        board: &'a BoardRecord,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        if self.keeps_over.load(Ordering::Relaxed) {
            return ready(Err(StoreError::Unavailable("not now".to_owned()))).boxed();
        }
        self.inner.drop_over(board, now)
    }

    fn verify<'a>(
        &'a self,
        board: &'a BoardRecord,
        shard: u16,
        repair: bool,
    ) -> BoxFuture<'a, Result<Vec<IndexMismatch>, StoreError>> {
        self.inner.verify(board, shard, repair)
    }
}

impl StoreServers for HookedStore {
    fn silence<'a>(&'a self, _: Option<&'a BoardRecord>) -> BoxFuture<'a, ()> {
        std::future::pending().boxed()
    }

    fn have_queue(&self, _: &BoardRecord) -> bool {
        self.has_queue.load(Ordering::Relaxed)
    }

    fn may_include(&self, _: Option<&str>) -> bool {
        false
    }

    fn shared(&self) -> Option<&dyn SharedBoards> {
        self.shared.as_ref().map(|shared| shared as _)
    }
}
