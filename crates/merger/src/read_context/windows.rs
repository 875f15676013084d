//! Counts the members of windows.

use std::collections::BTreeMap;

use board::Window;
use futures::FutureExt;
use futures::future::join_all;
use futures::stream::{self, StreamExt, TryStreamExt};
use shard_store::StoreError;

use super::ReadContext;
use crate::consistent_read::consistent_read;

/// Windows of shards that are counted at once where some of their members are hidden.
const COUNTED_WINDOWS_MAX: usize = 64;

impl ReadContext<'_> {
    /// Returns every shard's windows.
    pub(crate) async fn windows(&self) -> Result<Vec<shard_store::WindowCount>, StoreError> {
        let shards = self.record.shards.get();
        let calls = (0..shards).map(|shard| self.store.windows(&self.record, shard));
        let counts: Result<Vec<_>, _> = join_all(calls).await.into_iter().collect();
        self.counters.count_round(0);
        let mut counts = counts?;
        if self.placement() != self.record.shards {
            counts = vec![added_up(counts)];
        }
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
        let there = ReadContext {
            window,
            ..self.clone()
        };
        let count = |there: Self| async move {
            let readings = there.round_of_all([]).await?;
            Ok(there.members_of(&readings))
        };
        consistent_read(there, count).await
    }

    /// Counts every window of every shard with hidden members again, without those.
    async fn count_visible(
        &self,
        counts: &mut [Vec<shard_store::WindowCount>],
    ) -> Result<(), StoreError> {
        let hides = |shard| {
            let mut hidden = self.kind.hidden().on_shard(self.placement(), shard);
            hidden.next().is_some()
        };
        let counts = (0..).zip(counts).filter(|(shard, _)| hides(*shard));
        let counts = counts.flat_map(|(shard, counts)| counts.iter_mut().map(move |c| (shard, c)));
        let mut counts: Vec<(u16, &mut shard_store::WindowCount)> = counts.collect();
        for counts in counts.chunks_mut(COUNTED_WINDOWS_MAX) {
            let queries = counts.iter().map(|(shard, count)| {
                let mut asked = self.query(*shard, []);
                asked.query.window = count.window;
                asked
            });
            let readings = self.read(&queries.collect::<Vec<_>>()).await?;
            for ((_, count), reading) in counts.iter_mut().zip(readings) {
                count.members = reading.members;
            }
        }
        self.counters.count_round(0);
        Ok(())
    }
}

/// Returns the members of each window on all shards.
fn added_up(counts: Vec<Vec<shard_store::WindowCount>>) -> Vec<shard_store::WindowCount> {
    let mut windows: BTreeMap<Window, u64> = BTreeMap::new();
    for count in counts.into_iter().flatten() {
        *windows.entry(count.window).or_default() += count.members;
    }
    let windows = windows.into_iter();
    let windows = windows.map(|(window, members)| shard_store::WindowCount { window, members });
    windows.collect()
}
