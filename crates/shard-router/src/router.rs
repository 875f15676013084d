//! [`Router`]: what the service writes through.

use std::sync::{Arc, OnceLock};

use board::{BoardName, Kind, Member, Timestamp};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use futures::stream::{self, StreamExt};
use metering::Registry;
use shard_store::{
    BoardRecord, BoardSettings, Change, DeleteBoardError, Failure, PutSettingsError, ShardStore,
    StoreError,
};

use crate::boards::{Boards, KNOWN_BOARDS_MAX};
use crate::catalogue::{Catalogue, KnownKind};
use crate::metrics::Metrics;
use crate::moment::Moment;
use crate::plan::plan;
use crate::send::{Gate, Sending};
use crate::watch::{Watch, Watcher};
use crate::write::{Write, Written};

/// Tries at putting settings of a board whose kind somebody else keeps writing.
const SETTINGS_TRIES_MAX: usize = 5;

/// The way of a write, from admission to the store's answer.
pub struct Router {
    store: Arc<dyn ShardStore>,
    catalogue: Catalogue,
    boards: Boards,
    watcher: OnceLock<Arc<dyn Watcher>>,
    metrics: Metrics,
}

impl Router {
    /// A router over a store.
    pub async fn open(store: Arc<dyn ShardStore>) -> Result<Self, StoreError> {
        Self::open_with(store, KNOWN_BOARDS_MAX).await
    }

    /// A router over a store that keeps the records of so many boards at hand; others it asks the
    /// store for each time.
    pub async fn open_with(
        store: Arc<dyn ShardStore>,
        known_boards_max: u64,
    ) -> Result<Self, StoreError> {
        let catalogue = Catalogue::open(store.clone()).await?;
        Ok(Self {
            boards: Boards::new(store.clone(), known_boards_max),
            catalogue,
            store,
            watcher: OnceLock::new(),
            metrics: Metrics::default(),
        })
    }

    /// Has boards of kinds that are published watched from now on: by one watcher, the first.
    pub fn watch(&self, watcher: Arc<dyn Watcher>) {
        // A second one would not hear of what came before.
        let _ = self.watcher.set(watcher);
    }

    /// Names what is counted here and in the store, which goes on being counted.
    pub fn register_metrics(&self, registry: &mut Registry) {
        self.metrics.register(registry);
        self.store.register_metrics(registry);
    }

    /// The kinds.
    #[must_use]
    pub const fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// The boards' records.
    #[must_use]
    pub const fn boards(&self) -> &Boards {
        &self.boards
    }

    /// The store.
    #[must_use]
    pub const fn store(&self) -> &Arc<dyn ShardStore> {
        &self.store
    }

    /// The record of a board, for a read by this kind: created, or with settings only; none for one that
    /// nobody has contributed to, and for one that has expired. `StaleKind` where another kind has taken its place: by then it is in the catalogue.
    pub async fn record(
        &self,
        name: &BoardName,
        kind: &Kind,
        now: Timestamp,
    ) -> Result<Option<Arc<BoardRecord>>, StoreError> {
        let record = self.boards.found_of(name, kind, now).await;
        if record == Err(StoreError::StaleKind) {
            self.catalogue.refresh().await?;
        }
        Ok(record?.filter(|record| !record.activity.has_expired(now)))
    }

    /// Applies writes, boards and shards side by side, each write whole or not at all. One outcome
    /// for each, in their order. Writes of one member to one board are applied in order. Nothing is
    /// applied to a window, or a board, that has closed meanwhile.
    ///
    /// Boxed, so that whoever waits for it does not compile it again.
    pub fn write<'a>(
        &'a self,
        writes: &'a [Write],
        moment: impl Into<Moment>,
        report: bool,
    ) -> BoxFuture<'a, Vec<Written>> {
        let moment = moment.into();
        self.write_at(writes, moment, report, Gate::Kept).boxed()
    }

    /// Takes a member off these boards of a kind, those included whose time is over or yet to come.
    pub fn erase<'a>(
        &'a self,
        member: &Member,
        kind: &KnownKind,
        boards: &[Arc<BoardName>],
        now: Timestamp,
    ) -> BoxFuture<'a, Vec<Written>> {
        let write = |board: &Arc<BoardName>| Write {
            board: board.clone(),
            kind: kind.clone(),
            member: member.clone(),
            change: Change::Remove,
            at: now,
            id: None,
            only: None,
        };
        let writes: Vec<Write> = boards.iter().map(write).collect();
        let moment = now.into();
        let written = async move { self.write_at(&writes, moment, false, Gate::Open).await };
        written.boxed()
    }

    async fn write_at(
        &self,
        writes: &[Write],
        moment: Moment,
        report: bool,
        gate: Gate,
    ) -> Vec<Written> {
        let plan = plan(writes, moment.now);
        let lost = || Failure::Unknown("no outcome was answered".to_owned());
        let mut written: Vec<Option<Written>> = vec![None; writes.len()];
        // A rejection is for good, and what is too early or too late by a wrong clock may be neither.
        if let Err(error) = self.store.check_time() {
            let failure = match error {
                StoreError::Unavailable(why) => Failure::Unavailable(why),
                error => error.of_unsent(),
            };
            return vec![Written::Failed(failure); writes.len()];
        }
        for (place, reason) in plan.refused {
            written[place] = Some(Written::Refused(reason));
        }
        let watch = Watch::over_writes(self.watcher(), &plan.boards);
        let sending = Sending {
            store: &*self.store,
            catalogue: &self.catalogue,
            boards: &self.boards,
            writes,
            moment,
            report,
            gate,
            metrics: &self.metrics,
        };
        let sending = &sending;
        self.metrics.boards.observe_count(plan.boards.len());
        let sends = plan
            .boards
            .into_iter()
            .map(|board| sending.send(board).boxed());
        let mut sends = stream::iter(sends.collect::<Vec<_>>())
            .buffer_unordered(self.store.applied_at_once_max());
        while let Some(outcomes) = sends.next().await {
            for (place, outcome) in outcomes {
                written[place] = Some(outcome);
            }
        }
        let written: Vec<_> = written
            .into_iter()
            .map(|w| w.unwrap_or_else(|| Written::Failed(lost())))
            .collect();
        watch.written(&written);
        written
    }

    /// Gives a board that is not yet created these settings, in place of earlier ones. What a server that shares the
    /// store has
    /// made of its kind meanwhile is no matter: it is looked up.
    pub async fn put_settings(
        &self,
        name: &BoardName,
        kind: &KnownKind,
        settings: BoardSettings,
        now: Timestamp,
    ) -> Result<BoardRecord, PutSettingsError> {
        let mut record = kind.record.clone();
        for _ in 1..SETTINGS_TRIES_MAX {
            match self.store.put_settings(name, &record, settings, now).await {
                Err(PutSettingsError::StaleKind) => {}
                settled => return settled,
            }
            self.catalogue.refresh().await?;
            match self.catalogue.known(name.kind().as_str()) {
                Some(current) => record = current.record,
                None => return Err(PutSettingsError::StaleKind),
            }
        }
        self.store.put_settings(name, &record, settings, now).await
    }

    /// Deletes a board with all its windows. What comes later under its name is another board.
    pub async fn delete_board(
        &self,
        name: &BoardName,
        now: Timestamp,
    ) -> Result<(), DeleteBoardError> {
        let kind = self.catalogue.known(name.kind().as_str());
        let span = kind.map_or(board::limits::DEDUPE_MAX, |known| known.kind.dedupe());
        if let Some(record) = self.boards.created(name).await? {
            self.boards.forget(&record);
        }
        let watch = Watch::over_deletion(self.watcher(), name);
        let deleted = self.store.delete_board(name, now.plus(span)).await;
        watch.deleted();
        deleted
    }

    fn watcher(&self) -> Option<&dyn Watcher> {
        self.watcher.get().map(|watcher| &**watcher)
    }
}
