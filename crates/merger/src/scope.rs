//! What one read is about, and its calls to shards.

use std::sync::Arc;

use board::{Kind, RankStyle, Timestamp, Window};
use futures::FutureExt;
use futures::future::{join_all, try_join_all};
use futures::stream::{self, StreamExt};
use shard_router::SPANS;
use shard_store::{Ask, BoardRecord, Query, Reading, ShardStore, ShardVersion, StoreError};
use tracing::Instrument as _;

use crate::counters::Counters;
use crate::version::Version;

/// Parts that shards may be sending at once where they are only counted: as many shards are asked
/// together as may answer within it, and at least one.
const COUNTED_PARTS_MAX: usize = 65_536;

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

    /// So many of the board are ranked at most: shards may have more.
    pub(crate) fn listed(&self) -> u64 {
        self.kind.retain().map_or(u64::MAX, |retain| retain.keep)
    }

    /// How many of the board are ranked, where shards have so many.
    pub(crate) fn members(&self, of_shards: impl Iterator<Item = u64>) -> u64 {
        of_shards.sum::<u64>().min(self.listed())
    }

    /// The same of a reading of each shard.
    pub(crate) fn members_of(&self, readings: &[Reading]) -> u64 {
        self.members(readings.iter().map(|reading| reading.members))
    }

    /// One look at one shard.
    pub(crate) async fn look(
        &self,
        shard: u16,
        asks: Arc<[Ask]>,
        unless: Option<ShardVersion>,
    ) -> Result<Reading, StoreError> {
        let query = Query {
            window: self.window,
            unless,
            groups: self.groups(),
            asks,
        };
        let span = tracing::trace_span!(target: SPANS, "read", megaboard.shard = i64::from(shard));
        let read = self.store.read(&self.record, shard, &query);
        read.instrument(span).await
    }

    /// One round: a look at each of these shards, all at once.
    pub(crate) async fn round(
        &self,
        looks: Vec<(u16, Arc<[Ask]>)>,
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
    pub(crate) async fn round_of_all(
        &self,
        asks: impl Into<Arc<[Ask]>>,
    ) -> Result<Vec<Reading>, StoreError> {
        let asks = asks.into();
        self.round(
            (0..self.shards())
                .map(|shard| (shard, asks.clone()))
                .collect(),
        )
        .await
    }

    /// One round: the same asked of every shard. Each reading is taken as it comes, in the order of
    /// shards, and none is kept.
    pub(crate) async fn each_of_all(
        &self,
        asks: Arc<[Ask]>,
        mut take: impl FnMut(u16, Reading) + Send,
    ) -> Result<(), StoreError> {
        let at_once = (COUNTED_PARTS_MAX / asks.len().max(1)).max(1);
        let look = |shard| self.look(shard, asks.clone(), None).boxed();
        let looks: Vec<_> = (0..self.shards()).map(look).collect();
        let mut readings = stream::iter(looks).buffered(at_once);
        let mut fetched = 0;
        let mut shards = 0..;
        while let Some(reading) = readings.next().await {
            let (shard, reading) = (shards.next().unwrap_or_default(), reading?);
            fetched += entries(&reading);
            take(shard, reading);
        }
        self.counters.count_round(fetched);
        Ok(())
    }

    /// One round: the same asked of every shard that has changed since `known`.
    pub(crate) async fn round_unless(
        &self,
        asks: Arc<[Ask]>,
        known: &Version,
    ) -> Result<Vec<Reading>, StoreError> {
        let look = |shard| self.look(shard, asks.clone(), known.shard(shard));
        let readings = try_join_all((0..self.shards()).map(look)).await?;
        self.counters
            .count_round(readings.iter().map(entries).sum());
        Ok(readings)
    }

    /// The version of a reading of each shard, in order.
    pub(crate) fn version(&self, readings: &[Reading]) -> Version {
        self.version_of(readings.iter().map(|reading| reading.version).collect())
    }

    /// The version of the whole, of those of each shard, in order.
    pub(crate) fn version_of(&self, shards: Vec<ShardVersion>) -> Version {
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
