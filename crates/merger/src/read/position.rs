//! Computes the position that a standing would have.

use std::sync::Arc;

use board::{BoardName, Bound, Kind, RankKey, Timestamp, Values, Window};
use futures::{FutureExt as _, TryFutureExt as _};
use shard_store::{Anchor, RangeAsk};

use crate::merger::{Merger, ReadFuture, ReadResult};

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

/// A position, if it is on the list.
struct OnList(Option<PositionView>);

impl Default for OnList {
    fn default() -> Self {
        Self(Some(PositionView::default()))
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
        self.position_below(board, kind, window, Bound::prefix(words))
    }

    /// Returns the position of a standing, if it is on the list.
    pub fn position_of<'a>(
        &'a self,
        board: &'a BoardName,
        kind: &'a Arc<Kind>,
        window: Window,
        key: &RankKey,
    ) -> ReadFuture<'a, Option<PositionView>> {
        self.position_below(board, kind, window, Bound::key(key))
    }

    fn position_below<'a>(
        &'a self,
        board: &'a BoardName,
        kind: &'a Arc<Kind>,
        window: Window,
        bound: Bound,
    ) -> ReadFuture<'a, Option<PositionView>> {
        let better_fields = kind.rules().field_words(&bound.words).successor();
        let better_fields =
            better_fields.map_or(Anchor::Rank(0), |words| Anchor::Bound(Bound::prefix(words)));
        let ranges: Arc<[RangeAsk]> = Arc::from([
            RangeAsk::rank_of(Anchor::Bound(bound.clone())),
            RangeAsk::rank_of(better_fields),
        ]);
        let answer = self.on_board(board, kind, window, move |scope| {
            let (ranges, bound) = (ranges.clone(), bound.clone());
            async move {
                let readings = scope.round_of_all(ranges).await?;
                let sum = |ask: usize| -> u64 {
                    let parts = readings
                        .iter()
                        .filter_map(|reading| reading.parts.as_ref()?.get(ask));
                    parts.filter_map(|part| part.anchor).sum()
                };
                let above = sum(0);
                let position = above + 1;
                let rank = if scope.groups() { sum(1) + 1 } else { position };
                let view = PositionView { rank, position };
                Ok(ReadResult {
                    version: scope.version(&readings),
                    as_of: scope.as_of,
                    members: scope.members_of(&readings),
                    activity: scope.record.activity,
                    value: OnList(scope.lists(&bound, above).then_some(view)),
                })
            }
        });
        answer
            .map_ok(|answer| answer.map(|OnList(view)| view))
            .boxed()
    }
}
