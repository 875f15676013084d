//! [`HookedStore`]: a store before another one, by which a test can act before, between and after calls, fail them,
//! count them, and change their results.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use board::{
    Activity, BoardName, Incarnation, Kind, KindName, Member, Profile, Subject, Timestamp,
};
use futures::FutureExt as _;
use futures::future::{BoxFuture, pending, ready, try_join_all};
use shard_store::{
    Batch, BoardRecord, BoardSettings, Capabilities, ChangeActivityError, CreateBoardError,
    Deadline, DeleteBoardError, IndexMismatch, KindRecord, KindWriteError, Outcome, ProfileChange,
    PutSettingsError, Query, Revision, ShardQuery, ShardReading, ShardStore, SharedBoards,
    StoreError, StoreServers, UnsupportedKind, WindowCount,
};

use crate::conformance::fixtures::read_shard;

/// Called for a shard; an error fails the call.
type Step = Arc<dyn Fn(u16) -> BoxFuture<'static, Result<(), StoreError>> + Send + Sync>;

/// Reads a shard in place of the store.
type Read = Arc<
    dyn Fn(Arc<dyn ShardStore>, BoardRecord, ShardQuery) -> BoxFuture<'static, ReadResult>
        + Send
        + Sync,
>;

type ReadResult = Result<ShardReading, StoreError>;

/// Changes a reading of a shard.
type After = Arc<dyn Fn(u16, &mut ShardReading) + Send + Sync>;

/// What a test does at calls.
#[derive(Default)]
struct Hooks {
    before_reads: Option<Step>,
    reads: Option<Read>,
    after_reads: Option<After>,
    board_fails: Option<StoreError>,
    durable_fails: Option<StoreError>,
    after_kinds: Option<Step>,
    before_creations: Option<Step>,
    creations_fail: Option<CreateBoardError>,
    before_applying: Option<Step>,
    fails_after_applying: Option<StoreError>,
}

/// What was called.
#[derive(Default)]
struct Calls {
    kinds: AtomicU64,
    boards: AtomicU64,
    creations: AtomicU64,
    reads: AtomicU64,
    durable: AtomicU64,
    batch_times: Mutex<Vec<Timestamp>>,
}

/// A store with hooks, whose reads make round trips.
pub struct HookedStore {
    /// The second one is used after a loss of data.
    inner: [Arc<dyn ShardStore>; 2],
    shared: Option<Arc<dyn SharedBoards>>,
    is_local: bool,
    hooks: Mutex<Hooks>,
    calls: Calls,
    has_lost_data: AtomicBool,
    ignores_clocks: AtomicBool,
    is_stalled: AtomicBool,
    keeps_over: AtomicBool,
    has_queue: AtomicBool,
}

fn step<F>(step: impl Fn(u16) -> F + Send + Sync + 'static) -> Step
where
    F: Future<Output = Result<(), StoreError>> + Send + 'static,
{
    Arc::new(move |shard| step(shard).boxed())
}

async fn taken(step: Option<Step>, shard: u16) -> Result<(), StoreError> {
    match step {
        Some(step) => step(shard).await,
        None => Ok(()),
    }
}

impl HookedStore {
    /// Creates a store before another one.
    pub fn before(inner: Arc<dyn ShardStore>) -> Arc<Self> {
        Arc::new(Self::with([inner.clone(), inner], None, false))
    }

    /// Creates a store in this process that reads shards one after the other: never a whole board in one step.
    pub fn by_shards(inner: Arc<dyn ShardStore>) -> Arc<Self> {
        Arc::new(Self::with([inner.clone(), inner], None, true))
    }

    /// Creates a store that several servers share.
    pub fn sharing(inner: Arc<dyn ShardStore>, shared: Arc<dyn SharedBoards>) -> Arc<Self> {
        Arc::new(Self::with([inner.clone(), inner], Some(shared), false))
    }

    /// Creates a store that continues with the second one after [`lose_data`](Self::lose_data).
    pub fn losing(inner: [Arc<dyn ShardStore>; 2]) -> Arc<Self> {
        Arc::new(Self::with(inner, None, false))
    }

    fn with(
        inner: [Arc<dyn ShardStore>; 2],
        shared: Option<Arc<dyn SharedBoards>>,
        is_local: bool,
    ) -> Self {
        Self {
            inner,
            shared,
            is_local,
            hooks: Mutex::default(),
            calls: Calls::default(),
            has_lost_data: AtomicBool::default(),
            ignores_clocks: AtomicBool::default(),
            is_stalled: AtomicBool::default(),
            keeps_over: AtomicBool::default(),
            has_queue: AtomicBool::default(),
        }
    }

    fn inner(&self) -> &Arc<dyn ShardStore> {
        &self.inner[usize::from(self.has_lost_data.load(Ordering::Relaxed))]
    }

    fn set(&self, set: impl FnOnce(&mut Hooks)) {
        set(&mut self.hooks.lock().unwrap());
    }

    fn hook<T>(&self, hook: impl FnOnce(&Hooks) -> T) -> T {
        hook(&self.hooks.lock().unwrap())
    }

    /// Removes all hooks.
    pub fn clear_hooks(&self) {
        self.set(|hooks| *hooks = Hooks::default());
    }

    /// Sets the hook before reads.
    pub fn before_reads<F>(&self, before: impl Fn(u16) -> F + Send + Sync + 'static)
    where
        F: Future<Output = Result<(), StoreError>> + Send + 'static,
    {
        self.set(|hooks| hooks.before_reads = Some(step(before)));
    }

    /// Sets what reads shards, given the store behind this one.
    pub fn read_by<F>(
        &self,
        read: impl Fn(Arc<dyn ShardStore>, BoardRecord, ShardQuery) -> F + Send + Sync + 'static,
    ) where
        F: Future<Output = ReadResult> + Send + 'static,
    {
        let read: Read = Arc::new(move |inner, board, asked| read(inner, board, asked).boxed());
        self.set(|hooks| hooks.reads = Some(read));
    }

    /// Sets the hook after reads.
    pub fn after_reads(&self, after: impl Fn(u16, &mut ShardReading) + Send + Sync + 'static) {
        self.set(|hooks| hooks.after_reads = Some(Arc::new(after)));
    }

    /// From now on all reads fail, including those of records.
    pub fn become_unavailable(&self) {
        let error = StoreError::Unavailable("away".to_owned());
        self.set(|hooks| hooks.board_fails = Some(error.clone()));
        self.before_reads(move |_| ready(Err(error.clone())));
    }

    /// From now on waits for durability fail.
    pub fn fail_durable(&self) {
        let lost = StoreError::Unknown("lost".to_owned());
        self.set(|hooks| hooks.durable_fails = Some(lost));
    }

    /// Sets a hook that is called before a batch is applied to a shard. If it fails, the batch is not applied.
    pub fn before_applying<F>(&self, before: impl Fn(u16) -> F + Send + Sync + 'static)
    where
        F: Future<Output = Result<(), StoreError>> + Send + 'static,
    {
        self.set(|hooks| hooks.before_applying = Some(step(before)));
    }

    /// From now on batches are applied, and fail with this error.
    pub fn fail_after_applying(&self, error: StoreError) {
        self.set(|hooks| hooks.fails_after_applying = Some(error));
    }

    /// From now on creations of boards fail with this error.
    pub fn fail_creations(&self, error: CreateBoardError) {
        self.set(|hooks| hooks.creations_fail = Some(error));
    }

    /// Sets a hook that is called before a board is created.
    pub fn before_creations<F>(&self, before: impl Fn() -> F + Send + Sync + 'static)
    where
        F: Future<Output = Result<(), StoreError>> + Send + 'static,
    {
        self.set(|hooks| hooks.before_creations = Some(step(move |_| before())));
    }

    /// Sets a hook that is called after kinds were read, before they are returned.
    pub fn after_reading_kinds<F>(&self, after: impl Fn() -> F + Send + Sync + 'static)
    where
        F: Future<Output = Result<(), StoreError>> + Send + 'static,
    {
        self.set(|hooks| hooks.after_kinds = Some(step(move |_| after())));
    }

    /// Loses everything that was written.
    pub fn lose_data(&self) {
        self.has_lost_data.store(true, Ordering::Relaxed);
    }

    /// From now on uses only the instants of deadlines, like a store in another process.
    pub fn ignore_clocks(&self) {
        self.ignores_clocks.store(true, Ordering::Relaxed);
    }

    /// Sets whether waits for durability never end.
    pub fn stall(&self, is_stalled: bool) {
        self.is_stalled.store(is_stalled, Ordering::Relaxed);
    }

    /// Sets whether boards whose time is over cannot be dropped.
    pub fn keep_over(&self, keeps: bool) {
        self.keeps_over.store(keeps, Ordering::Relaxed);
    }

    /// Sets whether reads queue.
    pub fn queue(&self, has_queue: bool) {
        self.has_queue.store(has_queue, Ordering::Relaxed);
    }

    /// Returns the number of reads of all kinds.
    pub fn kinds_read(&self) -> u64 {
        self.calls.kinds.load(Ordering::Relaxed)
    }

    /// Returns the number of reads of records.
    pub fn board_reads(&self) -> u64 {
        self.calls.boards.load(Ordering::Relaxed)
    }

    /// Returns the number of calls that create a board.
    pub fn creations(&self) -> u64 {
        self.calls.creations.load(Ordering::Relaxed)
    }

    /// Returns the number of reads of shards, including failed ones.
    pub fn reads(&self) -> u64 {
        self.calls.reads.load(Ordering::Relaxed)
    }

    /// Returns the number of waits for durability.
    pub fn durable_waits(&self) -> u64 {
        self.calls.durable.load(Ordering::Relaxed)
    }

    /// Returns the times of all batches that were to be applied, and forgets them.
    pub fn take_batch_times(&self) -> Vec<Timestamp> {
        std::mem::take(&mut self.calls.batch_times.lock().unwrap())
    }

    /// Reads one shard, with its hooks.
    async fn read_one(&self, board: &BoardRecord, asked: &ShardQuery) -> ReadResult {
        self.calls.reads.fetch_add(1, Ordering::Relaxed);
        let (before, read, after) = self.hook(|hooks| {
            let (before, read) = (hooks.before_reads.clone(), hooks.reads.clone());
            (before, read, hooks.after_reads.clone())
        });
        taken(before, asked.shard).await?;
        let ShardQuery { shard, query } = asked;
        let Some(after) = after else {
            return match read {
                Some(read) => read(self.inner().clone(), board.clone(), asked.clone()).await,
                None => read_shard(&**self.inner(), board, *shard, query).await,
            };
        };
        let whole = Query {
            unless: None,
            ..query.clone()
        };
        let mut reading = read_shard(&**self.inner(), board, *shard, &whole).await?;
        after(*shard, &mut reading);
        reading.parts = reading
            .parts
            .filter(|_| query.unless != Some(reading.version));
        Ok(reading)
    }
}

impl ShardStore for HookedStore {
    fn name(&self) -> &'static str {
        "hooked"
    }

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities {
            whole_boards: self.is_local,
            servers: (!self.is_local).then_some(self),
        }
    }

    fn check_kind(&self, kind: &Kind) -> Result<(), UnsupportedKind> {
        self.inner().check_kind(kind)
    }

    fn kinds(&self) -> BoxFuture<'_, Result<Vec<KindRecord>, StoreError>> {
        self.calls.kinds.fetch_add(1, Ordering::Relaxed);
        let after = self.hook(|hooks| hooks.after_kinds.clone());
        let kinds = async move {
            let kinds = self.inner().kinds().await?;
            taken(after, 0).await?;
            Ok(kinds)
        };
        kinds.boxed()
    }

    fn put_kind(
        &self,
        kind: Arc<Kind>,
        expected: Revision,
        only_without_boards: bool,
    ) -> BoxFuture<'_, Result<KindRecord, KindWriteError>> {
        self.inner().put_kind(kind, expected, only_without_boards)
    }

    fn delete_kind<'a>(
        &'a self,
        name: &'a KindName,
        expected: Revision,
    ) -> BoxFuture<'a, Result<(), KindWriteError>> {
        self.inner().delete_kind(name, expected)
    }

    fn put_profiles<'a>(
        &'a self,
        kind: &'a KindRecord,
        changes: &'a [ProfileChange],
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        self.inner().put_profiles(kind, changes)
    }

    fn profiles<'a>(
        &'a self,
        kind: &'a KindRecord,
        members: &'a [Member],
    ) -> BoxFuture<'a, Result<Vec<Option<Profile>>, StoreError>> {
        self.inner().profiles(kind, members)
    }

    fn board<'a>(
        &'a self,
        name: &'a BoardName,
    ) -> BoxFuture<'a, Result<Option<BoardRecord>, StoreError>> {
        self.calls.boards.fetch_add(1, Ordering::Relaxed);
        match self.hook(|hooks| hooks.board_fails.clone()) {
            Some(error) => ready(Err(error)).boxed(),
            None => self.inner().board(name),
        }
    }

    fn boards<'a>(
        &'a self,
        kind: &'a KindName,
        prefix: &'a str,
        after: Option<&'a Subject>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<BoardRecord>, StoreError>> {
        self.inner().boards(kind, prefix, after, limit)
    }

    fn create_board<'a>(
        &'a self,
        name: &'a BoardName,
        kind: &'a KindRecord,
        seen: Option<Incarnation>,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<BoardRecord, CreateBoardError>> {
        self.calls.creations.fetch_add(1, Ordering::Relaxed);
        if let Some(error) = self.hook(|hooks| hooks.creations_fail.clone()) {
            return ready(Err(error)).boxed();
        }
        let before = self.hook(|hooks| hooks.before_creations.clone());
        let created = async move {
            taken(before, 0).await?;
            self.inner().create_board(name, kind, seen, now).await
        };
        created.boxed()
    }

    fn withdraw<'a>(&'a self, board: &'a BoardRecord) -> BoxFuture<'a, Result<(), StoreError>> {
        self.inner().withdraw(board)
    }

    fn put_settings<'a>(
        &'a self,
        name: &'a BoardName,
        kind: &'a KindRecord,
        settings: BoardSettings,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<BoardRecord, PutSettingsError>> {
        self.inner().put_settings(name, kind, settings, now)
    }

    fn change_activity<'a>(
        &'a self,
        board: &'a BoardRecord,
        activity: Activity,
        until: Option<Deadline<'a>>,
    ) -> BoxFuture<'a, Result<BoardRecord, ChangeActivityError>> {
        self.inner().change_activity(board, activity, until)
    }

    fn delete_board<'a>(
        &'a self,
        name: &'a BoardName,
        until: Timestamp,
    ) -> BoxFuture<'a, Result<(), DeleteBoardError>> {
        self.inner().delete_board(name, until)
    }

    fn apply<'a>(
        &'a self,
        board: &'a BoardRecord,
        shard: u16,
        batch: Batch<'a>,
    ) -> BoxFuture<'a, Result<Vec<Outcome>, StoreError>> {
        self.calls.batch_times.lock().unwrap().push(batch.now);
        let (before, fails) = self.hook(|hooks| {
            let fails = hooks.fails_after_applying.clone();
            (hooks.before_applying.clone(), fails)
        });
        let ignores_clocks = self.ignores_clocks.load(Ordering::Relaxed);
        let until = match batch.until {
            Some(until) if ignores_clocks => Some(Deadline::from(until.instant)),
            until => until,
        };
        let batch = Batch { until, ..batch };
        let applied = async move {
            taken(before, shard).await?;
            let outcomes = self.inner().apply(board, shard, batch).await?;
            fails.map_or(Ok(outcomes), Err)
        };
        applied.boxed()
    }

    fn read<'a>(
        &'a self,
        board: &'a BoardRecord,
        queries: &'a [ShardQuery],
    ) -> BoxFuture<'a, Result<Vec<ShardReading>, StoreError>> {
        let read = |asked: &'a ShardQuery| self.read_one(board, asked);
        try_join_all(queries.iter().map(read)).boxed()
    }

    fn durable(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        self.calls.durable.fetch_add(1, Ordering::Relaxed);
        if self.is_stalled.load(Ordering::Relaxed) {
            return pending().boxed();
        }
        let fails = self.hook(|hooks| hooks.durable_fails.clone());
        ready(fails.map_or(Ok(()), Err)).boxed()
    }

    fn windows<'a>(
        &'a self,
        board: &'a BoardRecord,
        shard: u16,
    ) -> BoxFuture<'a, Result<Vec<WindowCount>, StoreError>> {
        self.inner().windows(board, shard)
    }

    fn drop_expired(&self, now: Timestamp) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner().drop_expired(now)
    }

    fn drop_over<'a>(
        &'a self,
        board: &'a BoardRecord,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        if self.keeps_over.load(Ordering::Relaxed) {
            return ready(Err(StoreError::Unavailable("not now".to_owned()))).boxed();
        }
        self.inner().drop_over(board, now)
    }

    fn verify<'a>(
        &'a self,
        board: &'a BoardRecord,
        shard: u16,
        repair: bool,
    ) -> BoxFuture<'a, Result<Vec<IndexMismatch>, StoreError>> {
        self.inner().verify(board, shard, repair)
    }
}

impl StoreServers for HookedStore {
    fn silence<'a>(&'a self, _: Option<&'a BoardRecord>) -> BoxFuture<'a, ()> {
        pending().boxed()
    }

    fn have_queue(&self, _: &BoardRecord) -> bool {
        self.has_queue.load(Ordering::Relaxed)
    }

    fn may_include(&self, _: Option<&str>) -> bool {
        false
    }

    fn shared(&self) -> Option<&dyn SharedBoards> {
        self.shared.as_deref()
    }
}
