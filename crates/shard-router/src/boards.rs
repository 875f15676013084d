//! The server's view of the boards' records.
//!
//! A record says which incarnation of a board is on and over how many shards; some are cached, by default
//! [`KNOWN_BOARDS_MAX`]. A cached record may be of an incarnation that has ended: the store refuses it, and the
//! caller forgets it here and asks again. One whose board has expired is asked for each time: soon the
//! name is free, or another board's. A record is of use to kinds that mean what it says; where one
//! at hand does not, the store tells which of the two is old.

use std::sync::Arc;

use board::{BoardName, Incarnation, Kind, Timestamp};
use moka::sync::Cache;
use shard_store::{BoardRecord, CreateBoardError, ShardStore, StoreError};

use crate::catalogue::KnownKind;

/// Records that are kept at hand unless set otherwise: some 500 bytes each.
pub const KNOWN_BOARDS_MAX: u64 = 65_536;

/// Cached records over a store's.
pub struct Boards {
    store: Arc<dyn ShardStore>,
    records: Cache<BoardName, Arc<BoardRecord>>,
}

impl Boards {
    pub(crate) fn new(store: Arc<dyn ShardStore>, known_max: u64) -> Self {
        Self {
            store,
            records: Cache::new(known_max),
        }
    }

    /// The record of a created board of this kind that has not expired, if it is at hand: never waits.
    #[must_use]
    pub fn at_hand(
        &self,
        name: &BoardName,
        kind: &Kind,
        now: Timestamp,
    ) -> Option<Arc<BoardRecord>> {
        let record = self.kept(name)?;
        let is_this = record.meaning == kind.meaning() && !record.activity.has_expired(now);
        is_this.then_some(record)
    }

    /// The record of a created board; none for one that nobody has contributed to.
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

    /// The record of a board of this kind, also of one not yet created. `StaleKind` where it was created from
    /// another, which has replaced this one.
    pub(crate) async fn found_of(
        &self,
        name: &BoardName,
        kind: &Kind,
        now: Timestamp,
    ) -> Result<Option<Arc<BoardRecord>>, StoreError> {
        if let Some(record) = self.at_hand(name, kind, now) {
            return Ok(Some(record));
        }
        let Some(record) = self.store.board(name).await? else {
            return Ok(None);
        };
        if !record.created {
            // Its settings may change at any time: it is read anew by whoever comes next.
            return Ok(Some(Arc::new(record)));
        }
        let record = self.keep(record);
        if record.meaning == kind.meaning() {
            Ok(Some(record))
        } else {
            Err(StoreError::StaleKind)
        }
    }

    /// The record of the board, created now if it was not: with the settings that were `seen`, where
    /// those bound its time.
    pub(crate) async fn created_now(
        &self,
        name: &BoardName,
        kind: &KnownKind,
        seen: Option<Incarnation>,
        now: Timestamp,
    ) -> Result<Arc<BoardRecord>, CreateBoardError> {
        if let Some(record) = self.at_hand(name, &kind.kind, now) {
            return Ok(record);
        }
        let record = self
            .store
            .create_board(name, &kind.record, seen, now)
            .await?;
        Ok(self.keep(record))
    }

    /// Whether a record at hand is still the board's, as the store has it now. One that is not is forgotten.
    pub(crate) async fn is_current(&self, record: &BoardRecord) -> Result<bool, StoreError> {
        let now = self.store.board(&record.name).await?;
        let is_it = now.is_some_and(|now| now.created && now.incarnation == record.incarnation);
        if !is_it {
            self.forget(record);
        }
        Ok(is_it)
    }

    /// Forgets a record of an incarnation that has ended.
    pub fn forget(&self, record: &BoardRecord) {
        let kept = self.kept(&record.name);
        if kept.is_some_and(|kept| kept.incarnation == record.incarnation) {
            self.records.invalidate(&record.name);
        }
    }

    fn kept(&self, name: &BoardName) -> Option<Arc<BoardRecord>> {
        self.records.get(name)
    }

    fn keep(&self, record: BoardRecord) -> Arc<BoardRecord> {
        let record = Arc::new(record);
        self.records.insert(record.name.clone(), record.clone());
        record
    }
}
