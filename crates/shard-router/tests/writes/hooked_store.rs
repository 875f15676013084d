//! [`HookedStore`]: a store in memory with hooks, by which a test can fail writes before and after
//! they are applied, and act between two of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use board::{
    Activity, BoardName, Incarnation, Kind, KindName, Member, Profile, Subject, Timestamp,
};
use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use parking_lot::Mutex;
use shard_store::{
    Batch, BoardRecord, BoardSettings, Capabilities, ChangeActivityError, CreateBoardError,
    Deadline, DeleteBoardError, IndexMismatch, KindRecord, KindWriteError, Outcome, ProfileChange,
    PutSettingsError, Revision, ShardQuery, ShardReading, ShardStore, StoreError, WindowCount,
};
use store_local::LocalStore;

type Step<T> = Arc<dyn Fn(u16) -> BoxFuture<'static, Result<T, StoreError>> + Send + Sync>;

pub(crate) struct HookedStore {
    /// The second one is used after a loss of data.
    inner: [LocalStore; 2],
    losses: AtomicUsize,
    before: Mutex<Option<Step<()>>>,
    after: Mutex<Option<StoreError>>,
    creations_fail: Mutex<Option<CreateBoardError>>,
    before_creations: Mutex<Option<Step<()>>>,
    after_kinds: Mutex<Option<Step<()>>>,
    creations: AtomicU64,
    kinds_read: AtomicU64,
    ignores_clocks: AtomicBool,
    batch_times: Mutex<Vec<Timestamp>>,
}

impl HookedStore {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            inner: [(); 2].map(|()| LocalStore::in_memory().unwrap()),
            losses: AtomicUsize::default(),
            before: Mutex::default(),
            after: Mutex::default(),
            creations_fail: Mutex::default(),
            before_creations: Mutex::default(),
            after_kinds: Mutex::default(),
            creations: AtomicU64::default(),
            kinds_read: AtomicU64::default(),
            ignores_clocks: AtomicBool::default(),
            batch_times: Mutex::default(),
        })
    }

    fn inner(&self) -> &LocalStore {
        &self.inner[self.losses.load(Ordering::Relaxed)]
    }

    /// Loses everything that was written.
    pub(crate) fn lose_data(&self) {
        self.losses.fetch_add(1, Ordering::Relaxed);
    }

    /// From now on uses only the instants of deadlines, like a store in another process.
    pub(crate) fn ignore_clocks(&self) {
        self.ignores_clocks.store(true, Ordering::Relaxed);
    }

    /// Sets a hook that is called before a batch is applied to a shard. If it fails, the batch is not applied.
    pub(crate) fn before_applying<F>(&self, before: impl Fn(u16) -> F + Send + Sync + 'static)
    where
        F: Future<Output = Result<(), StoreError>> + Send + 'static,
    {
        *self.before.lock() = Some(Arc::new(move |shard| before(shard).boxed()));
    }

    /// From now on batches are applied, and fail with this error.
    pub(crate) fn fail_after_applying(&self, error: StoreError) {
        *self.after.lock() = Some(error);
    }

    /// From now on creations of boards fail with this error.
    pub(crate) fn fail_creations(&self, error: CreateBoardError) {
        *self.creations_fail.lock() = Some(error);
    }

    /// Sets a hook that is called before a board is created.
    pub(crate) fn before_creations<F>(&self, before: impl Fn() -> F + Send + Sync + 'static)
    where
        F: Future<Output = Result<(), StoreError>> + Send + 'static,
    {
        *self.before_creations.lock() = Some(Arc::new(move |_| before().boxed()));
    }

    /// Sets a hook that is called after kinds were read, before they are returned.
    pub(crate) fn after_reading_kinds<F>(&self, after: impl Fn() -> F + Send + Sync + 'static)
    where
        F: Future<Output = Result<(), StoreError>> + Send + 'static,
    {
        *self.after_kinds.lock() = Some(Arc::new(move |_| after().boxed()));
    }

    /// Removes all hooks.
    pub(crate) fn clear_hooks(&self) {
        *self.before.lock() = None;
        *self.after.lock() = None;
        *self.creations_fail.lock() = None;
        *self.before_creations.lock() = None;
        *self.after_kinds.lock() = None;
    }

    /// Returns the number of calls that create a board.
    pub(crate) fn creations(&self) -> u64 {
        self.creations.load(Ordering::Relaxed)
    }

    /// Returns the times of all batches that were to be applied, and forgets them.
    pub(crate) fn take_batch_times(&self) -> Vec<Timestamp> {
        std::mem::take(&mut self.batch_times.lock())
    }

    /// Returns the number of reads of all kinds.
    pub(crate) fn kinds_read(&self) -> u64 {
        self.kinds_read.load(Ordering::Relaxed)
    }
}

impl ShardStore for HookedStore {
    fn name(&self) -> &'static str {
        "hooked"
    }

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities {
            whole_boards: false,
            servers: None,
        }
    }

    fn kinds(&self) -> BoxFuture<'_, Result<Vec<KindRecord>, StoreError>> {
        self.kinds_read.fetch_add(1, Ordering::Relaxed);
        let after = self.after_kinds.lock().clone();
        async move {
            let kinds = self.inner().kinds().await?;
            if let Some(after) = after {
                after(0).await?;
            }
            Ok(kinds)
        }
        .boxed()
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

    fn board<'a>(
        &'a self,
        name: &'a BoardName,
    ) -> BoxFuture<'a, Result<Option<BoardRecord>, StoreError>> {
        self.inner().board(name)
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
        self.creations.fetch_add(1, Ordering::Relaxed);
        if let Some(error) = self.creations_fail.lock().clone() {
            return ready(Err(error)).boxed();
        }
        let before = self.before_creations.lock().clone();
        async move {
            if let Some(before) = before {
                before(0).await?;
            }
            self.inner().create_board(name, kind, seen, now).await
        }
        .boxed()
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
        self.batch_times.lock().push(batch.now);
        let (before, after) = (self.before.lock().clone(), self.after.lock().clone());
        let ignores_clocks = self.ignores_clocks.load(Ordering::Relaxed);
        let until = batch.until.map(|until| {
            if ignores_clocks {
                Deadline::from(until.instant)
            } else {
                until
            }
        });
        let batch = Batch { until, ..batch };
        async move {
            if let Some(before) = before {
                before(shard).await?;
            }
            let outcomes = self.inner().apply(board, shard, batch).await?;
            after.map_or(Ok(outcomes), Err)
        }
        .boxed()
    }

    fn read<'a>(
        &'a self,
        board: &'a BoardRecord,
        queries: &'a [ShardQuery],
    ) -> BoxFuture<'a, Result<Vec<ShardReading>, StoreError>> {
        self.inner().read(board, queries)
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
