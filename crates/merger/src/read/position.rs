//! Computes the positions that standings would have.

use std::ops::Range;
use std::sync::Arc;

use board::{BoardName, Bound, Kind, RankKey, Timestamp, Values, Window};
use futures::{FutureExt as _, TryFutureExt as _};
use shard_store::{Anchor, Groups, RangeAsk, ShardReading};

use crate::merger::{Merger, ReadFuture};

/// The asks for one position, which are read at one moment.
const ASKS: usize = 2;

/// A rank and a position, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PositionView {
    /// By the kind's rank style.
    pub rank: u64,
    /// The number of better members, plus one.
    pub position: u64,
}

impl Default for PositionView {
    /// Creates the position on a board without contributions.
    fn default() -> Self {
        Self {
            rank: 1,
            position: 1,
        }
    }
}

impl Merger {
    /// Returns the position of a member that would reach these values at that time; `None` if that
    /// is not on the list of a kind that ranks only its best. Where ties are broken by member
    /// alone, or by a time that is equal as stored, it comes after the existing members.
    pub fn position<'a>(
        &'a self,
        board: &'a BoardName,
        kind: &'a Arc<Kind>,
        window: Window,
        values: &Values,
        reached_at: Timestamp,
    ) -> ReadFuture<'a, Option<PositionView>> {
        let rules = kind.rules();
        // Like a contribution to a member without a standing: a sum that is left out is 0.
        let standing = rules.standing_of(values, rules.kept_time(reached_at));
        let words = rules.rank_words_of(&standing);
        let positions = self.positions_below(board, kind, window, [Bound::prefix(words)]);
        let of_one = |mut positions: Vec<Option<PositionView>>| positions.pop().flatten();
        positions.map_ok(move |answer| answer.map(of_one)).boxed()
    }

    /// Returns the position of each standing, if it is on the list.
    pub fn positions_of<'a>(
        &'a self,
        board: &'a BoardName,
        kind: &'a Arc<Kind>,
        window: Window,
        keys: &[RankKey],
    ) -> ReadFuture<'a, Vec<Option<PositionView>>> {
        self.positions_below(board, kind, window, keys.iter().map(Bound::key))
    }

    fn positions_below<'a>(
        &'a self,
        board: &'a BoardName,
        kind: &'a Arc<Kind>,
        window: Window,
        bounds: impl IntoIterator<Item = Bound>,
    ) -> ReadFuture<'a, Vec<Option<PositionView>>> {
        let bounds: Arc<[Bound]> = bounds.into_iter().collect();
        let better_fields = |bound: &Bound| {
            let better = kind.rules().field_words(&bound.words).successor();
            better.map_or(Anchor::Rank(0), |words| Anchor::Bound(Bound::prefix(words)))
        };
        let asks = |bound: &Bound| -> [RangeAsk; ASKS] {
            [
                RangeAsk::rank_of(Anchor::Bound(bound.clone())),
                RangeAsk::rank_of(better_fields(bound)),
            ]
        };
        let ranges: Arc<[RangeAsk]> = bounds.iter().flat_map(asks).collect();
        let count = bounds.len();
        let answer = self.on_board(board, kind, window, move |context| {
            let (ranges, bounds) = (ranges.clone(), bounds.clone());
            async move {
                let mut versions = Vec::with_capacity(usize::from(context.shards()));
                let mut listed = context.counting();
                let mut members = 0;
                // For each ask: how many entries, and how many distinct values, are above it.
                let mut above = vec![(0, 0); ranges.len()];
                let take = |part: Range<usize>, _, reading: ShardReading| {
                    if part.start == 0 {
                        versions.push(reading.version);
                        members += reading.members;
                        listed.see(&reading);
                    }
                    for (sums, part) in above[part].iter_mut().zip(reading.parts.iter().flatten()) {
                        sums.0 += part.anchor.unwrap_or(0);
                        sums.1 += part.group.better;
                    }
                };
                context.each_of_all(ranges, ASKS, take).await?;
                let view = |(bound, above): (&Bound, &[(u64, u64)])| {
                    let (entries, values) = above[0];
                    let position = entries + 1;
                    let rank = match context.groups() {
                        Groups::None => position,
                        Groups::Start => above[1].0 + 1,
                        Groups::Count => values + 1,
                    };
                    let view = PositionView { rank, position };
                    context.lists(bound, entries).then_some(view)
                };
                let views = bounds.iter().zip(above.chunks(ASKS)).map(view);
                let members = members.min(listed.listed());
                Ok(context.result(versions, members, views.collect::<Vec<_>>()))
            }
        });
        let of_each = answer.map_ok(move |mut answer| {
            // A board without contributions.
            answer.value.resize(count, Some(PositionView::default()));
            answer
        });
        of_each.boxed()
    }
}
