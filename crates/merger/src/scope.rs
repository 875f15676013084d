//! What one read is about, and its calls to shards.

use std::sync::Arc;

use board::{Kind, RankStyle, Timestamp, Window};
use futures::future::{join_all, try_join_all};
use shard_store::{Ask, BoardRecord, Query, Reading, ShardStore, ShardVersion, StoreError};

use crate::counters::Counters;
use crate::version::Version;

/// One window of one life of a board.
#[derive(Clone)]
pub(crate) struct Scope<'a> {
    pub(crate) store: &'a dyn ShardStore,
    pub(crate) counters: &'a Counters,
    pub(crate) record: Arc<BoardRecord>,
    pub(crate) kind: &'a Arc<Kind>,
    pub(crate) window: Window,
    /// When the read began.
    pub(crate) as_of: Timestamp,
}

impl Scope<'_> {
    pub(crate) fn shards(&self) -> u16 {
        self.record.shards.get()
    }

    /// Whether ranks need to know where groups of equal fields begin.
    pub(crate) fn groups(&self) -> bool {
        self.kind.rank_style() == RankStyle::Competition
    }

    /// One look at one shard.
    pub(crate) async fn look(
        &self,
        shard: u16,
        asks: Vec<Ask>,
        unless: Option<ShardVersion>,
    ) -> Result<Reading, StoreError> {
        let query = Query {
            window: self.window,
            unless,
            groups: self.groups(),
            asks,
        };
        self.store.read(&self.record, shard, &query).await
    }

    /// One round: a look at each of these shards, all at once.
    pub(crate) async fn round(
        &self,
        looks: Vec<(u16, Vec<Ask>)>,
    ) -> Result<Vec<Reading>, StoreError> {
        let looks = looks
            .into_iter()
            .map(|(shard, asks)| self.look(shard, asks, None));
        let readings = try_join_all(looks).await?;
        self.counters
            .count_round(readings.iter().map(entries).sum());
        Ok(readings)
    }

    /// One round: the same asked of every shard.
    pub(crate) async fn round_of_all(&self, asks: &[Ask]) -> Result<Vec<Reading>, StoreError> {
        self.round(
            (0..self.shards())
                .map(|shard| (shard, asks.to_vec()))
                .collect(),
        )
        .await
    }

    /// One round: the same asked of every shard that has changed since `known`.
    pub(crate) async fn round_unless(
        &self,
        asks: &[Ask],
        known: &Version,
    ) -> Result<Vec<Reading>, StoreError> {
        let look = |shard| self.look(shard, asks.to_vec(), known.shard(shard));
        let readings = try_join_all((0..self.shards()).map(look)).await?;
        self.counters
            .count_round(readings.iter().map(entries).sum());
        Ok(readings)
    }

    /// The version of a reading of each shard, in order.
    pub(crate) fn version(&self, readings: &[Reading]) -> Version {
        let shards = readings.iter().map(|reading| reading.version).collect();
        Version::new(self.record.incarnation, self.kind.rank_style(), shards)
    }

    /// Every shard's windows.
    pub(crate) async fn windows(&self) -> Result<Vec<shard_store::WindowCount>, StoreError> {
        let calls = (0..self.shards()).map(|shard| self.store.windows(&self.record, shard));
        let counts: Result<Vec<_>, _> = join_all(calls).await.into_iter().collect();
        self.counters.count_round(0);
        Ok(counts?.into_iter().flatten().collect())
    }
}

fn entries(reading: &Reading) -> usize {
    reading
        .parts
        .iter()
        .flatten()
        .map(|part| part.entries.len())
        .sum()
}
