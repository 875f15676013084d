//! [`Shard`]: its rankings by window, the ids it remembers, and the windows it has dropped.
//!
//! [`Shard::apply`] is the only way to change standings. It decides each item against everything
//! the shard holds before it writes anything, so that an item counts in all its windows or in none.
//! Locks, boards and the lifetime of shards are in `cell`. [`Shard::freeze`] copies the contents
//! for a snapshot; [`ShardLoader`] restores a shard from them.

mod apply;
mod dropped;
mod frozen;
mod restore;
mod touched;

use board::{Kind, Period, ShardCount, Timestamp, Window};

pub use apply::ApplyContext;
pub use dropped::Dropped;
pub use frozen::FrozenShard;
pub use restore::ShardLoader;

use super::ids::{IdBudget, RememberedIds};
use super::ranking::{NOTHING, Ranking};
use shard_store::{Query, ShardReading, StoreError, WindowCount};

/// The contents of one shard of a board; of a small board, those of all its shards.
#[derive(Debug, Default)]
pub struct Shard {
    /// By window, sorted.
    rankings: Vec<(Window, Ranking)>,
    ids: Option<Box<RememberedIds>>,
    /// The windows that were dropped. A clock that steps back does not reopen them.
    dropped: Option<Box<Dropped>>,
    /// Set during recovery: large rankings have no order, and there are no reads.
    unordered: bool,
}

/// How much a shard holds.
#[derive(Debug, Clone, Copy, Default)]
pub struct Holding {
    /// Of all windows together.
    pub standings: u64,
    /// Of the window with the most members.
    pub members: u64,
}

impl Shard {
    /// Reads one window; in a small board the rows of one shard, otherwise all rows.
    pub fn read(
        &self,
        kind: &Kind,
        epoch: u64,
        only: Option<u16>,
        query: &Query,
    ) -> Result<ShardReading, StoreError> {
        let ranking = self.window(query.window)?;
        let version = ranking.version(epoch);
        let parts = (query.unless != Some(version)).then(|| {
            let answer = |ask| ranking.answer(kind.rules(), only, query.groups, ask);
            query.ranges.iter().map(answer).collect()
        });
        Ok(ShardReading {
            version,
            members: ranking.members(only) as u64,
            parts,
        })
    }

    /// Returns a window: one without members if it does not exist, an error if it was dropped.
    pub fn window(&self, window: Window) -> Result<&Ranking, StoreError> {
        if self.was_dropped(window) {
            return Err(StoreError::WindowDropped);
        }
        Ok(self.ranking(window).unwrap_or(&NOTHING))
    }

    /// Returns the windows with members, of one shard or of all.
    #[must_use]
    pub fn windows(&self, only: Option<u16>) -> Vec<WindowCount> {
        let counts = self.rankings.iter().map(|(window, ranking)| WindowCount {
            window: *window,
            members: ranking.members(only) as u64,
        });
        counts.filter(|count| count.members > 0).collect()
    }

    /// Returns how much the shard holds.
    #[must_use]
    pub fn holding(&self) -> Holding {
        let lens = self.rankings.iter();
        let lens = lens.map(|(_, ranking)| ranking.len() as u64);
        Holding {
            standings: lens.clone().sum(),
            members: lens.max().unwrap_or(0),
        }
    }

    /// Returns the windows that are past their retention.
    pub fn expired(&self, kind: &Kind, now: Timestamp) -> impl Iterator<Item = Window> {
        let windows = self.rankings.iter().map(|(window, _)| *window);
        windows.filter(move |window| kind.is_expired(*window, now))
    }

    /// Removes the windows and keeps them closed, even those that do not exist here. The caller
    /// drops the returned contents without holding a lock.
    pub fn take_windows(&mut self, gone: &[Window]) -> Vec<Ranking> {
        for window in gone {
            if window.period() != Period::All {
                self.dropped.get_or_insert_default().note(*window);
            }
        }
        let taken = self
            .rankings
            .extract_if(.., |(window, _)| gone.contains(window));
        taken.map(|(_, ranking)| ranking).collect()
    }

    /// Removes the contents of the window without bounds. Its version continues, since the board
    /// may.
    pub fn take_unbounded(&mut self) -> Option<Ranking> {
        let position = self.position(Window::ALL_TIME).ok()?;
        self.rankings[position].1.take()
    }

    /// Drops ids past their span.
    pub fn age_ids(&mut self, kind: &Kind, now: Timestamp, budget: &IdBudget) {
        if let Some(ids) = &mut self.ids
            && ids.age(now, kind.dedupe(), budget)
        {
            ids.release(budget);
            self.ids = None;
        }
    }

    /// Returns whether the shard is empty: it has no id and no window, except the one without
    /// bounds if the board is idle.
    #[must_use]
    pub fn is_empty(&self, idle: bool) -> bool {
        let may_be_deleted = |(window, ranking): &(Window, Ranking)| {
            idle && window.period() == Period::All && ranking.len() == 0
        };
        self.ids.is_none() && self.rankings.iter().all(may_be_deleted)
    }

    /// Returns whether nothing was ever applied.
    #[must_use]
    pub fn is_untouched(&self) -> bool {
        let ids = self.ids.as_ref();
        self.rankings.is_empty() && self.dropped.is_none() && ids.is_none_or(|ids| ids.is_empty())
    }

    /// Removes windows that were opened for items that were then rejected.
    fn drop_untouched(&mut self) {
        self.rankings.retain(|(_, ranking)| !ranking.is_untouched());
    }

    /// Splits a small board into its shards.
    pub fn split(self, kind: &Kind, shards: ShardCount, budget: &IdBudget) -> Vec<Self> {
        let count = shards.get();
        let mut parts: Vec<Self> = (0..count).map(|_| Self::default()).collect();
        for (window, ranking) in self.rankings {
            for (part, ranking) in parts.iter_mut().zip(ranking.split(count)) {
                part.rankings.push((window, ranking));
            }
        }
        if let Some(ids) = self.ids {
            for (part, ids) in parts.iter_mut().zip(ids.split(shards, budget)) {
                part.ids = Some(Box::new(ids));
            }
        }
        for part in &mut parts {
            part.dropped.clone_from(&self.dropped);
            part.unordered = self.unordered;
            for (_, ranking) in &mut part.rankings {
                ranking.finish(kind.rules(), part.unordered);
            }
        }
        parts
    }

    /// Gives the bytes of the ids back to the budget, before the shard is dropped.
    pub fn release_ids(&self, budget: &IdBudget) {
        if let Some(ids) = &self.ids {
            ids.release(budget);
        }
    }

    /// Returns whether it is being recovered: large rankings have no order.
    pub(crate) const fn is_unordered(&self) -> bool {
        self.unordered
    }

    /// Iterates over the rankings by window.
    pub fn rankings(&self) -> impl Iterator<Item = (Window, &Ranking)> {
        self.rankings
            .iter()
            .map(|(window, ranking)| (*window, ranking))
    }

    fn ranking(&self, window: Window) -> Option<&Ranking> {
        let position = self.position(window).ok()?;
        Some(&self.rankings[position].1)
    }

    fn position(&self, window: Window) -> Result<usize, usize> {
        self.rankings
            .binary_search_by_key(&window, |(window, _)| *window)
    }

    fn was_dropped(&self, window: Window) -> bool {
        let dropped = self.dropped.as_ref();
        dropped.is_some_and(|dropped| dropped.covers(window))
    }
}
