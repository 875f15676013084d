//! Ranges and counts by the first field.

use std::sync::Arc;

use board::{BoardName, Bound, Direction, Kind, Rules, Value, Window};
use shard_store::{Anchor, RangeAsk};

use crate::gather::{Cut, Want};
use crate::merger::{Merger, ReadFuture, ReadResult};
use crate::ranks::RankedEntry;

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

impl Merger {
    /// Returns the entries whose first field is between `min` and `max`, best first, at most
    /// `limit`. Entries with a null first field are excluded.
    pub fn between<'a>(
        &'a self,
        board: &'a BoardName,
        kind: &'a Arc<Kind>,
        window: Window,
        (min, max): (Option<Value>, Option<Value>),
        limit: u64,
    ) -> ReadFuture<'a, Vec<RankedEntry>> {
        self.on_board(board, kind, window, move |scope| async move {
            let (best, worst) = cuts(kind.rules(), min, max);
            let cut = best.map_or(Cut::Top, Cut::Bound);
            let want = Want::Around {
                before: 0,
                after: limit,
            };
            let gathered = scope.gather(&cut, want, None).await?;
            let version = scope.version_of(gathered.versions);
            let mut entries = gathered.entries;
            let worst = worst.unwrap_or_else(|| lowest(kind.rules()));
            entries.retain(|ranked| worst.is_below(&ranked.entry.key));
            Ok(ReadResult {
                version,
                as_of: scope.as_of,
                activity: scope.record.activity,
                members: gathered.members,
                value: entries,
            })
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
        self.on_board(board, kind, window, move |scope| async move {
            let (best, worst) = cuts(kind.rules(), min, max);
            let best = best.map_or(Anchor::Rank(0), Anchor::Bound);
            let worst = Anchor::Bound(worst.unwrap_or_else(|| lowest(kind.rules())));
            let readings = scope
                .round_of_all([RangeAsk::rank_of(best), RangeAsk::rank_of(worst)])
                .await?;
            let listed = scope.listed(&readings);
            let better = |part: usize| -> u64 {
                let parts = readings
                    .iter()
                    .filter_map(|reading| reading.parts.as_ref()?.get(part));
                let better: u64 = parts.filter_map(|part| part.anchor).sum();
                better.min(listed)
            };
            Ok(ReadResult {
                version: scope.version(&readings),
                as_of: scope.as_of,
                members: scope.members_of(&readings),
                activity: scope.record.activity,
                value: better(1).saturating_sub(better(0)),
            })
        })
    }
}
