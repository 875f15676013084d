//! The server's view of the boards' records.
//!
//! A record says which life of a board is on and over how many shards; it is cached under
//! [`RECORDS_MAX`]. A cached record may be of a life that has ended: the store refuses it, and the
//! caller forgets it here and asks again. A record is of use to kinds that mean what it says; where one
//! at hand does not, the store tells which of the two is old.

use std::sync::Arc;

use board::{BoardName, Kind, Timestamp};
use moka::sync::Cache;
use shard_store::{BirthError, BoardRecord, ShardStore, StoreError};

use crate::catalogue::KnownKind;

/// Records kept at hand.
const RECORDS_MAX: u64 = 65_536;

/// Cached records over a store's.
pub struct Boards {
    store: Arc<dyn ShardStore>,
    records: Cache<BoardName, Arc<BoardRecord>>,
}

impl Boards {
    pub(crate) fn new(store: Arc<dyn ShardStore>) -> Self {
        Self {
            store,
            records: Cache::new(RECORDS_MAX),
        }
    }

    /// The record of a born board of this kind, if it is at hand: never waits.
    #[must_use]
    pub fn at_hand(&self, name: &BoardName, kind: &Kind) -> Option<Arc<BoardRecord>> {
        let record = self.records.get(name)?;
        (record.meaning == kind.meaning()).then_some(record)
    }

    /// The record of a born board; none for one that nobody has contributed to.
    pub async fn born(&self, name: &BoardName) -> Result<Option<Arc<BoardRecord>>, StoreError> {
        if let Some(record) = self.records.get(name) {
            return Ok(Some(record));
        }
        let record = self.store.board(name).await?.filter(|record| record.born);
        Ok(record.map(|record| self.keep(record)))
    }

    /// The record of a born board of this kind. `StaleKind` where it was born of another, which has
    /// replaced this one.
    pub(crate) async fn born_of(
        &self,
        name: &BoardName,
        kind: &Kind,
    ) -> Result<Option<Arc<BoardRecord>>, StoreError> {
        if let Some(record) = self.at_hand(name, kind) {
            return Ok(Some(record));
        }
        let record = self.store.board(name).await?.filter(|record| record.born);
        let record = record.map(|record| self.keep(record));
        match record {
            Some(record) if record.meaning != kind.meaning() => Err(StoreError::StaleKind),
            record => Ok(record),
        }
    }

    /// The record of the board, born now if it was not.
    pub(crate) async fn born_now(
        &self,
        name: &BoardName,
        kind: &KnownKind,
        now: Timestamp,
    ) -> Result<Arc<BoardRecord>, BirthError> {
        if let Some(record) = self.at_hand(name, &kind.kind) {
            return Ok(record);
        }
        let record = self.store.birth(name, &kind.record, now).await?;
        Ok(self.keep(record))
    }

    /// Forgets a record of a life that has ended.
    pub fn forget(&self, record: &BoardRecord) {
        if self
            .records
            .get(&record.name)
            .is_some_and(|r| r.incarnation == record.incarnation)
        {
            self.records.invalidate(&record.name);
        }
    }

    fn keep(&self, record: BoardRecord) -> Arc<BoardRecord> {
        let record = Arc::new(record);
        self.records.insert(record.name.clone(), record.clone());
        record
    }
}
