//! [`LocalStore`]: the store contract on the engine in this process.
//!
//! Every call is short and synchronous under locks. A call that changes something has a
//! `CallRecords` (`persistence`): capacity for its records is reserved in the journal first, the
//! engine reports each event to it, and the call returns when everything in its result is durable.
//! In memory, both do nothing.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use board::{
    Activity, BoardName, Incarnation, Kind, KindName, Member, Profile, Subject, Timestamp, Window,
};
use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use metering::FloatGauge;

use crate::clock::{ClockState, SteadyClock, uptime};
use crate::files::record::{BOARD_BYTES_MAX, batch_bytes_max, kind_bytes_max, profiles_bytes_max};
use crate::metrics::ContentsMetrics;
use crate::persistence::Persistence;
use crate::unconfirmed::Unconfirmed;
use engine::{REMEMBERED_ID_BYTES_MAX, Registry};
use shard_store::Calls;
use shard_store::{BOARD_WEIGHT, Memory, PROFILE_WEIGHT};
use shard_store::{
    Batch, BoardReading, BoardRecord, BoardSettings, Capabilities, ChangeActivityError,
    CreateBoardError, Deadline, DeleteBoardError, Groups, IndexMismatch, KindRecord,
    KindWriteError, Outcome, ProfileChange, PutSettingsError, RangeAsk, Revision, ShardQuery,
    ShardReading, ShardStore, StoreError, WindowCount,
};

/// Why there is no repair.
const NO_REPAIR: &str = "its sorted sets are rebuilt from the scores at each start: restart the \
                         server to repair them";

/// A store in this process.
#[derive(Debug)]
pub struct LocalStore {
    pub(crate) registry: Arc<Registry>,
    pub(crate) epoch: u64,
    pub(crate) persistence: Persistence,
    /// `None`: every clock is trusted.
    pub(crate) clock: Option<SteadyClock>,
    /// `None`: the store is in memory only.
    pub(crate) unconfirmed: Option<Unconfirmed>,
    calls: Calls,
    pub(crate) held: ContentsMetrics,
    pub(crate) recovery: FloatGauge,
}

impl LocalStore {
    /// Creates an empty store in memory.
    pub fn in_memory() -> Result<Self, StoreError> {
        Self::in_memory_with_limits(Arc::default(), REMEMBERED_ID_BYTES_MAX)
    }

    /// Creates an empty store in memory whose boards are limited to this memory, and whose
    /// remembered ids to this many bytes of it.
    pub fn in_memory_with_limits(
        memory: Arc<Memory>,
        id_bytes_max: usize,
    ) -> Result<Self, StoreError> {
        // Earlier contents are lost, which the new random epoch shows.
        let registry = Arc::new(Registry::within(memory, id_bytes_max));
        Ok(Self::of(registry, random()?, Persistence::Nowhere))
    }

    pub(crate) fn of(registry: Arc<Registry>, epoch: u64, persistence: Persistence) -> Self {
        Self {
            registry,
            epoch,
            persistence,
            clock: None,
            unconfirmed: None,
            calls: Calls::default(),
            held: ContentsMetrics::default(),
            recovery: FloatGauge::default(),
        }
    }
}

impl LocalStore {
    /// Makes the store follow this process's clock, except while the clock has jumped, until it has
    /// run steadily for `pause`.
    #[must_use]
    pub fn with_steady_clock(mut self, pause: Duration) -> Self {
        self.clock = Some(SteadyClock::from(own_time(), uptime(), pause));
        self
    }

    /// Checks that the board exists, or that there is memory for it.
    fn check_memory_for(&self, name: &BoardName) -> Result<(), StoreError> {
        let memory = &self.registry.memory;
        if self.registry.board(name).is_none() {
            memory.check()?;
            memory.add(BOARD_WEIGHT);
        }
        Ok(())
    }
}

impl LocalStore {
    /// Checks that there is memory for the profiles that are put.
    fn check_memory_for_profiles(&self, changes: &[ProfileChange]) -> Result<(), StoreError> {
        let memory = &self.registry.memory;
        let put = changes.iter().filter_map(|change| change.profile.as_ref());
        let bytes = put.map(|profile| PROFILE_WEIGHT + profile.as_json().len() as u64);
        match bytes.sum() {
            0 => {}
            bytes => {
                memory.check()?;
                memory.add(bytes);
            }
        }
        Ok(())
    }
}

/// Returns what this process's clock shows.
pub(crate) fn own_time() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let us = since.unwrap_or_default().as_micros();
    Timestamp::from_micros(i64::try_from(us).unwrap_or(i64::MAX))
}

pub(crate) fn random() -> Result<u64, StoreError> {
    getrandom::u64().map_err(|error| StoreError::Unavailable(format!("no random numbers: {error}")))
}

fn done<'a, T: Send + 'a>(value: T) -> BoxFuture<'a, T> {
    ready(value).boxed()
}

impl ShardStore for LocalStore {
    fn name(&self) -> &'static str {
        match self.persistence {
            Persistence::Nowhere => "memory",
            Persistence::ReadOnly | Persistence::Journal { .. } => "embedded",
        }
    }

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities::IN_PROCESS
    }

    fn kinds(&self) -> BoxFuture<'_, Result<Vec<KindRecord>, StoreError>> {
        done(self.calls.kinds.time_blocking(|| Ok(self.registry.kinds())))
    }

    fn put_kind(
        &self,
        kind: Arc<Kind>,
        expected: Revision,
        only_without_boards: bool,
    ) -> BoxFuture<'_, Result<KindRecord, KindWriteError>> {
        let call = async move {
            let room = || kind_bytes_max(kind.name(), Some(&kind));
            let mut records = self.persistence.reserve(room).await?;
            let written =
                self.registry
                    .put_kind(kind, expected, only_without_boards, &mut records)?;
            self.persistence.wait_durable(records).await?;
            Ok(written)
        };
        self.calls.put_kind.time(call).boxed()
    }

    fn delete_kind<'a>(
        &'a self,
        name: &'a KindName,
        expected: Revision,
    ) -> BoxFuture<'a, Result<(), KindWriteError>> {
        let call = async move {
            let mut records = self
                .persistence
                .reserve(|| kind_bytes_max(name, None))
                .await?;
            self.registry.delete_kind(name, expected, &mut records)?;
            self.persistence.wait_durable(records).await?;
            Ok(())
        };
        self.calls.delete_kind.time(call).boxed()
    }

    fn put_profiles<'a>(
        &'a self,
        kind: &'a KindRecord,
        changes: &'a [ProfileChange],
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        let call = async move {
            self.check_memory_for_profiles(changes)?;
            let room = || profiles_bytes_max(&kind.name, changes);
            let mut records = self.persistence.reserve(room).await?;
            self.registry
                .change_profiles(&kind.name, changes, &mut records)?;
            self.persistence.wait_durable(records).await
        };
        self.calls.put_profiles.time(call).boxed()
    }

    fn profiles<'a>(
        &'a self,
        kind: &'a KindRecord,
        members: &'a [Member],
    ) -> BoxFuture<'a, Result<Vec<Option<Profile>>, StoreError>> {
        let found = || Ok(self.registry.profiles(&kind.name, members));
        done(self.calls.profiles.time_blocking(found))
    }

    fn board<'a>(
        &'a self,
        name: &'a BoardName,
    ) -> BoxFuture<'a, Result<Option<BoardRecord>, StoreError>> {
        done(
            self.calls
                .board
                .time_blocking(|| Ok(self.registry.board(name))),
        )
    }

    fn boards<'a>(
        &'a self,
        kind: &'a KindName,
        prefix: &'a str,
        after: Option<&'a Subject>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<BoardRecord>, StoreError>> {
        let found = || Ok(self.registry.boards(kind, prefix, after, limit));
        done(self.calls.boards.time_blocking(found))
    }

    fn create_board<'a>(
        &'a self,
        name: &'a BoardName,
        kind: &'a KindRecord,
        seen: Option<Incarnation>,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<BoardRecord, CreateBoardError>> {
        let call = async move {
            if let Some(record) = self.registry.created(name, kind, now) {
                return Ok(record);
            }
            self.check_memory_for(name)?;
            let mut records = self.persistence.reserve(|| BOARD_BYTES_MAX).await?;
            let incarnation = Incarnation(random()?);
            // No need to wait: later results that show the board wait for later records of the
            // journal.
            self.registry
                .create_board(name, kind, seen, incarnation, now, &mut records)
        };
        self.calls.create_board.time(call).boxed()
    }

    fn withdraw<'a>(&'a self, board: &'a BoardRecord) -> BoxFuture<'a, Result<(), StoreError>> {
        let call = async move {
            let mut records = self.persistence.reserve(|| BOARD_BYTES_MAX).await?;
            let next = Incarnation(random()?);
            self.registry
                .withdraw(board.incarnation, next, &mut records);
            // No need to wait, as for the creation.
            Ok(())
        };
        self.calls.withdraw.time(call).boxed()
    }

    fn put_settings<'a>(
        &'a self,
        name: &'a BoardName,
        kind: &'a KindRecord,
        settings: BoardSettings,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<BoardRecord, PutSettingsError>> {
        let call = async move {
            self.check_time()?;
            self.check_memory_for(name)?;
            let mut records = self.persistence.reserve(|| BOARD_BYTES_MAX).await?;
            let incarnation = Incarnation(random()?);
            let record =
                self.registry
                    .put_settings(name, kind, settings, incarnation, now, &mut records)?;
            self.persistence.wait_durable(records).await?;
            Ok(record)
        };
        self.calls.put_settings.time(call).boxed()
    }

    fn change_activity<'a>(
        &'a self,
        board: &'a BoardRecord,
        activity: Activity,
        until: Option<Deadline<'a>>,
    ) -> BoxFuture<'a, Result<BoardRecord, ChangeActivityError>> {
        let call = async move {
            self.check_time()?;
            let mut records = self.persistence.reserve(|| BOARD_BYTES_MAX).await?;
            let record = self
                .registry
                .change_activity(board, activity, until, &mut records)?;
            self.persistence.wait_durable(records).await?;
            Ok(record)
        };
        self.calls.change_activity.time(call).boxed()
    }

    fn delete_board<'a>(
        &'a self,
        name: &'a BoardName,
        _until: Timestamp,
    ) -> BoxFuture<'a, Result<(), DeleteBoardError>> {
        let call = async move {
            let mut records = self.persistence.reserve(|| BOARD_BYTES_MAX).await?;
            self.registry.delete_board(name, &mut records)?;
            self.persistence.wait_durable(records).await?;
            Ok(())
        };
        self.calls.delete_board.time(call).boxed()
    }

    fn apply<'a>(
        &'a self,
        board: &'a BoardRecord,
        shard: u16,
        batch: Batch<'a>,
    ) -> BoxFuture<'a, Result<Vec<Outcome>, StoreError>> {
        let call = async move {
            let cell = self.registry.cell(board.incarnation)?;
            let mut records = self
                .persistence
                .reserve(|| batch_bytes_max(batch.items))
                .await?;
            let outcomes = cell.apply(
                &board.activity,
                shard,
                &batch,
                &self.registry.ids,
                &self.registry.memory,
                &mut records,
            )?;
            self.persistence.wait_durable(records).await?;
            Ok(outcomes)
        };
        self.calls.apply.time(call).boxed()
    }

    fn read<'a>(
        &'a self,
        board: &'a BoardRecord,
        queries: &'a [ShardQuery],
    ) -> BoxFuture<'a, Result<Vec<ShardReading>, StoreError>> {
        done(self.calls.read.time_blocking(|| {
            let cell = self.registry.cell(board.incarnation)?;
            cell.read(&board.activity, self.epoch, queries)
        }))
    }

    fn read_board(
        &self,
        board: &BoardRecord,
        window: Window,
        groups: Groups,
        ask: &RangeAsk,
    ) -> Result<Option<BoardReading>, StoreError> {
        self.calls.read.time_answered(|| {
            let cell = self.registry.cell(board.incarnation)?;
            cell.read_board(&board.activity, self.epoch, window, groups, ask)
        })
    }

    fn durable(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        self.persistence.durable().boxed()
    }

    fn windows<'a>(
        &'a self,
        board: &'a BoardRecord,
        shard: u16,
    ) -> BoxFuture<'a, Result<Vec<WindowCount>, StoreError>> {
        done(self.calls.windows.time_blocking(|| {
            let cell = self.registry.cell(board.incarnation)?;
            cell.windows(&board.activity, shard)
        }))
    }

    fn register_metrics(&self, registry: &mut metering::Registry) {
        self.calls.register(registry);
        self.held.register(registry);
        self.registry.memory.register_metrics(registry);
        if let Persistence::Journal { snapshots, journal } = &self.persistence {
            journal.register_metrics(registry);
            snapshots.metrics().register(snapshots.watched(), registry);
            registry.register_with_unit(
                "recovery_duration",
                "How long this process took to load the folder at its start",
                metering::Unit::Seconds,
                self.recovery.clone(),
            );
        }
    }

    fn check_ready(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        done(self.persistence.ready().and_then(|()| self.check_time()))
    }

    fn check_time(&self) -> Result<(), StoreError> {
        let Some(clock) = &self.clock else {
            return Ok(());
        };
        match clock.judge(own_time(), uptime()) {
            ClockState::Steady | ClockState::Followed => Ok(()),
            ClockState::Jumped(off_ms) => Err(StoreError::Unavailable(clock.rejection(off_ms))),
        }
    }

    fn time(&self, own: Timestamp) -> Timestamp {
        self.clock
            .as_ref()
            .map_or(own, |clock| clock.time(own, uptime()))
    }

    fn close(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        async { self.stop() }.boxed()
    }

    fn drop_expired(&self, now: Timestamp) -> BoxFuture<'_, Result<(), StoreError>> {
        self.calls.expire.time(self.sweep(now)).boxed()
    }

    fn drop_over<'a>(
        &'a self,
        board: &'a BoardRecord,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        let dropped = self.sweep_over(board, now);
        self.calls.expire.time(dropped).boxed()
    }

    fn verify<'a>(
        &'a self,
        board: &'a BoardRecord,
        shard: u16,
        repair: bool,
    ) -> BoxFuture<'a, Result<Vec<IndexMismatch>, StoreError>> {
        if repair {
            return done(Err(StoreError::Unavailable(NO_REPAIR.to_owned())));
        }
        let cell = self.registry.cell(board.incarnation);
        done(cell.and_then(|cell| cell.verify(shard)))
    }
}
