//! [`Scope`]: the window and board of one read, and its calls to shards.
//!
//! A shard of a kind with [`Retain`](board::Retain) may have more than the best `keep` of the
//! board. So every read ends at `Scope::listed`, and all stores return the same results: the engine
//! ranks every member, the store on Redis trims each shard's list. The standing of a member that
//! was trimmed off such a list is in [`Part::unlisted`](shard_store::Part::unlisted).

use std::collections::BTreeMap;
use std::sync::Arc;

use board::{Kind, Member, RankStyle, Timestamp, Window};
use futures::FutureExt;
use futures::future::{join_all, try_join_all};
use futures::stream::{self, StreamExt, TryStreamExt};
use shard_router::SPANS;
use shard_store::{Ask, BoardRecord, Query, Reading, ShardStore, ShardVersion, StoreError};
use tracing::Instrument as _;

use crate::hidden::HidingQuery;
use crate::list_length::{HiddenKeys, steady};
use crate::metrics::Counters;
use crate::version::Version;

/// Parts that shards may be sending at once where entries are only counted: limits how many shards
/// are read concurrently, to at least one.
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
    /// Set for a top list whose kind hides members.
    pub(crate) hidden_keys: Option<Arc<HiddenKeys>>,
}

impl Scope<'_> {
    pub(crate) fn shards(&self) -> u16 {
        self.record.shards.get()
    }

    /// Returns whether ranks require the starts of groups of equal fields.
    pub(crate) fn groups(&self) -> bool {
        self.kind.rank_style() == RankStyle::Competition
    }

    /// Returns how many members of the board are ranked, given a reading of each shard: shards may
    /// have more.
    pub(crate) fn members_of(&self, readings: &[Reading]) -> u64 {
        let of_shards = readings.iter().map(|reading| reading.members);
        of_shards.sum::<u64>().min(self.listed(readings))
    }

    /// Reads one shard, as if it had no hidden members.
    pub(crate) async fn look(
        &self,
        shard: u16,
        asks: Arc<[Ask]>,
        unless: Option<ShardVersion>,
    ) -> Result<Reading, StoreError> {
        let hidden = self.kind.hidden().on_shard(self.record.shards, shard);
        let hidden: Vec<&Member> = hidden.collect();
        if hidden.is_empty() && self.hidden_keys.is_none() {
            return self.look_at(shard, asks, unless).await;
        }
        // Boxed, since this is rare and would increase the size of every read.
        self.look_past(shard, &asks, hidden, unless).boxed().await
    }

    async fn look_past(
        &self,
        shard: u16,
        asks: &[Ask],
        hidden: Vec<&Member>,
        unless: Option<ShardVersion>,
    ) -> Result<Reading, StoreError> {
        let past = HidingQuery {
            kind: self.kind,
            asks,
            hidden,
            hidden_keys: self.hidden_keys.as_deref(),
        };
        for spare in past.spares() {
            let reading = self.look_at(shard, past.query(spare).into(), unless);
            if let Some(reading) = past.visible(reading.await?) {
                return Ok(reading);
            }
        }
        unreachable!("as many spare entries as hidden members suffice")
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

    /// One round: reads these shards concurrently.
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

    /// One round: asks every shard the same.
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

    /// One round: asks every shard the same. Passes each reading to `take` in the order of shards,
    /// and keeps none.
    pub(crate) async fn each_of_all(
        &self,
        asks: Arc<[Ask]>,
        mut take: impl FnMut(u16, Reading) + Send,
    ) -> Result<(), StoreError> {
        let beside = self
            .hidden_keys
            .iter()
            .flat_map(|hidden_keys| hidden_keys.asks())
            .count();
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

    /// One round: asks every shard that has changed since `known` the same.
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

    /// Returns the version of the board, given a reading of each shard, in order.
    pub(crate) fn version(&self, readings: &[Reading]) -> Version {
        self.version_of(readings.iter().map(|reading| reading.version).collect())
    }

    /// Returns the version of the board, given those of each shard, in order.
    pub(crate) fn version_of(&self, shards: Vec<ShardVersion>) -> Version {
        let hidden = self.kind.hidden().digest();
        Version::new(self.record.incarnation, self.kind.rank_style(), shards).without(hidden)
    }

    /// Returns every shard's windows.
    pub(crate) async fn windows(&self) -> Result<Vec<shard_store::WindowCount>, StoreError> {
        let calls = (0..self.shards()).map(|shard| self.store.windows(&self.record, shard));
        let counts: Result<Vec<_>, _> = join_all(calls).await.into_iter().collect();
        self.counters.count_round(0);
        let mut counts = counts?;
        // The windows of a list are counted later, when its length is known.
        if !self.kind.hidden().is_empty() && self.hidden_keys.is_none() {
            self.count_visible(&mut counts).await?;
        }
        Ok(counts.into_iter().flatten().collect())
    }

    /// Returns how many members are ranked in each of these windows, given how many the shards
    /// have.
    pub(crate) async fn listed_windows(
        &self,
        windows: BTreeMap<Window, u64>,
    ) -> Result<BTreeMap<Window, u64>, StoreError> {
        if self.hidden_keys.is_none() {
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

    /// Counts every window of every shard with hidden members again, without those.
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
