//! Slices of a board: ranges by the first field or from an entry on, from either end; and counts by the first field.

use std::sync::Arc;

use board::{BoardName, Bound, Direction, Kind, RankKey, Rules, Value, Window};
use shard_store::{Anchor, RangeAsk, StoreError};

use crate::gather::{Cut, Gathered, Want, entries};
use crate::merger::{Merger, ReadFuture};
use crate::ranks::RankedEntry;
use crate::read_context::ReadContext;

/// Returns the cuts around the entries whose first field is between two values, ends included.
fn cuts(rules: &Rules, min: Option<Value>, max: Option<Value>) -> (Option<Bound>, Option<Bound>) {
    let (best, worst) = match rules.fields()[0].order {
        Direction::Desc => (max, min),
        Direction::Asc => (min, max),
    };
    (
        best.map(|best| rules.better_than(best)),
        worst.map(|worst| rules.at_least(worst)),
    )
}

/// Returns the cut at the worse end if no value bounds it: above the entries whose first field is
/// null.
fn lowest(rules: &Rules) -> Bound {
    let worst = match rules.fields()[0].order {
        Direction::Desc => -board::limits::VALUE_MAX,
        Direction::Asc => board::limits::VALUE_MAX,
    };
    rules.at_least(Value::new(worst).expect("the ends of the range are in range"))
}

/// One end of a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The best entry.
    Best,
    /// The worst entry.
    Worst,
}

/// A part of a board: the entries beyond `after`, as read from one end, whose first field is within `values`.
#[derive(Debug, Clone, PartialEq)]
pub struct Slice {
    /// The least and the greatest value of the first field. `None`: all entries, also those whose first field is null.
    pub values: Option<(Option<Value>, Option<Value>)>,
    /// The last entry that was read before. It need not exist any more.
    pub after: Option<RankKey>,
    /// The end from which the board is read.
    pub from: End,
    /// Maximum entries.
    pub limit: u64,
}

impl Slice {
    /// Returns the best entries whose first field is between two values.
    #[must_use]
    pub const fn between(values: (Option<Value>, Option<Value>), limit: u64) -> Self {
        Self {
            values: Some(values),
            after: None,
            from: End::Best,
            limit,
        }
    }

    /// Returns the cuts around its values.
    fn cuts(&self, rules: &Rules) -> (Option<Bound>, Option<Bound>) {
        let Some((min, max)) = self.values else {
            return (None, None);
        };
        let (best, worst) = cuts(rules, min, max);
        (best, Some(worst.unwrap_or_else(|| lowest(rules))))
    }
}

impl Merger {
    /// Returns the entries of a slice, in the order in which it reads the board.
    pub fn slice<'a>(
        &'a self,
        board: &'a BoardName,
        kind: &'a Arc<Kind>,
        window: Window,
        slice: Slice,
    ) -> ReadFuture<'a, Vec<RankedEntry>> {
        let slice = Arc::new(slice);
        self.on_board(board, kind, window, move |context| {
            let slice = slice.clone();
            async move {
                let gathered = match slice.from {
                    End::Best => context.slice_from_best(&slice).await?,
                    End::Worst => context.slice_from_worst(&slice).await?,
                };
                Ok(context.answer(gathered))
            }
        })
    }

    /// Returns how many members have a first field between `min` and `max`.
    pub fn count<'a>(
        &'a self,
        board: &'a BoardName,
        kind: &'a Arc<Kind>,
        window: Window,
        (min, max): (Option<Value>, Option<Value>),
    ) -> ReadFuture<'a, u64> {
        self.on_board(board, kind, window, move |context| async move {
            let (best, worst) = cuts(kind.rules(), min, max);
            let best = best.map_or(Anchor::Rank(0), Anchor::Bound);
            let worst = Anchor::Bound(worst.unwrap_or_else(|| lowest(kind.rules())));
            let readings = context
                .round_of_all([RangeAsk::rank_of(best), RangeAsk::rank_of(worst)])
                .await?;
            let listed = context.listed(&readings);
            let better = |part: usize| -> u64 {
                let parts = readings
                    .iter()
                    .filter_map(|reading| reading.parts.as_ref()?.get(part));
                let better: u64 = parts.filter_map(|part| part.anchor).sum();
                better.min(listed)
            };
            Ok(context.result_of(&readings, better(1).saturating_sub(better(0))))
        })
    }
}

impl ReadContext<'_> {
    async fn slice_from_best(&self, slice: &Slice) -> Result<Gathered, StoreError> {
        let (best, worst) = slice.cuts(self.kind.rules());
        let after = slice.after.as_ref();
        let begin = match (after, best) {
            (Some(after), Some(best)) if best.is_below(after) => Some(best),
            (Some(after), _) => Some(Bound::key(after)),
            (None, best) => best,
        };
        let want = Want::Around {
            before: 0,
            // The entry that was read last may still be there.
            after: slice.limit + u64::from(after.is_some()),
        };
        let cut = begin.map_or(Cut::Top, Cut::Bound);
        let mut gathered = self.gather(&cut, want, None).await?;
        gathered.entries.retain(|ranked| {
            let key = &ranked.entry.key;
            Some(key) != after && worst.as_ref().is_none_or(|worst| worst.is_below(key))
        });
        gathered.entries.truncate(entries(slice.limit));
        Ok(gathered)
    }

    async fn slice_from_worst(&self, slice: &Slice) -> Result<Gathered, StoreError> {
        let (best, worst) = slice.cuts(self.kind.rules());
        let begin = match (&slice.after, worst) {
            (Some(after), Some(worst)) if !worst.is_below(after) => Some(worst),
            (Some(after), _) => Some(Bound::key(after)),
            (None, worst) => worst,
        };
        let mut gathered = match begin {
            Some(begin) => self.worst_above(begin, slice.limit).await?,
            None => self.page_from_worst(0, slice.limit).await?,
        };
        if let Some(best) = best {
            let is_within = |ranked: &RankedEntry| !best.is_below(&ranked.entry.key);
            gathered.entries.retain(is_within);
        }
        Ok(gathered)
    }

    /// Returns the worst entries above a bound, worst first.
    async fn worst_above(&self, bound: Bound, limit: u64) -> Result<Gathered, StoreError> {
        let want = Want::Around {
            before: limit,
            after: 0,
        };
        let cut = Cut::Bound(bound.clone());
        let mut gathered = self.gather(&cut, want, None).await?;
        gathered.entries.reverse();
        let is_short = entries(limit) > gathered.entries.len();
        let best = gathered.entries.last();
        if self.kind.retain().is_none() || !is_short || best.is_some_and(|it| it.position == 1) {
            return Ok(gathered);
        }
        // Shards may have more than the list: the cut may be below its end.
        let mut gathered = self.page_from_worst(0, limit).await?;
        gathered
            .entries
            .retain(|ranked| bound.is_below(&ranked.entry.key));
        Ok(gathered)
    }
}
