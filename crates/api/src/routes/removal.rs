//! `DELETE .../members/{member}` and `DELETE .../members`: removes a member, or all members of a range.

use std::ops::ControlFlow;

use board::{Member, Period, Value, Window};
use http_server::query_params::{FieldValue, WholeNumber};
use http_server::validators::json;
use merger::Slice;
use pacing::{STEP, spend};
use serde::Serialize;
use shard_router::{BoardBatches, Contribution};
use shard_store::Change;
use tokio::time::Instant;
use wire::problem::{Problem, ProblemType};

use super::count::bounds;
use crate::app::App;
use crate::call::{Board, Call, HandlerResult};
#[cfg(test)]
use crate::openapi::prelude::*;
use crate::progress::{self, REQUEST_FOR};
use crate::query::query;
use crate::target::{resolve, resolve_only};

/// Members that are read and removed at once.
const BATCH_MEMBERS: u64 = 256;

/// The work of reading and removing them, in entries that are read.
const BATCH_WORK: usize = STEP;

/// The maximum of `below_rank`: that of an `int64`, as the document has it.
const RANK_MAX: u64 = i64::MAX.unsigned_abs();

/// What a removal did.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = Removed))]
struct RemovedShape {
    /// How many members were removed.
    removed: u64,
    /// Of a range: the window that it is of.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schema(nullable = false))]
    window: Option<String>,
    /// Of a range: whether more members may be left, so that the request is to be repeated.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schema(nullable = false))]
    more: Option<bool>,
}

query! {
    struct RemovalParams {
        /// The only window that members are removed from, and, of a range, the window that it is of. Defaults to all
        /// windows.
        #[param(nullable = false, example = "day")]
        window: Option<String>,
    }
}

/// Remove a member from a board
///
/// Removes it from all windows, or only from `window`. A member that is not there is no error.
#[cfg_attr(test, utoipa::path(
    delete, path = "/v1/boards/{kind}/{subject}/members/{member}", operation_id = "remove_member",
    tag = "Contributions", params(RemovalParams), responses((status = 200, body = RemovedShape), problems::OfRemoval),
))]
pub(crate) async fn one(call: Box<Call>) -> HandlerResult {
    let (board, member) = (call.board().await?, call.member()?);
    let params: RemovalParams = call.params()?;
    let only = resolve_only(board.kind(), params.window.as_deref(), call.app.now())?;
    call.begin_change().await?;
    let mut removal = Removal::new(&call.app, &board, only);
    removal.remove([member]).await?;
    Ok(json(&removal.shape))
}

query! {
    struct RangeRemovalParams {
        /// The smallest value of the first field.
        #[param(value_type = Option<i64>, nullable = false, minimum = -9_007_199_254_740_991i64, maximum = 9_007_199_254_740_991i64)]
        min: Option<FieldValue>,
        /// The largest value of the first field.
        #[param(value_type = Option<i64>, nullable = false, minimum = -9_007_199_254_740_991i64, maximum = 9_007_199_254_740_991i64)]
        max: Option<FieldValue>,
        /// The last rank whose members stay. Not with `min` or `max`.
        #[param(value_type = Option<u64>, nullable = false, example = 1000)]
        below_rank: Option<WholeNumber<0, RANK_MAX>>,
        /// The only window that members are removed from, and, of a range, the window that it is of. Defaults to all
        /// windows.
        #[param(nullable = false, example = "day")]
        window: Option<String>,
    }
}

/// Remove the members of a range of points or ranks
///
/// Removes all members whose first field is from `min` to `max`, or all whose rank is more than `below_rank`. Without
/// `window` the range is that of the window `all` (of the kind's first window if it does not have that), and its
/// members are removed from all windows; with `window`, it is that of this window, and they are removed only from it.
/// A request takes at most 10 s: repeat it until `more` is false. Members are removed in batches, each as it was read:
/// contributions to them meanwhile count before the removal or after it.
#[cfg_attr(test, utoipa::path(
    delete, path = "/v1/boards/{kind}/{subject}/members", operation_id = "remove_members", tag = "Contributions",
    params(RangeRemovalParams), responses((status = 200, body = RemovedShape), problems::OfRemoval),
))]
pub(crate) async fn many(call: Box<Call>) -> HandlerResult {
    let until = Instant::now() + REQUEST_FOR;
    let (board, params) = (call.board().await?, call.params::<RangeRemovalParams>()?);
    let bounds = bounds(params.min, params.max)?;
    let below_rank = params.below_rank.map(|rank| rank.0);
    let app = &call.app;
    let mut range = match (bounds, below_rank) {
        ((None, None), Some(rank)) => MemberRange::BelowRank {
            rank,
            from: rank + 1,
        },
        ((None, None), None) => {
            return Err(Problem::invalid("min: is missing (or max, or below_rank)"));
        }
        ((min, max), None) => MemberRange::Points(min, max),
        (_, Some(_)) => {
            let detail = "below_rank: cannot be given together with min or max";
            return Err(Problem::invalid(detail));
        }
    };
    let has_all = board.kind().window_rule(Period::All).is_some();
    let selector = params.window.as_deref();
    let selected = selector.or(has_all.then_some("all"));
    let selected = resolve(app, board.kind(), selected)?;
    let window = selected.window;
    call.begin_change().await?;
    let mut removal = Removal::new(app, &board, selector.map(|_| window));
    removal.shape.window = Some(selected.name());
    if let MemberRange::BelowRank { rank, from } = &mut range
        && board.kind().rank_style().is_shared()
    {
        *from = removal.first_below(window, *rank).await?;
    }
    let removed = loop {
        let more = match removal.batch(window, &mut range).await {
            Ok(ControlFlow::Continue(())) if Instant::now() < until => continue,
            Ok(flow) => flow.is_continue(),
            // The next request returns the problem if it persists.
            Err(problem) if removal.shape.removed > 0 && problem.kind != ProblemType::Unknown => {
                true
            }
            Err(problem) => break Err(problem),
        };
        removal.shape.more = Some(more);
        break Ok(());
    };
    Ok(progress::answer(&removal.shape, removed))
}

/// The members that a request removes.
enum MemberRange {
    /// From the first to the second value of the first field.
    Points(Option<Value>, Option<Value>),
    /// Those whose rank is more than `rank`, from the position `from` on.
    BelowRank { rank: u64, from: u64 },
}

/// Removals from one board.
struct Removal<'a> {
    app: &'a App,
    board: &'a Board,
    /// The only window that members are removed from. `None`: all.
    only: Option<Window>,
    shape: RemovedShape,
}

impl<'a> Removal<'a> {
    fn new(app: &'a App, board: &'a Board, only: Option<Window>) -> Self {
        Self {
            app,
            board,
            only,
            shape: RemovedShape::default(),
        }
    }

    /// Removes the first members of a range. Breaks if there are no more.
    async fn batch(
        &mut self,
        window: Window,
        range: &mut MemberRange,
    ) -> Result<ControlFlow<()>, Problem> {
        let (board, kind, merger) = (&self.board.name, self.board.kind(), &self.app.merger);
        spend(BATCH_WORK).await;
        let mut page = match range {
            MemberRange::Points(min, max) => {
                let bounds = (*min, *max);
                merger
                    .slice(board, kind, window, Slice::between(bounds, BATCH_MEMBERS))
                    .await?
                    .value
            }
            MemberRange::BelowRank { from, .. } => {
                let to = from.saturating_add(BATCH_MEMBERS - 1);
                merger.range(board, kind, window, *from, to).await?.value
            }
        };
        let is_last = (page.len() as u64) < BATCH_MEMBERS;
        if let MemberRange::BelowRank { rank, from } = range {
            // The board may have changed since.
            let tied = page.partition_point(|ranked| ranked.rank <= *rank);
            page.drain(..tied);
            *from += tied as u64;
        }
        let members = page.into_iter().map(|ranked| ranked.entry.key.member);
        self.remove(members).await?;
        Ok(if is_last {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    }

    /// Returns the first position whose rank is more than `rank`, or the one after the last.
    async fn first_below(&self, window: Window, rank: u64) -> Result<u64, Problem> {
        let (board, kind, merger) = (&self.board.name, self.board.kind(), &self.app.merger);
        let (mut low, mut high) = (rank + 1, u64::MAX);
        while low < high {
            // Most often it is the first one.
            let middle = if high == u64::MAX {
                low
            } else {
                low + (high - low) / 2
            };
            let read = merger.range(board, kind, window, middle, middle).await?;
            high = high.min(read.members.saturating_add(1).max(low));
            match read.value.first() {
                Some(ranked) if ranked.rank <= rank => low = middle + 1,
                _ => high = middle,
            }
        }
        Ok(low)
    }

    /// Removes members, and counts those that were there.
    async fn remove(&mut self, members: impl IntoIterator<Item = Member>) -> Result<(), Problem> {
        let moment = self.app.moment();
        let mut batches = BoardBatches::default();
        let slot = batches.slot(self.board.name.clone());
        for member in members {
            let removal = Contribution {
                member,
                change: Change::Remove,
                at: moment.now,
                id: None,
                only: self.only,
            };
            batches.push(slot, &self.board.known, removal);
        }
        if batches.is_empty() {
            return Ok(());
        }
        let mut problem = None;
        for written in self.app.router.write(batches, moment, false).await {
            self.app.metrics.writes.count(&written);
            match written.removed() {
                Some(was_there) => self.shape.removed += u64::from(was_there),
                None => problem = problem.or_else(|| Problem::of_write(&written)),
            }
        }
        problem.map_or(Ok(()), Err)
    }
}
