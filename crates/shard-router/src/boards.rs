//! [`Boards`]: a cache of the boards' records, and of how busy the boards are.
//!
//! A record has the current incarnation of a board and its shard count; by default
//! [`KNOWN_BOARDS_MAX`] are cached. A cached record may be of an incarnation that has ended, or have
//! settings that were changed: then the store rejects the call, and the caller drops the record here
//! and reads it again. A record can only be used with kinds of its meaning; if a cached one has
//! another, the store decides which of the two is outdated.
//!
//! The record of an expired board is not used from the cache. A read or a write that finds one in the
//! store drops the board there, so that it finds what its name has afterwards.
//!
//! A cached record counts what this server writes to its board ([`WriteRate`]): the count ends with
//! the record.

use std::cmp::Ordering;
use std::ops::Deref;
use std::sync::Arc;

use board::{BoardName, Incarnation, Kind, Timestamp};
use moka::sync::Cache;
use pacing::{STEP, spend};
use shard_store::{BoardRecord, CreateBoardError, ShardStore, StoreError};

use crate::catalogue::KnownKind;
use crate::changes::Changes;
use crate::write_rate::WriteRate;

/// Default number of cached records, of about 500 bytes each.
pub const KNOWN_BOARDS_MAX: u64 = 65_536;

/// The record of a board, and how busy the board is.
#[derive(Debug)]
pub struct KnownBoard {
    record: BoardRecord,
    pub(crate) rate: WriteRate,
}

impl From<BoardRecord> for KnownBoard {
    fn from(record: BoardRecord) -> Self {
        Self {
            record,
            rate: WriteRate::default(),
        }
    }
}

impl Deref for KnownBoard {
    type Target = BoardRecord;

    fn deref(&self) -> &BoardRecord {
        &self.record
    }
}

/// A board to which this server has written contributions.
#[derive(Debug, Clone)]
pub struct BusyBoard {
    /// Its record.
    pub record: Arc<KnownBoard>,
    /// The contributions that were applied per minute, averaged with a half-life of a minute.
    pub contributions_per_minute: f64,
}

impl BusyBoard {
    fn busiest_first(&self, other: &Self) -> Ordering {
        let by_rate = (other.contributions_per_minute).total_cmp(&self.contributions_per_minute);
        by_rate.then_with(|| self.record.name.cmp(&other.record.name))
    }
}

/// The work of looking at a cached record, in entries of a board.
const RECORD_WORK: usize = 2;

/// A cache of the records in a store.
pub struct Boards {
    store: Arc<dyn ShardStore>,
    records: Cache<BoardName, Arc<KnownBoard>>,
    changes: Changes,
}

impl Boards {
    pub(crate) fn new(store: Arc<dyn ShardStore>, known_max: u64) -> Self {
        Self {
            store,
            records: Cache::new(known_max),
            changes: Changes::default(),
        }
    }

    /// Returns the changes of cached records, by the name of their board. Records that are evicted do not count.
    #[must_use]
    pub const fn changes(&self) -> &Changes {
        &self.changes
    }

    /// Returns the record of a created board of this kind that has not expired, if it is cached:
    /// never waits.
    #[must_use]
    pub fn cached(&self, name: &BoardName, kind: &Kind, now: Timestamp) -> Option<Arc<KnownBoard>> {
        let record = self.kept(name)?;
        let is_this = record.meaning == kind.meaning() && !record.activity.has_expired(now);
        is_this.then_some(record)
    }

    /// Returns the record of a created board; `None` if it has no contributions.
    pub async fn created(&self, name: &BoardName) -> Result<Option<Arc<KnownBoard>>, StoreError> {
        if let Some(record) = self.kept(name) {
            return Ok(Some(record));
        }
        let record = self
            .store
            .board(name)
            .await?
            .filter(|record| record.created);
        Ok(record.map(|record| self.keep(record)))
    }

    /// Returns the record that the store has of a board, created or not, once one whose time is over is dropped.
    pub async fn stored(
        &self,
        name: &BoardName,
        now: Timestamp,
    ) -> Result<Option<BoardRecord>, StoreError> {
        let found = self.store.board(name).await?;
        match &found {
            Some(record) if self.has_dropped(record, now).await => self.store.board(name).await,
            _ => Ok(found),
        }
    }

    /// Returns the record of a board of this kind, created or not. `StaleKind` if it was created
    /// under a kind that has replaced this one.
    pub(crate) async fn found_of(
        &self,
        name: &BoardName,
        kind: &Kind,
        now: Timestamp,
    ) -> Result<Option<Arc<KnownBoard>>, StoreError> {
        if let Some(record) = self.cached(name, kind, now) {
            return Ok(Some(record));
        }
        let Some(record) = self.stored(name, now).await? else {
            return Ok(None);
        };
        if !record.created {
            // Its settings may change at any time, so it is not cached.
            return Ok(Some(Arc::new(record.into())));
        }
        let record = self.keep(record);
        if record.meaning == kind.meaning() {
            Ok(Some(record))
        } else {
            Err(StoreError::StaleKind)
        }
    }

    /// Creates the board if it does not exist, and returns its record. If its settings have bounds,
    /// they must be those that were `seen`.
    pub(crate) async fn created_now(
        &self,
        name: &BoardName,
        kind: &KnownKind,
        seen: Option<Incarnation>,
        now: Timestamp,
    ) -> Result<Arc<KnownBoard>, CreateBoardError> {
        if let Some(record) = self.cached(name, &kind.kind, now) {
            return Ok(record);
        }
        let create = |seen| self.store.create_board(name, &kind.record, seen, now);
        let mut created = create(seen).await;
        let record = match &created {
            Ok(record) => Some(record),
            Err(CreateBoardError::SettingsUnseen(uncreated)) => Some(&**uncreated),
            Err(_) => None,
        };
        if let Some(record) = record
            && self.has_dropped(record, now).await
        {
            created = create(seen).await;
        }
        Ok(self.keep(created?))
    }

    /// Drops a board whose time is over from the store: its name is free at once, not only after the next sweep. Returns
    /// whether it did. If it cannot be dropped now, it stays as it is: expired.
    async fn has_dropped(&self, record: &BoardRecord, now: Timestamp) -> bool {
        if !record.activity.has_expired(now) {
            return false;
        }
        let dropped = self.store.drop_over(record, now).await;
        if let Err(error) = &dropped {
            tracing::debug!(board = %record.name, %error, "an expired board is left to the sweep");
        }
        dropped.is_ok()
    }

    /// Returns whether a cached record is still the board's in the store. If not, it is dropped.
    pub(crate) async fn is_current(&self, record: &BoardRecord) -> Result<bool, StoreError> {
        let now = self.store.board(&record.name).await?;
        let is_it = now.is_some_and(|now| now == *record);
        if !is_it {
            self.forget(record);
        }
        Ok(is_it)
    }

    /// Drops the record of an incarnation that has ended.
    pub fn forget(&self, record: &BoardRecord) {
        let kept = self.kept(&record.name);
        if kept.is_some_and(|kept| kept.incarnation == record.incarnation) {
            let forget = || self.records.invalidate(&record.name);
            self.changes.change(&record.name, forget);
        }
    }

    /// Returns the cached boards of a kind to which this server has written contributions, and whose
    /// subjects begin with `prefix`: the busiest `limit`, the busiest first. Looks at all cached
    /// records, in steps.
    pub async fn busiest(
        &self,
        kind: &Kind,
        prefix: &str,
        limit: usize,
        now: Timestamp,
    ) -> Vec<BusyBoard> {
        let mut boards: Vec<BusyBoard> = Vec::new();
        for (name, record) in &self.records {
            spend(RECORD_WORK).await;
            let is_listed = name.kind() == kind.name()
                && name.subject().as_str().starts_with(prefix)
                && record.meaning == kind.meaning()
                && !record.activity.has_expired(now);
            let contributions_per_minute = record.rate.per_minute(now);
            if is_listed && contributions_per_minute > 0.0 {
                boards.push(BusyBoard {
                    record,
                    contributions_per_minute,
                });
            }
            if boards.len() >= 2 * limit.max(STEP) {
                boards.select_nth_unstable_by(limit, BusyBoard::busiest_first);
                boards.truncate(limit);
            }
        }
        boards.sort_by(BusyBoard::busiest_first);
        boards.truncate(limit);
        boards
    }

    fn kept(&self, name: &BoardName) -> Option<Arc<KnownBoard>> {
        self.records.get(name)
    }

    fn keep(&self, record: BoardRecord) -> Arc<KnownBoard> {
        let record = Arc::new(KnownBoard::from(record));
        let keep = || self.records.insert(record.name.clone(), record.clone());
        self.changes.change(&record.name, keep);
        record
    }
}
