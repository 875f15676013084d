//! What became of the contributions of a request.

use axum::response::{IntoResponse, Response};
use board::BoardName;
use serde::Serialize;
use shard_router::Written;
use shard_store::Failure;
use utoipa::ToSchema;

use super::standings::WrittenShape;
use crate::problem::{Problem, ProblemType};
use crate::wire;

/// Items that the lists name; the counts go on.
const LISTED_MAX: usize = 1000;

/// Counts of outcomes, by contribution and board, and the items that were not applied.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct Receipt {
    /// Counted now.
    applied: u64,
    /// Counted before, under the same id.
    duplicates: u64,
    /// Wrong: never to be sent again.
    rejected_count: u64,
    /// The first 1,000 of them.
    rejected: Vec<ItemShape>,
    /// Not taken by the store.
    failed_count: u64,
    /// The first 1,000 of them. `unavailable` are surely not applied, `unknown` may be.
    failed: Vec<ItemShape>,
    /// Of a stream: how many lines were taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    read: Option<usize>,
    /// With `return`: of each that was applied or a duplicate.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    standings: Vec<WrittenShape>,
    /// The first thing that was wrong, which answers a request of one contribution.
    #[serde(skip)]
    first: Option<Problem>,
    /// Of a failure it is not known whether it was applied after all.
    #[serde(skip)]
    any_unknown: bool,
}

/// An item that was not applied.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Item)]
struct ItemShape {
    /// Its place in the request, from 0.
    index: usize,
    /// The board, where the item names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    board: Option<String>,
    #[schema(value_type = ProblemType)]
    r#type: &'static str,
    /// What is wrong: names the field and its value.
    detail: String,
}

impl Receipt {
    pub(crate) fn of_stream() -> Self {
        Self {
            read: Some(0),
            ..Self::default()
        }
    }

    pub(crate) fn has_read(&mut self, lines: usize) {
        self.read = Some(lines);
    }

    pub(crate) const fn failed_count(&self) -> u64 {
        self.failed_count
    }

    pub(crate) fn reject(&mut self, index: usize, board: Option<String>, problem: Problem) {
        self.rejected_count += 1;
        list(&mut self.rejected, index, board, &problem);
        self.first.get_or_insert(problem);
    }

    pub(crate) fn count(&mut self, index: usize, board: &BoardName, written: &Written) {
        match written {
            Written::Applied(_) => self.applied += 1,
            Written::Duplicate(_) => self.duplicates += 1,
            Written::Refused(reason) => {
                self.reject(index, Some(board.to_string()), Problem::from(reason));
            }
            Written::Failed(failure) => {
                self.failed_count += 1;
                self.any_unknown |= matches!(failure, Failure::Unknown(_));
                let problem = Problem::from(failure);
                list(&mut self.failed, index, Some(board.to_string()), &problem);
            }
        }
    }

    pub(crate) fn add_standing(&mut self, shape: WrittenShape) {
        self.standings.push(shape);
    }

    /// The answer to a request of one contribution: when it was refused whole, its own error. What
    /// failed on one of its boards is worth sending again, so that comes first.
    pub(crate) fn into_single(mut self) -> Result<Response, Problem> {
        let taken = self.applied + self.duplicates + self.failed_count;
        match self.first.take() {
            Some(problem) if taken == 0 => Err(problem),
            _ => Ok(self.into_response()),
        }
    }
}

fn list(items: &mut Vec<ItemShape>, index: usize, board: Option<String>, problem: &Problem) {
    if items.len() < LISTED_MAX {
        let (r#type, detail) = (problem.kind.word(), problem.detail.clone());
        items.push(ItemShape {
            index,
            board,
            r#type,
            detail,
        });
    }
}

impl IntoResponse for Receipt {
    /// 200, or 503 when nothing was applied because the store could not.
    fn into_response(self) -> Response {
        if self.applied == 0 && self.failed_count > 0 {
            let (kind, what) = if self.any_unknown {
                (ProblemType::Unknown, "nothing is known to be applied")
            } else {
                (ProblemType::Unavailable, "nothing was applied")
            };
            let why = self.failed.first().map_or("", |item| &item.detail);
            let detail = format!("{what}; {} failed: {why}", self.failed_count);
            return Problem::new(kind, detail).with(&self).into_response();
        }
        wire::json(&self)
    }
}
