//! [`ReadContext`]: the window and board of one read, and its calls to shards.
//!
//! A shard of a kind with [`Retain`](board::Retain) may have more than the best `keep` of the
//! board. So every read ends at `ReadContext::listed`, and all stores return the same results: the engine
//! ranks every member, the store on Redis trims each shard's list. The standing of a member that
//! was trimmed off such a list is in [`RangePart::unlisted`](shard_store::RangePart::unlisted).

pub(crate) mod steps;
mod windows;

use std::ops::Range;
use std::sync::Arc;

use board::{Bound, Kind, RankStyle, RankWords, ShardCount, Timestamp, Window};
use futures::FutureExt;
use pacing::{FairQueue, spend};
use shard_router::{KnownBoard, TRACE_TARGET};
use shard_store::{
    BoardReading, Groups, Query, RangeAsk, RangePart, ShardQuery, ShardReading, ShardStore,
    ShardVersion, StoreError,
};

use crate::hidden::{HidingQuery, SPARE};
use crate::list_length::{Counting, HiddenKeys};
use crate::merger::ReadResult;
use crate::metrics::Counters;
use crate::ranks::{better_fields, better_groups};
use crate::version::Version;

/// Parts of one call where entries are only counted: limits how many shards it reads, to at least
/// one.
const COUNTED_PARTS_MAX: usize = 65_536;

/// One window of one incarnation of a board.
#[derive(Clone)]
pub(crate) struct ReadContext<'a> {
    pub(crate) store: &'a dyn ShardStore,
    pub(crate) counters: &'a Counters,
    /// Gives turns to the calls of long reads of a remote store.
    pub(crate) long_reads: &'a Arc<FairQueue>,
    pub(crate) record: Arc<KnownBoard>,
    pub(crate) kind: &'a Arc<Kind>,
    pub(crate) window: Window,
    /// Whether the window is read as [`Capabilities::whole_boards`](shard_store::Capabilities::whole_boards) says.
    pub(crate) reads_whole: bool,
    /// When the read began.
    pub(crate) as_of: Timestamp,
    /// Set for a top list whose kind hides members.
    pub(crate) hidden_keys: Option<Arc<HiddenKeys>>,
}

impl ReadContext<'_> {
    /// Returns the shards as which the board is read.
    pub(crate) fn placement(&self) -> ShardCount {
        self.record.read_as(self.kind)
    }

    pub(crate) fn shards(&self) -> u16 {
        self.placement().get()
    }

    /// Returns what ranks require about groups of equal fields.
    pub(crate) fn groups(&self) -> Groups {
        match self.kind.rank_style() {
            RankStyle::Ordinal => Groups::None,
            RankStyle::Competition => Groups::Start,
            RankStyle::Dense => Groups::Count,
        }
    }

    /// Returns whether members with equal fields share a rank.
    pub(crate) fn shares_ranks(&self) -> bool {
        self.kind.rank_style().is_shared()
    }

    /// Returns how many ranks, or with ordinal ranks entries, are better than these fields, by one
    /// shard's part. The part reaches one entry above those with these fields, or to the shard's
    /// best.
    pub(crate) fn better_in(&self, fields: &RankWords, part: &RangePart) -> u64 {
        let rules = self.kind.rules();
        match self.kind.rank_style() {
            RankStyle::Dense => better_groups(rules, fields, part),
            RankStyle::Ordinal | RankStyle::Competition => better_fields(rules, fields, part),
        }
    }

    /// Returns how many members of the board are ranked, given a reading of each shard: shards may
    /// have more.
    pub(crate) fn members_of(&self, readings: &[ShardReading]) -> u64 {
        let of_shards = readings.iter().map(|reading| reading.members);
        of_shards.sum::<u64>().min(self.listed(readings))
    }

    /// Returns a query of one shard.
    pub(crate) fn query(&self, shard: u16, ranges: impl Into<Arc<[RangeAsk]>>) -> ShardQuery {
        let query = Query {
            window: self.window,
            unless: None,
            groups: self.groups(),
            ranges: ranges.into(),
        };
        ShardQuery { shard, query }
    }

    /// Reads shards, as if they had no hidden members.
    pub(crate) async fn read(
        &self,
        queries: &[ShardQuery],
    ) -> Result<Vec<ShardReading>, StoreError> {
        if self.kind.hidden().is_empty() && self.hidden_keys.is_none() {
            return self.read_raw(queries).await;
        }
        // Boxed, since this is rare and would increase the size of every read.
        self.read_visible(queries).boxed().await
    }

    async fn read_visible(&self, queries: &[ShardQuery]) -> Result<Vec<ShardReading>, StoreError> {
        let hiding = |asked: &ShardQuery| HidingQuery {
            kind: self.kind,
            ranges: asked.query.ranges.clone(),
            hidden: self
                .kind
                .hidden()
                .on_shard(self.placement(), asked.shard)
                .collect(),
            hidden_keys: self.hidden_keys.as_deref(),
        };
        let hiding: Vec<HidingQuery<'_>> = queries.iter().map(hiding).collect();
        let mut readings: Vec<Option<ShardReading>> = vec![None; queries.len()];
        for spare in [SPARE, usize::MAX] {
            let missing = (0..queries.len()).filter(|index| readings[*index].is_none());
            let missing: Vec<usize> = missing.collect();
            let widened = missing.iter().map(|index| {
                let mut asked = queries[*index].clone();
                asked.query.ranges = hiding[*index].query(spare);
                asked
            });
            let widened: Vec<ShardQuery> = widened.collect();
            for (index, reading) in missing.into_iter().zip(self.read_raw(&widened).await?) {
                readings[index] = hiding[index].visible(reading);
            }
            if readings.iter().all(Option::is_some) {
                return Ok(readings.into_iter().flatten().collect());
            }
        }
        unreachable!("as many spare entries as hidden members suffice")
    }

    /// Reads a range of the whole board, if the store does that in one step and no member is hidden.
    pub(crate) async fn read_board(
        &self,
        ask: &RangeAsk,
    ) -> Result<Option<BoardReading>, StoreError> {
        if !self.kind.hidden().is_empty() || !self.reads_whole {
            return Ok(None);
        }
        spend(self.board_work(ask)).await;
        let read = || {
            self.store
                .read_board(&self.record, self.window, self.groups(), ask)
        };
        let reading = read_span(usize::from(self.shards())).in_scope(read)?;
        if let Some(reading) = &reading {
            self.counters.count_round(reading.part.entries.len());
        }
        Ok(reading)
    }

    /// One round: reads these shards in one call.
    pub(crate) async fn round(
        &self,
        queries: &[ShardQuery],
    ) -> Result<Vec<ShardReading>, StoreError> {
        let readings = self.read(queries).await?;
        self.counters.count_round(fetched(&readings));
        Ok(readings)
    }

    /// One round: asks every shard the same.
    pub(crate) async fn round_of_all(
        &self,
        ranges: impl Into<Arc<[RangeAsk]>>,
    ) -> Result<Vec<ShardReading>, StoreError> {
        let ranges = ranges.into();
        let queries = (0..self.shards()).map(|shard| self.query(shard, ranges.clone()));
        self.round(&queries.collect::<Vec<_>>()).await
    }

    /// One round: asks every shard the same. Passes each reading to `take` and keeps none: of a long
    /// list of ranges those of a part of it, with where that is in the list. Each part is read at a
    /// moment of its own, but for those that are to stay `together`; parts are in the order of the
    /// list, and those of one in that of shards.
    pub(crate) async fn each_of_all(
        &self,
        ranges: Arc<[RangeAsk]>,
        together: usize,
        mut take: impl FnMut(Range<usize>, u16, ShardReading) + Send,
    ) -> Result<(), StoreError> {
        let beside = self
            .hidden_keys
            .iter()
            .flat_map(|hidden_keys| hidden_keys.ranges())
            .count();
        let mut slices = self.slices(ranges.clone(), together);
        if slices.is_empty() {
            // Versions and numbers of members are wanted all the same.
            slices.push((0, ranges));
        }
        let longest = slices.iter().map(|(_, slice)| slice.len()).max();
        let at_once = (COUNTED_PARTS_MAX / (longest.unwrap_or(0) + beside).max(1)).max(1);
        let queries = slices.iter().flat_map(|(start, slice)| {
            (0..self.shards()).map(|shard| (*start, self.query(shard, slice.clone())))
        });
        let (starts, queries): (Vec<usize>, Vec<ShardQuery>) = queries.unzip();
        let mut count = 0;
        for (starts, queries) in starts.chunks(at_once).zip(queries.chunks(at_once)) {
            let readings = self.read(queries).await?;
            count += fetched(&readings);
            for ((start, asked), reading) in starts.iter().zip(queries).zip(readings) {
                take(
                    *start..*start + asked.query.ranges.len(),
                    asked.shard,
                    reading,
                );
            }
        }
        self.counters.count_round(count);
        Ok(())
    }

    /// One round: asks every shard that has changed since `known` the same.
    pub(crate) async fn round_unless(
        &self,
        ranges: Arc<[RangeAsk]>,
        known: &Version,
    ) -> Result<Vec<ShardReading>, StoreError> {
        let queries = (0..self.shards()).map(|shard| {
            let mut asked = self.query(shard, ranges.clone());
            asked.query.unless = known.shard(shard);
            asked
        });
        self.round(&queries.collect::<Vec<_>>()).await
    }

    /// Returns the version of the board, given those of each shard, in order.
    pub(crate) fn version_of(&self, shards: Vec<ShardVersion>) -> Version {
        let hidden = self.kind.hidden().digest();
        Version::new(self.record.incarnation, self.kind.rank_style(), shards).without(hidden)
    }

    /// Returns a read's result, given the version of each shard, in order, and the members of the board.
    pub(crate) fn result<T>(
        &self,
        shards: Vec<ShardVersion>,
        members: u64,
        value: T,
    ) -> ReadResult<T> {
        ReadResult {
            version: self.version_of(shards),
            as_of: self.as_of,
            activity: self.record.activity,
            members,
            value,
        }
    }

    /// Returns a read's result, given a reading of each shard, in order.
    pub(crate) fn result_of<T>(&self, readings: &[ShardReading], value: T) -> ReadResult<T> {
        let versions = readings.iter().map(|reading| reading.version).collect();
        self.result(versions, self.members_of(readings), value)
    }

    /// Returns how many members are on the list at most, including hidden ones.
    pub(crate) fn keep(&self) -> u64 {
        self.kind.retain().map_or(u64::MAX, |retain| retain.keep)
    }

    /// Starts counting the entries of the list.
    pub(crate) fn counting(&self) -> Counting {
        Counting::new(self.keep(), self.hidden_keys.as_deref())
    }

    /// Returns how many entries are listed at most, given a reading of each shard.
    pub(crate) fn listed(&self, readings: &[ShardReading]) -> u64 {
        let mut counting = self.counting();
        for reading in readings {
            counting.see(reading);
        }
        counting.listed()
    }

    /// Returns whether a position with `above` visible members above it is on the list.
    pub(crate) fn lists(&self, bound: &Bound, above: u64) -> bool {
        let hidden = self
            .hidden_keys
            .as_ref()
            .map_or(0, |hidden_keys| hidden_keys.above(bound));
        above.saturating_add(hidden) < self.keep()
    }
}

fn read_span(shards: usize) -> tracing::Span {
    tracing::trace_span!(target: TRACE_TARGET, "read", megaboard.shards = shards as u64)
}

/// Returns how many entries readings have.
pub(crate) fn fetched(readings: &[ShardReading]) -> usize {
    let parts = readings.iter().flat_map(|reading| &reading.parts).flatten();
    parts.map(|part| part.entries.len()).sum()
}
