//! [`Router`]: writes contributions for the service.

use std::sync::{Arc, OnceLock};

use board::{Activity, BoardName, Kind, Member, Timestamp, Window};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use metering::Registry;
use shard_store::{
    BoardRecord, BoardSettings, Change, ChangeActivityError, DeleteBoardError, ItemFailure,
    PutSettingsError, ShardStore, StoreError,
};

use crate::arrivals::Arrivals;
use crate::batch::{BoardBatches, Contribution};
use crate::boards::{Boards, KNOWN_BOARDS_MAX, KnownBoard};
use crate::catalogue::{Catalogue, KnownKind};
use crate::concurrently::concurrently;
use crate::metrics::Metrics;
use crate::moment::Moment;
use crate::outcomes::{Outcomes, in_order};
use crate::plan::plan;
use crate::send::{ActivityCheck, Sending};
use crate::target_board::BoardFinder;
use crate::watch::{Watch, Watcher};
use crate::write::WriteOutcome;

/// Attempts at writing settings of a board whose kind others keep writing.
const SETTINGS_TRIES_MAX: usize = 5;

/// What a read finds under a board's name.
#[derive(Debug)]
pub enum FoundBoard {
    /// A board with contributions, in this incarnation.
    Created(Arc<KnownBoard>),
    /// No board; the settings of the one that a contribution would create.
    Uncreated(BoardSettings),
    /// A board that has expired and is not deleted yet: empty for readers. When it is deleted, its name
    /// gets other settings ([`Activity::settings_after`]), so nothing about it is final until then.
    Expired,
}

/// Routes writes, from admission to the store's result.
pub struct Router {
    store: Arc<dyn ShardStore>,
    catalogue: Catalogue,
    boards: Boards,
    arrivals: Arrivals,
    watcher: OnceLock<Arc<dyn Watcher>>,
    metrics: Metrics,
}

impl Router {
    /// Creates a router over a store.
    pub async fn open(store: Arc<dyn ShardStore>) -> Result<Self, StoreError> {
        Self::open_with(store, KNOWN_BOARDS_MAX).await
    }

    /// Creates a router over a store that caches the records of `known_boards_max` boards; others
    /// are read from the store each time.
    pub async fn open_with(
        store: Arc<dyn ShardStore>,
        known_boards_max: u64,
    ) -> Result<Self, StoreError> {
        let catalogue = Catalogue::open(store.clone()).await?;
        Ok(Self {
            boards: Boards::new(store.clone(), known_boards_max),
            catalogue,
            store,
            arrivals: Arrivals::default(),
            watcher: OnceLock::new(),
            metrics: Metrics::default(),
        })
    }

    /// Sets the watcher of boards of published kinds. Only the first call has an effect.
    pub fn watch(&self, watcher: Arc<dyn Watcher>) {
        // A second watcher would have missed earlier changes.
        let _ = self.watcher.set(watcher);
    }

    /// Registers the metrics of the router and of the store.
    pub fn register_metrics(&self, registry: &mut Registry) {
        self.metrics.register_all(registry);
        self.store.register_metrics(registry);
    }

    /// Returns the catalogue of kinds.
    #[must_use]
    pub const fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// Returns the cache of board records.
    #[must_use]
    pub const fn boards(&self) -> &Boards {
        &self.boards
    }

    /// Returns the time of a contribution that brings none and arrives now: later than all that this server gave
    /// before.
    #[must_use]
    pub fn arrival(&self, now: Timestamp) -> Timestamp {
        self.arrivals.next(now)
    }

    /// Returns the store.
    #[must_use]
    pub const fn store(&self) -> &Arc<dyn ShardStore> {
        &self.store
    }

    /// Returns what a read under this kind finds under a board's name. `StaleKind` if another kind has
    /// replaced it, which is in the catalogue by then.
    pub async fn found(
        &self,
        name: &BoardName,
        kind: &Kind,
        now: Timestamp,
    ) -> Result<FoundBoard, StoreError> {
        let record = self.boards.found_of(name, kind, now).await;
        if matches!(record, Err(StoreError::StaleKind)) {
            self.catalogue.refresh().await?;
        }
        Ok(match record? {
            None => FoundBoard::Uncreated(kind.shards().into()),
            Some(record) if record.activity.has_expired(now) => FoundBoard::Expired,
            Some(record) if record.created => FoundBoard::Created(record),
            Some(record) => FoundBoard::Uncreated(BoardSettings {
                shards: record.shards,
                activity: record.activity,
            }),
        })
    }

    /// Applies contributions, boards and shards concurrently, each as a whole or not at all.
    /// Returns one outcome for each, in the order in which they were collected. Those of one member
    /// to one board are applied in order. Nothing is applied to a window, or a board, that has
    /// closed in the meantime.
    ///
    /// Boxed, so that callers do not compile it again.
    pub fn write(
        &self,
        batches: impl Into<BoardBatches>,
        moment: impl Into<Moment>,
        report: bool,
    ) -> BoxFuture<'_, Vec<WriteOutcome>> {
        let (batches, moment) = (batches.into(), moment.into());
        self.write_at(batches, moment, report, ActivityCheck::Enforced)
            .boxed()
    }

    /// Removes a member from these boards of a kind, including those whose activity is over or has
    /// not begun.
    pub fn erase(
        &self,
        member: &Member,
        kind: &KnownKind,
        boards: &[Arc<BoardName>],
        now: Timestamp,
    ) -> BoxFuture<'_, Vec<WriteOutcome>> {
        let mut batches = BoardBatches::default();
        for board in boards {
            let removal = Contribution {
                member: member.clone(),
                change: Change::Remove,
                at: now,
                id: None,
                only: None,
            };
            let slot = batches.slot(board.clone());
            batches.push(slot, kind, removal);
        }
        self.write_at(batches, now.into(), false, ActivityCheck::Skipped)
            .boxed()
    }

    /// Removes members from the window without bounds of a board, if their standings there were reached up
    /// to `bound`, and the board has not ended.
    pub(crate) fn expire(
        &self,
        kind: &KnownKind,
        board: &BoardName,
        members: Vec<Member>,
        bound: Timestamp,
        moment: Moment,
    ) -> BoxFuture<'_, Vec<WriteOutcome>> {
        let mut batches = BoardBatches::default();
        let slot = batches.slot(Arc::new(board.clone()));
        for member in members {
            let removal = Contribution {
                member,
                change: Change::Expire,
                at: bound,
                id: None,
                only: Some(Window::ALL_TIME),
            };
            batches.push(slot, kind, removal);
        }
        self.write_at(batches, moment, false, ActivityCheck::End)
            .boxed()
    }

    async fn write_at(
        &self,
        batches: BoardBatches,
        moment: Moment,
        report: bool,
        activity_check: ActivityCheck,
    ) -> Vec<WriteOutcome> {
        let count = batches.len();
        // A rejection is permanent, and by a wrong clock a contribution may only seem too early or
        // too late.
        if let Err(error) = self.store.check_time() {
            let failure = match error {
                StoreError::Unavailable(why) => ItemFailure::Unavailable(why),
                error => error.of_unsent(),
            };
            return vec![WriteOutcome::Failed(failure); count];
        }
        let mut outcomes = Outcomes::new();
        let boards = plan(batches, moment.now, &mut outcomes);
        self.metrics.boards.observe_count(boards.len());
        let sending = Sending {
            store: &*self.store,
            finder: BoardFinder {
                catalogue: &self.catalogue,
                boards: &self.boards,
            },
            moment,
            report,
            activity_check,
            watcher: self.watcher(),
            metrics: &self.metrics,
        };
        let calls_max = self.store.capabilities().concurrent_applies_max();
        let sent = concurrently(boards, calls_max, |board| sending.send(board)).await;
        in_order(count, sent.into_iter().flatten().chain(outcomes))
    }

    /// Sets the settings of a board that is not yet created, replacing earlier ones. If another
    /// server has changed its kind in the meantime, the kind is read again.
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

    /// Changes the activity of a created board from that of `board`, before `until`; later by the clock
    /// of `moment`, nothing is changed.
    pub async fn change_activity(
        &self,
        board: &BoardRecord,
        activity: Activity,
        until: Option<Timestamp>,
        moment: &Moment,
    ) -> Result<BoardRecord, ChangeActivityError> {
        let until = until.and_then(|at| moment.deadline(at));
        let watch = Watch::over_board(self.watcher(), &board.name);
        let changed = self.store.change_activity(board, activity, until).await;
        // What was read before has the old settings, also if it is unknown whether they were changed.
        self.boards.forget(board);
        watch.changed();
        changed
    }

    /// Deletes a board with all its windows. A later board of its name is another incarnation.
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
        let watch = Watch::over_board(self.watcher(), name);
        let deleted = self.store.delete_board(name, now.plus(span)).await;
        watch.changed();
        deleted
    }

    pub(crate) fn watcher(&self) -> Option<&dyn Watcher> {
        self.watcher.get().map(|watcher| &**watcher)
    }
}
