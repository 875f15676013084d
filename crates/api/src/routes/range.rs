//! `GET /v1/boards/{kind}/{subject}/range`: entries by position, at any depth, by the first field, or after another.

use board::Kind;
use http_server::query_params::{FieldValue, WholeNumber};
use merger::{End, Slice};
use serde::Deserialize;
use wire::parse_cursor;
use wire::problem::Problem;

use super::count::bounds;
use crate::call::{BoardRead, Call, HandlerResult};
#[cfg(test)]
use crate::openapi::prelude::*;
use crate::query::query;

/// Maximum entries of a page.
const PAGE_MAX: u64 = 1000;

/// Default of `limit`.
const LIMIT_DEFAULT: u64 = 100;

query! {
    struct RangeParams {
        /// The first position. Requires `to`.
        #[param(value_type = Option<u64>, nullable = false, minimum = 1, example = 300)]
        from: Option<WholeNumber<1, { u64::MAX }>>,
        /// The last position, at most 999 after the first.
        #[param(value_type = Option<u64>, nullable = false, minimum = 1, example = 400)]
        to: Option<WholeNumber<1, { u64::MAX }>>,
        /// The maximum number of entries between `min` and `max`, or after `after`. Defaults to 100.
        #[param(value_type = Option<u64>, nullable = false, minimum = 1, maximum = 1000)]
        limit: Option<WholeNumber<1, PAGE_MAX>>,
        /// `next` of the page before: the entries that follow its last one, whatever has changed before it.
        #[param(nullable = false)]
        after: Option<String>,
        /// The end from which positions are counted and entries are returned.
        #[param(nullable = false, inline)]
        order: Option<Order>,
        /// The smallest value of the first field.
        #[param(value_type = Option<i64>, nullable = false, minimum = -9_007_199_254_740_991i64, maximum = 9_007_199_254_740_991i64)]
        min: Option<FieldValue>,
        /// The largest value of the first field.
        #[param(value_type = Option<i64>, nullable = false, minimum = -9_007_199_254_740_991i64, maximum = 9_007_199_254_740_991i64)]
        max: Option<FieldValue>,
        /// Adds the profile of each member that has one to its entry. The profiles of a top are as old as the top.
        #[param(nullable = false, default = false)]
        profiles: Option<bool>,
    }
}

/// An end of a board.
#[derive(Debug, Clone, Copy, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub(crate) enum Order {
    Best,
    Worst,
}

/// Read a range by position, at any depth, by the first field, or after another
///
/// Requires either `from` and `to`, both inclusive, for at most 1,000 entries; or at least one of `min`, `max` and
/// `after`. A range that exceeds the board is cut at its end. A page that more entries may follow has `next`.
#[cfg_attr(test, utoipa::path(
    get, path = "/v1/boards/{kind}/{subject}/range", operation_id = "range", tag = "Reading",
    params(RangeParams, OfWindow), responses((status = 200, body = Page), problems::OfWindow),
))]
pub(crate) async fn show(call: Box<Call>) -> HandlerResult {
    let (read, params) = BoardRead::of::<RangeParams>(call).await?;
    let with_profiles = params.profiles == Some(true);
    let read = read.validated_if(with_profiles);
    let (name, kind) = (read.name(), read.board.kind());
    let (merger, window) = (read.merger(), read.window.window);
    let (found, from, limit) = match Range::of(params, kind)? {
        Range::Positions(from, to, end) => {
            let read = match end {
                End::Best => merger.range(name, kind, window, from, to),
                End::Worst => merger.range_from_worst(name, kind, window, from, to),
            };
            (read.await?, end, to - from + 1)
        }
        Range::Slice(slice) => {
            let (from, limit) = (slice.from, slice.limit);
            (merger.slice(name, kind, window, slice).await?, from, limit)
        }
    };
    let is_full = found.value.len() as u64 == limit;
    let more = found.value.last().filter(|last| {
        let is_end = match from {
            End::Best => last.position >= found.members,
            End::Worst => last.position == 1,
        };
        is_full && !is_end
    });
    read.page(&found, "range", &found.value, more, with_profiles)
        .await
}

/// What a request asks for.
enum Range {
    /// From one position to another, counted from this end.
    Positions(u64, u64, End),
    Slice(Slice),
}

impl Range {
    fn of(params: RangeParams, kind: &Kind) -> Result<Self, Problem> {
        let bounds = bounds(params.min, params.max)?;
        let values = Some(bounds).filter(|bounds| *bounds != (None, None));
        let end = match params.order {
            None | Some(Order::Best) => End::Best,
            Some(Order::Worst) => End::Worst,
        };
        let is_slice = values.is_some() || params.after.is_some();
        match (params.from, params.to) {
            (Some(_), Some(_)) if is_slice || params.limit.is_some() => Err(Problem::invalid(
                "from: goes with to, not with min, max, after or limit",
            )),
            (Some(from), Some(to)) => {
                check_page(from.0, to.0)?;
                Ok(Self::Positions(from.0, to.0, end))
            }
            (None, None) if is_slice => {
                let after = params.after.map(|text| {
                    parse_cursor(kind, &text).ok_or_else(|| {
                        let kind = kind.name();
                        let detail =
                            format!("after: {text:?} is not `next` of a range of kind {kind}");
                        Problem::invalid(detail)
                    })
                });
                Ok(Self::Slice(Slice {
                    values,
                    after: after.transpose()?,
                    from: end,
                    limit: params.limit.map_or(LIMIT_DEFAULT, |limit| limit.0),
                }))
            }
            (None, None) => Err(Problem::invalid(
                "from: is missing (and to; or min, max or after)",
            )),
            (Some(_), None) => Err(Problem::invalid("to: is missing")),
            (None, Some(_)) => Err(Problem::invalid("from: is missing")),
        }
    }
}

fn check_page(from: u64, to: u64) -> Result<(), Problem> {
    if from > to {
        return Err(Problem::invalid(format!("from: {from} is behind to, {to}")));
    }
    if to - from >= PAGE_MAX {
        let detail = format!("to: {to} is more than {PAGE_MAX} positions from {from} on");
        return Err(Problem::invalid(detail));
    }
    Ok(())
}
