//! [`Boards`]: a cache of the boards' records.
//!
//! A record has the current incarnation of a board and its shard count; by default
//! [`KNOWN_BOARDS_MAX`] are cached. A cached record may be of an incarnation that has ended, or have
//! settings that were changed: then the store rejects the call, and the caller drops the record here
//! and reads it again. The record
//! of an expired board is not used from the cache: soon the name is free, or another board's. A
//! record can only be used with kinds of its meaning; if a cached one has another, the store
//! decides which of the two is outdated.

use std::sync::Arc;

use board::{BoardName, Incarnation, Kind, Timestamp};
use moka::sync::Cache;
use shard_store::{BoardRecord, CreateBoardError, ShardStore, StoreError};

use crate::catalogue::KnownKind;
use crate::changes::Changes;

/// Default number of cached records, of about 500 bytes each.
pub const KNOWN_BOARDS_MAX: u64 = 65_536;

/// A cache of the records in a store.
pub struct Boards {
    store: Arc<dyn ShardStore>,
    records: Cache<BoardName, Arc<BoardRecord>>,
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
    pub fn cached(
        &self,
        name: &BoardName,
        kind: &Kind,
        now: Timestamp,
    ) -> Option<Arc<BoardRecord>> {
        let record = self.kept(name)?;
        let is_this = record.meaning == kind.meaning() && !record.activity.has_expired(now);
        is_this.then_some(record)
    }

    /// Returns the record of a created board; `None` if it has no contributions.
    pub async fn created(&self, name: &BoardName) -> Result<Option<Arc<BoardRecord>>, StoreError> {
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

    /// Returns the record of a board of this kind, created or not. `StaleKind` if it was created
    /// under a kind that has replaced this one.
    pub(crate) async fn found_of(
        &self,
        name: &BoardName,
        kind: &Kind,
        now: Timestamp,
    ) -> Result<Option<Arc<BoardRecord>>, StoreError> {
        if let Some(record) = self.cached(name, kind, now) {
            return Ok(Some(record));
        }
        let Some(record) = self.store.board(name).await? else {
            return Ok(None);
        };
        if !record.created {
            // Its settings may change at any time, so it is not cached.
            return Ok(Some(Arc::new(record)));
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
    ) -> Result<Arc<BoardRecord>, CreateBoardError> {
        if let Some(record) = self.cached(name, &kind.kind, now) {
            return Ok(record);
        }
        let record = self
            .store
            .create_board(name, &kind.record, seen, now)
            .await?;
        Ok(self.keep(record))
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

    fn kept(&self, name: &BoardName) -> Option<Arc<BoardRecord>> {
        self.records.get(name)
    }

    fn keep(&self, record: BoardRecord) -> Arc<BoardRecord> {
        let record = Arc::new(record);
        let keep = || self.records.insert(record.name.clone(), record.clone());
        self.changes.change(&record.name, keep);
        record
    }
}
