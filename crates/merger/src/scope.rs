//! What one read is about, and its calls to shards.
//!
//! A shard of a kind with [`Retain`](board::Retain) may hold more than the best `keep` of the board. So every read
//! ends at `Scope::listed`, and all stores give the same answers: the engine ranks every member, the store on Redis
//! trims each shard's list. The standing of a member that was taken off such a list is in
//! [`Part::unlisted`](shard_store::Part::unlisted).

use std::collections::BTreeMap;
use std::sync::Arc;

use board::{Kind, Member, RankStyle, Timestamp, Window};
use futures::FutureExt;
use futures::future::{join_all, try_join_all};
use futures::stream::{self, StreamExt, TryStreamExt};
use shard_router::SPANS;
use shard_store::{Ask, BoardRecord, Query, Reading, ShardStore, ShardVersion, StoreError};
use tracing::Instrument as _;

use crate::hidden::Past;
use crate::listed::{HiddenPlaces, steady};
use crate::metrics::Counters;
use crate::version::Version;

/// Parts that shards may be sending at once where they are only counted: as many shards are asked
/// together as may answer within it, and at least one.
const COUNTED_PARTS_MAX: usize = 65_536;

/// Windows of shards that are counted at once where some of their members are hidden.
const COUNTED_WINDOWS_MAX: usize = 64;

/// One window of one incarnation of a board.
#[derive(Clone)]
pub(crate) struct Scope<'a> {
    pub(crate) store: &'a dyn ShardStore,
    pub(crate) counters: &'a Counters,
    pub(crate) record: Arc<BoardRecord>,
    pub(crate) kind: &'a Arc<Kind>,
    pub(crate) window: Window,
    /// When the read began.
    pub(crate) as_of: Timestamp,
    /// Of a top list whose kind hides members.
    pub(crate) places: Option<Arc<HiddenPlaces>>,
}

impl Scope<'_> {
    pub(crate) fn shards(&self) -> u16 {
        self.record.shards.get()
    }

    /// Whether ranks need to know where groups of equal fields begin.
    pub(crate) fn groups(&self) -> bool {
        self.kind.rank_style() == RankStyle::Competition
    }

    /// How many of the board are ranked, by a reading of each shard: shards may have more.
    pub(crate) fn members_of(&self, readings: &[Reading]) -> u64 {
        let of_shards = readings.iter().map(|reading| reading.members);
        of_shards.sum::<u64>().min(self.listed(readings))
    }

    /// One look at one shard, as if it had no hidden members.
    pub(crate) async fn look(
        &self,
        shard: u16,
        asks: Arc<[Ask]>,
        unless: Option<ShardVersion>,
    ) -> Result<Reading, StoreError> {
        let hidden = self.kind.hidden().on_shard(self.record.shards, shard);
        let hidden: Vec<&Member> = hidden.collect();
        if hidden.is_empty() && self.places.is_none() {
            return self.look_at(shard, asks, unless).await;
        }
        // Boxed, since it is rare, and every look would carry its size.
        self.look_past(shard, &asks, hidden, unless).boxed().await
    }

    async fn look_past(
        &self,
        shard: u16,
        asks: &[Ask],
        hidden: Vec<&Member>,
        unless: Option<ShardVersion>,
    ) -> Result<Reading, StoreError> {
        let past = Past {
            kind: self.kind,
            asks,
            hidden,
            places: self.places.as_deref(),
        };
        for spare in past.spares() {
            let reading = self.look_at(shard, past.query(spare).into(), unless);
            if let Some(reading) = past.visible(reading.await?) {
                return Ok(reading);
            }
        }
        unreachable!("a spare of as many as are hidden suffices")
    }

    pub(crate) async fn look_at(
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
        let beside = self.places.iter().flat_map(|places| places.asks()).count();
        let at_once = (COUNTED_PARTS_MAX / (asks.len() + beside).max(1)).max(1);
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
        let hidden = self.kind.hidden().digest();
        Version::new(self.record.incarnation, self.kind.rank_style(), shards).without(hidden)
    }

    /// Every shard's windows.
    pub(crate) async fn windows(&self) -> Result<Vec<shard_store::WindowCount>, StoreError> {
        let calls = (0..self.shards()).map(|shard| self.store.windows(&self.record, shard));
        let counts: Result<Vec<_>, _> = join_all(calls).await.into_iter().collect();
        self.counters.count_round(0);
        let mut counts = counts?;
        // Of a list they are counted where it is known how long that is.
        if !self.kind.hidden().is_empty() && self.places.is_none() {
            self.count_visible(&mut counts).await?;
        }
        Ok(counts.into_iter().flatten().collect())
    }

    /// How many are ranked in each of these windows, of which shards have so many.
    pub(crate) async fn listed_windows(
        &self,
        windows: BTreeMap<Window, u64>,
    ) -> Result<BTreeMap<Window, u64>, StoreError> {
        if self.places.is_none() {
            let windows = windows.into_iter();
            let listed = windows.map(|(window, members)| (window, members.min(self.keep())));
            return Ok(listed.collect());
        }
        let count = |window| async move { Ok((window, self.count_listed(window).await?)) };
        let counts: Vec<_> = windows.into_keys().map(|w| count(w).boxed()).collect();
        let counts = stream::iter(counts).buffer_unordered(COUNTED_WINDOWS_MAX);
        counts.try_collect().await
    }

    async fn count_listed(&self, window: Window) -> Result<u64, StoreError> {
        let there = Scope {
            window,
            ..self.clone()
        };
        let count = |there: Self| async move {
            let readings = there.round_of_all([]).await?;
            Ok(there.members_of(&readings))
        };
        steady(there, count).await
    }

    /// Counts every window of every shard anew that hides somebody.
    async fn count_visible(
        &self,
        counts: &mut [Vec<shard_store::WindowCount>],
    ) -> Result<(), StoreError> {
        let hides = |shard| {
            let mut hidden = self.kind.hidden().on_shard(self.record.shards, shard);
            hidden.next().is_some()
        };
        let looks = (0..).zip(counts).filter(|(shard, _)| hides(*shard));
        let looks = looks.flat_map(|(shard, counts)| {
            counts.iter_mut().map(move |count| async move {
                let window = count.window;
                let there = Scope {
                    window,
                    ..self.clone()
                };
                count.members = there.look(shard, [].into(), None).await?.members;
                Ok::<_, StoreError>(())
            })
        });
        let looks: Vec<_> = looks.map(FutureExt::boxed).collect();
        let mut looks = stream::iter(looks).buffer_unordered(COUNTED_WINDOWS_MAX);
        while let Some(counted) = looks.next().await {
            counted?;
        }
        self.counters.count_round(0);
        Ok(())
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
