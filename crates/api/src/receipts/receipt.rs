//! [`Receipt`]: the outcome of the contributions of a request.

#[cfg(test)]
mod tests;

use std::time::Duration;

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use board::{BoardName, Period};
use http_server::{HeldBytes, ResponseReservation, Share, bytes_of};
use serde::Serialize;
use shard_router::WriteOutcome;
use wire::problem::{Problem, ProblemType};

use http_server::validators::json;

use crate::receipts::item_list::{ItemList, SHORT_LIST_BYTES_MAX};
use crate::routes::contributions::WindowStandingShape;

/// Maximum bytes of the JSON of a short receipt without standings, with a problem around it.
const SHORT_BYTES_MAX: usize = 2 * SHORT_LIST_BYTES_MAX + (2 << 10);

/// Maximum contributions that are listed as counted in some windows only.
const PARTIAL_MAX: usize = 100;

/// Bytes of one of them beside its board, rounded up.
const PARTIAL_BYTES: usize = 256;

/// One contribution on one board: its member's standing in each window after it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = Written))]
pub(crate) struct MemberStandingsShape {
    /// Its place in the request, from 0.
    pub(crate) index: usize,
    pub(crate) board: String,
    pub(crate) member: String,
    pub(crate) windows: Vec<WindowStandingShape>,
}

/// A contribution that did not count in all windows of its kind.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = Partial))]
struct PartialShape {
    /// Its place in the request, from 0.
    index: usize,
    board: String,
    /// The periods in whose windows it did not count.
    #[cfg_attr(test, schema(example = json!(["hour"])))]
    left_out: Vec<&'static str>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// How a request ended of which something was written, or might have been.
pub(crate) enum Ended {
    /// All of it was read.
    Whole,
    /// The server is stopping.
    Stopping,
    /// The rest of the request was not read, for this reason.
    Broken(Problem),
}

/// Counts of outcomes, by contribution and board, and the items that were not applied.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct Receipt {
    /// Counted now.
    applied: u64,
    /// Counted before, under the same id.
    duplicates: u64,
    /// Of a request with removals: how many members were removed. Removals of members that were not there count as
    /// applied, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schema(nullable = false))]
    removed: Option<u64>,
    /// How many of the applied did not count in all windows of their kind: in some their time is closed or no longer
    /// kept. Left out if none.
    #[serde(skip_serializing_if = "is_zero")]
    partial_count: u64,
    /// The first 100 of them. Fewer while receipts or unread answers have no room for more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    partial: Vec<PartialShape>,
    /// Wrong: never to be sent again.
    rejected_count: u64,
    /// The first 1,000 of them, and at most a mebibyte. Fewer while receipts or unread answers have no room for more.
    #[cfg_attr(test, schema(value_type = Vec<crate::receipts::item_list::ItemShape>))]
    rejected: ItemList,
    /// Not taken by the store.
    failed_count: u64,
    /// The first of them, with the same limits. `overloaded` and `unavailable` ones were not applied; `unknown`
    /// ones may have been.
    #[cfg_attr(test, schema(value_type = Vec<crate::receipts::item_list::ItemShape>))]
    failed: ItemList,
    /// Of a stream: how many lines were taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schema(nullable = false))]
    read: Option<usize>,
    /// The bytes of both lists.
    #[serde(skip)]
    held: HeldBytes,
    /// With `return`: of each that was applied or a duplicate.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    standings: Vec<MemberStandingsShape>,
    /// The problem of the first rejected item: the response to a request of one contribution.
    #[serde(skip)]
    first: Option<Problem>,
    /// The type of a 503 for the failures.
    #[serde(skip)]
    failure: Option<ProblemType>,
    /// How long the store asks to wait.
    #[serde(skip)]
    wait: Duration,
    /// The bytes of the response.
    #[serde(skip)]
    reservation: ResponseReservation,
    /// The part of the reservation that is for standings.
    #[serde(skip)]
    standings_bytes: usize,
}

impl Receipt {
    /// Creates an empty receipt. The items that it lists count in this share.
    pub(crate) fn new(share: &Share, reservation: ResponseReservation) -> Self {
        Self {
            applied: 0,
            duplicates: 0,
            removed: None,
            partial_count: 0,
            partial: Vec::new(),
            rejected_count: 0,
            rejected: ItemList::default(),
            failed_count: 0,
            failed: ItemList::default(),
            read: None,
            held: share.hold(),
            standings: Vec::new(),
            first: None,
            failure: None,
            wait: Duration::ZERO,
            reservation,
            standings_bytes: 0,
        }
    }

    /// Reserves this many more bytes for standings. Called before the write: the standings cannot be left out of the
    /// response.
    pub(crate) fn reserve_standings(&mut self, bytes: usize) -> Result<(), Problem> {
        let standings_bytes = self.standings_bytes + bytes;
        self.reservation.resize(standings_bytes + SHORT_BYTES_MAX)?;
        self.standings_bytes = standings_bytes;
        Ok(())
    }

    /// Sets the number of lines that were read.
    pub(crate) fn set_read(&mut self, lines: usize) {
        self.read = Some(lines);
    }

    /// Returns how many have failed.
    pub(crate) const fn failed_count(&self) -> u64 {
        self.failed_count
    }

    /// Counts the outcome of a contribution to one board.
    pub(crate) fn count(&mut self, index: usize, board: &BoardName, written: &WriteOutcome) {
        match written {
            WriteOutcome::Applied(_) => self.applied += 1,
            WriteOutcome::Partial(_, left_out) => {
                self.applied += 1;
                self.partial_count += 1;
                self.list_partial(index, board, left_out);
            }
            WriteOutcome::Duplicate(_) => self.duplicates += 1,
            WriteOutcome::Rejected(reason) => {
                self.reject(index, Some(board.to_string()), Problem::from(reason));
            }
            WriteOutcome::Failed(failure) => {
                self.fail(index, Some(board.to_string()), &Problem::from(failure));
            }
        }
    }

    fn list_partial(&mut self, index: usize, board: &BoardName, left_out: &[Period]) {
        let board = board.to_string();
        if self.partial.len() < PARTIAL_MAX && self.held.grow(board.len() + PARTIAL_BYTES) {
            self.partial.push(PartialShape {
                index,
                board,
                left_out: left_out.iter().map(|period| period.as_str()).collect(),
            });
        }
    }

    /// Counts a removal that succeeded.
    pub(crate) fn count_removal(&mut self, is_removed: bool) {
        self.applied += 1;
        *self.removed.get_or_insert(0) += u64::from(is_removed);
    }

    /// Counts an item that was not sent to the store: as failed if that is because of the store, otherwise as rejected.
    pub(crate) fn count_unsent(&mut self, index: usize, board: Option<String>, problem: Problem) {
        if problem.kind.is_of_store() {
            self.fail(index, board, &problem);
        } else {
            self.reject(index, board, problem);
        }
    }

    /// The same for an item that is not to be listed.
    pub(crate) fn count_unlisted(&mut self, kind: ProblemType) {
        if kind.is_of_store() {
            self.count_failure(kind, Duration::ZERO);
        } else {
            self.rejected_count += 1;
        }
    }

    fn reject(&mut self, index: usize, board: Option<String>, problem: Problem) {
        self.rejected_count += 1;
        self.rejected.push(&mut self.held, index, board, &problem);
        self.first.get_or_insert(problem);
    }

    /// Counts an item as failed.
    pub(crate) fn fail(&mut self, index: usize, board: Option<String>, problem: &Problem) {
        self.count_failure(problem.kind, problem.wait);
        self.failed.push(&mut self.held, index, board, problem);
    }

    /// Counts a failure, and determines the type of a 503 for all failures: `unknown` if any may be applied; otherwise
    /// their common type; `unavailable` if they differ, since waiting may not be enough.
    fn count_failure(&mut self, kind: ProblemType, wait: Duration) {
        use ProblemType::{Unavailable, Unknown};
        self.failed_count += 1;
        self.wait = self.wait.max(wait);
        self.failure = Some(match self.failure {
            Some(before) if before == Unknown || kind == Unknown => Unknown,
            Some(before) if before != kind => Unavailable,
            _ => kind,
        });
    }

    /// Adds the standings that are asked for.
    pub(crate) fn add_standings(&mut self, shapes: Vec<MemberStandingsShape>) {
        self.standings.extend(shapes);
    }

    /// Returns the problem of a request of one contribution that was rejected on all its boards. If it failed on one of
    /// them, it is to be sent again, so the receipt is the response.
    pub(crate) fn refusal(&mut self) -> Option<Problem> {
        let others = self.applied + self.duplicates + self.failed_count;
        self.first.take().filter(|_| others == 0)
    }

    /// Returns the response to a request of one contribution.
    pub(crate) fn into_single(mut self) -> Result<Response, Problem> {
        match self.refusal() {
            Some(problem) => Err(problem),
            None => Ok(self.answer(&Ended::Whole)),
        }
    }

    /// Returns the response, with its reservation. If the lists do not fit, they are shortened.
    pub(crate) fn answer(mut self, end: &Ended) -> Response {
        let whole = self.respond(end);
        let fits = self.reservation.resize(bytes_of(&whole).unwrap_or(0));
        if fits.is_ok() {
            return self.reservation.answer(whole);
        }
        drop(whole);
        self.shorten();
        let short = self.respond(end);
        self.reservation.answer(short)
    }

    /// Shortens all lists; the counts stay.
    fn shorten(&mut self) {
        self.partial.clear();
        self.rejected.shorten();
        self.failed.shorten();
    }

    /// Returns 200, 503 if nothing was applied because the store failed, 422 if everything was rejected, or the problem
    /// that ended the request, with the receipt.
    fn respond(&self, end: &Ended) -> Response {
        match end {
            Ended::Whole => self.whole(),
            Ended::Stopping => {
                let close = [(header::CONNECTION, HeaderValue::from_static("close"))];
                (close, self.whole()).into_response()
            }
            Ended::Broken(problem) => problem.clone().with(self).into_response(),
        }
    }

    fn whole(&self) -> Response {
        if self.applied == 0 && self.failed_count > 0 {
            let kind = self.failure.unwrap_or(ProblemType::Unknown);
            let what = match kind {
                ProblemType::Unknown => "nothing is known to be applied",
                _ => "nothing was applied",
            };
            let why = self.failed.first_detail();
            let detail = format!("{what}; {} failed: {why}", self.failed_count);
            let problem = Problem::new(kind, detail).after(self.wait);
            return problem.with(self).into_response();
        }
        if self.applied + self.duplicates + self.failed_count == 0 && self.rejected_count > 0 {
            let why = self.rejected.first_detail();
            let detail = format!(
                "nothing was applied; {} rejected: {why}",
                self.rejected_count
            );
            let problem = Problem::new(ProblemType::NothingApplied, detail);
            return problem.with(self).into_response();
        }
        json(self)
    }
}
