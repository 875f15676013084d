//! Reads in steps.
//!
//! In this process a read of many shards is divided into calls that are steps of `pacing`. On a
//! store that is asked over the network, the calls of a long read take turns, so that only a few of
//! them are at the store; short reads do not wait for them.

use std::ops::Range;
use std::sync::Arc;

use futures::{StreamExt as _, TryStreamExt as _, stream};
use pacing::{FairQueue, Flow, STEP, spend};
use shard_store::{RangeAsk, ShardQuery, ShardReading, StoreError};
use tracing::Instrument as _;

use super::{ReadContext, read_span};

/// Calls of long reads that are at a remote store at a time.
const LONG_CALLS: usize = 4;

/// The work of a remote read that is not long: it is one call, or one for each node.
const SHORT_WORK: usize = 4 * STEP;

/// Creates the queue of the long reads of a store.
pub(crate) fn queue() -> Arc<FairQueue> {
    FairQueue::with_lanes(LONG_CALLS)
}

/// Parts of a list, each of so much work, unless an item alone is more.
fn parts<T>(
    items: &[T],
    work_max: usize,
    work: impl Fn(&T) -> usize,
) -> Vec<(Range<usize>, usize)> {
    let mut parts: Vec<(Range<usize>, usize)> = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let work = work(item);
        match parts.last_mut() {
            Some((part, sum)) if *sum + work <= work_max => {
                part.end = index + 1;
                *sum += work;
            }
            _ => parts.push((index..index + 1, work)),
        }
    }
    parts
}

impl ReadContext<'_> {
    /// Reads shards, hidden members included.
    pub(crate) async fn read_raw(
        &self,
        queries: &[ShardQuery],
    ) -> Result<Vec<ShardReading>, StoreError> {
        let is_local = self.reads_whole;
        let work_max = if is_local { STEP } else { SHORT_WORK };
        let total = queries.iter().map(|asked| self.work(asked)).sum();
        if total <= work_max {
            return self.step(queries, total).await;
        }
        let steps = parts(queries, STEP, |asked| self.work(asked)).into_iter();
        if is_local {
            let mut readings = Vec::with_capacity(queries.len());
            for (step, work) in steps {
                readings.extend(self.step(&queries[step], work).await?);
            }
            return Ok(readings);
        }
        let flow = Flow {
            caller: pacing::caller().unwrap_or_default(),
            board: self.record.incarnation.0,
        };
        let reads = steps.map(|(step, work)| async move {
            let _turn = self.long_reads.turn(flow, work).await;
            self.step(&queries[step], work).await
        });
        let reads = stream::iter(reads).buffered(LONG_CALLS);
        let readings: Vec<_> = reads.try_collect().await?;
        Ok(readings.into_iter().flatten().collect())
    }

    async fn step(
        &self,
        queries: &[ShardQuery],
        work: usize,
    ) -> Result<Vec<ShardReading>, StoreError> {
        if self.reads_whole {
            spend(work).await;
        } else {
            pacing::count(work);
        }
        let read = self.store.read(&self.record, queries);
        read.instrument(read_span(queries.len())).await
    }

    /// Divides a list of ranges into those that one shard is asked for in one call, each with its
    /// position in the list. So many that follow one another stay `together`.
    pub(crate) fn slices(
        &self,
        ranges: Arc<[RangeAsk]>,
        together: usize,
    ) -> Vec<(usize, Arc<[RangeAsk]>)> {
        let groups: Vec<&[RangeAsk]> = ranges.chunks(together).collect();
        // A call takes one itself.
        let slices = parts(&groups, STEP - 1, |asks| {
            asks.iter().map(|ask| self.work_of(ask)).sum()
        });
        if slices.len() == 1 {
            return vec![(0, ranges)];
        }
        let slices = slices.into_iter().map(|(groups, _)| {
            let end = (groups.end * together).min(ranges.len());
            let start = groups.start * together;
            (start, ranges[start..end].into())
        });
        slices.collect()
    }

    /// Returns the work of a query.
    fn work(&self, asked: &ShardQuery) -> usize {
        let ranges = asked.query.ranges.iter();
        ranges.fold(1, |work, ask| work.saturating_add(self.work_of(ask)))
    }

    /// Returns the work of a range of the whole board.
    pub(crate) fn board_work(&self, ask: &RangeAsk) -> usize {
        let entries = ask.before.saturating_add(ask.after);
        let searches = RangeAsk::rank_of(ask.anchor.clone());
        let searches = self.store.work_of(&searches) * usize::from(self.record.shards.get());
        entries.saturating_add(searches)
    }

    fn work_of(&self, ask: &RangeAsk) -> usize {
        let work = self.store.work_of(ask);
        if self.kind.is_dense() {
            // Every shard is searched.
            work.saturating_mul(usize::from(self.record.shards.get()))
        } else {
            work
        }
    }
}
