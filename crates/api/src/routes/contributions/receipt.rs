//! [`Receipt`]: the outcome of the contributions of a request.

use std::time::Duration;

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use board::BoardName;
use connection::{HeldBytes, Pool, ResponseReservation, bytes_of};
use problem::{Problem, ProblemType};
use serde::Serialize;
use shard_router::WriteOutcome;

use super::item_list::{ItemList, SHORT_LIST_BYTES_MAX};
use super::standings::MemberStandingsShape;
use crate::board_response::json;

/// Maximum bytes of the JSON of a short receipt without standings, with a problem around it.
const SHORT_BYTES_MAX: usize = 2 * SHORT_LIST_BYTES_MAX + (2 << 10);

/// How a request ended of which something was written, or might have been.
pub(super) enum Ended {
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
    /// Wrong: never to be sent again.
    rejected_count: u64,
    /// The first 1,000 of them, and at most a mebibyte. Fewer while receipts or unread answers have no room for more.
    #[cfg_attr(test, schema(value_type = Vec<super::item_list::ItemShape>))]
    rejected: ItemList,
    /// Not taken by the store.
    failed_count: u64,
    /// The first of them, with the same limits. `overloaded` and `unavailable` ones were not applied; `unknown`
    /// ones may have been.
    #[cfg_attr(test, schema(value_type = Vec<super::item_list::ItemShape>))]
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
    /// Creates an empty receipt. The items that it lists count in this pool.
    pub(crate) fn new(pool: &Pool, reservation: ResponseReservation) -> Self {
        Self {
            applied: 0,
            duplicates: 0,
            rejected_count: 0,
            rejected: ItemList::default(),
            failed_count: 0,
            failed: ItemList::default(),
            read: None,
            held: pool.hold(),
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
    pub(super) fn reserve_standings(&mut self, bytes: usize) -> Result<(), Problem> {
        let standings_bytes = self.standings_bytes + bytes;
        self.reservation.resize(standings_bytes + SHORT_BYTES_MAX)?;
        self.standings_bytes = standings_bytes;
        Ok(())
    }

    /// Sets the number of lines that were read.
    pub(super) fn set_read(&mut self, lines: usize) {
        self.read = Some(lines);
    }

    pub(super) const fn failed_count(&self) -> u64 {
        self.failed_count
    }

    /// Counts the outcome of a contribution to one board.
    pub(crate) fn count(&mut self, index: usize, board: &BoardName, written: &WriteOutcome) {
        match written {
            WriteOutcome::Applied(_) => self.applied += 1,
            WriteOutcome::Duplicate(_) => self.duplicates += 1,
            WriteOutcome::Rejected(reason) => {
                self.reject(index, Some(board.to_string()), Problem::from(reason));
            }
            WriteOutcome::Failed(failure) => {
                self.fail(index, Some(board.to_string()), &Problem::from(failure));
            }
        }
    }

    /// Counts an item that was not sent to the store: as failed if that is because of the store, otherwise as rejected.
    pub(super) fn count_unsent(&mut self, index: usize, board: Option<String>, problem: Problem) {
        if problem.kind.is_of_store() {
            self.fail(index, board, &problem);
        } else {
            self.reject(index, board, problem);
        }
    }

    /// The same for an item that is not to be listed.
    pub(super) fn count_unlisted(&mut self, kind: ProblemType) {
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
    pub(super) fn fail(&mut self, index: usize, board: Option<String>, problem: &Problem) {
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

    pub(super) fn add_standing(&mut self, shape: MemberStandingsShape) {
        self.standings.push(shape);
    }

    /// Returns the problem of a request of one contribution that was rejected on all its boards. If it failed on one of
    /// them, it is to be sent again, so the receipt is the response.
    pub(super) fn refusal(&mut self) -> Option<Problem> {
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
    pub(super) fn answer(mut self, end: &Ended) -> Response {
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

    /// Shortens both lists; the counts stay.
    fn shorten(&mut self) {
        self.rejected.shorten();
        self.failed.shorten();
    }

    /// Returns 200, 503 if nothing was applied because the store failed, or the problem that ended the request, with
    /// the receipt.
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
        json(self)
    }
}

#[cfg(test)]
mod tests {
    use connection::{RECEIPT_BYTES_MAX, Responses, SMALL_BYTES_MAX};
    use shard_store::{ItemFailure, Overload};

    use super::super::item_list::LISTED_MAX;
    use super::*;

    /// Creates a receipt whose items count in the one pool, and whose response in the other.
    fn receipt_in(pool: &Pool, answers: &Pool) -> Receipt {
        let answers = Responses::new(answers, usize::MAX).to([10, 0, 0, 1].into());
        Receipt::new(pool, answers.reservation())
    }

    fn receipt() -> Receipt {
        let pool = Pool::up_to(RECEIPT_BYTES_MAX);
        receipt_in(&pool, &pool)
    }

    #[test]
    fn a_receipt_that_does_not_fit_is_short_with_its_first_items_and_all_counts() {
        // The characters that are longest in JSON.
        let wide = "\u{1}".repeat(200);
        let full = |answers: &Pool| {
            let mut receipt = receipt_in(&Pool::up_to(RECEIPT_BYTES_MAX), answers);
            for index in 0..LISTED_MAX {
                receipt.reject(index, Some(wide.clone()), Problem::invalid(&*wide));
                let failure = Problem::new(ProblemType::Unavailable, &*wide);
                receipt.fail(index, Some(wide.clone()), &failure);
            }
            receipt
        };
        let pool = Pool::up_to(16 << 20);
        let whole = full(&pool).answer(&Ended::Whole);
        assert_eq!(bytes_of(&whole), Some(pool.bytes()));
        drop(whole);
        assert_eq!(pool.bytes(), 0);
        let mut others = pool.hold();
        assert!(others.resize(pool.bytes_max()));
        for end in [Ended::Whole, Ended::Broken(Problem::invalid(&*wide))] {
            let mut receipt = full(&pool);
            receipt.shorten();
            assert!(receipt.rejected.len() > 0 && receipt.failed.len() > 0);
            assert_eq!(receipt.rejected_count, LISTED_MAX as u64);
            assert_eq!(receipt.failed_count, LISTED_MAX as u64);
            let short = full(&pool).answer(&end);
            assert!(bytes_of(&short).unwrap() <= SHORT_BYTES_MAX);
            assert_eq!(pool.bytes(), pool.bytes_max());
        }
        const { assert!(SHORT_BYTES_MAX <= SMALL_BYTES_MAX) };
    }

    #[test]
    fn standings_reserve_their_bytes_or_are_refused() {
        const SMALL: usize = 100;
        const LARGE: usize = 1 << 19;
        let pool = Pool::up_to(2 * LARGE);
        let mut others = pool.hold();
        assert!(others.resize(1));
        let mut receipt = receipt_in(&Pool::up_to(RECEIPT_BYTES_MAX), &pool);
        receipt.reserve_standings(SMALL).unwrap();
        assert_eq!(pool.bytes(), 1, "a small answer is free");
        receipt.reserve_standings(LARGE).unwrap();
        let taken = 1 + SMALL + LARGE + SHORT_BYTES_MAX;
        assert_eq!(pool.bytes(), taken);
        let refused = receipt.reserve_standings(LARGE).unwrap_err();
        assert_eq!(refused.kind, ProblemType::Overloaded);
        assert_eq!(pool.bytes(), taken);
        drop(receipt);
        assert_eq!(pool.bytes(), 1);
    }

    #[test]
    fn counts_go_on_when_the_lists_are_full() {
        let mut receipt = receipt();
        for index in 0..5_000 {
            receipt.reject(index, None, Problem::invalid("short"));
        }
        assert_eq!(
            (receipt.rejected.len(), receipt.rejected_count),
            (LISTED_MAX, 5_000)
        );
        let mut receipt = receipt_in(&Pool::up_to(0), &Pool::up_to(RECEIPT_BYTES_MAX));
        for index in 0..5_000 {
            receipt.reject(index, None, Problem::invalid("x".repeat(200)));
        }
        assert_eq!(receipt.rejected_count, 5_000);
        assert!(receipt.rejected.len() < LISTED_MAX);
    }

    #[test]
    fn rejected_items_do_not_displace_failed_ones() {
        let mut receipt = receipt();
        let wide = "👍".repeat(200);
        let board: BoardName = format!("gifts/{}", "s".repeat(100)).parse().unwrap();
        for index in 0..LISTED_MAX {
            receipt.reject(index, Some(board.to_string()), Problem::invalid(&*wide));
        }
        for index in 0..LISTED_MAX {
            let failed = WriteOutcome::Failed(ItemFailure::Unavailable(wide.clone()));
            receipt.count(index, &board, &failed);
        }
        assert_eq!(receipt.rejected.len(), LISTED_MAX);
        assert_eq!(receipt.failed.len(), LISTED_MAX);
    }

    #[test]
    fn items_not_sent_because_of_the_store_have_failed() {
        let mut receipt = receipt();
        let away = || Problem::new(ProblemType::Unavailable, "away");
        receipt.count_unsent(0, Some("nope/a".to_owned()), Problem::unknown_kind("nope"));
        receipt.count_unlisted(ProblemType::UnknownKind);
        receipt.count_unsent(1, Some("gifts/a".to_owned()), away());
        receipt.count_unlisted(away().kind);
        assert_eq!((receipt.rejected_count, receipt.rejected.len()), (2, 1));
        assert_eq!((receipt.failed_count, receipt.failed.len()), (2, 1));
        let response = receipt.respond(&Ended::Whole);
        let kind = response.extensions().get::<ProblemType>();
        assert_eq!(kind, Some(&ProblemType::Unavailable));
    }

    #[test]
    fn the_order_of_failures_does_not_matter() {
        let board: BoardName = "gifts/a".parse().unwrap();
        let unsent = Problem::new(ProblemType::Overloaded, "full").after(Duration::from_secs(7));
        let unavailable = ItemFailure::Unavailable("away".to_owned());
        let unknown = ItemFailure::Unknown("lost".to_owned());
        for (sent, kind) in [
            (None, ProblemType::Overloaded),
            (Some(unavailable), ProblemType::Unavailable),
            (Some(unknown), ProblemType::Unknown),
        ] {
            let mut receipt = receipt();
            if let Some(failure) = sent {
                receipt.count(0, &board, &WriteOutcome::Failed(failure));
            }
            receipt.fail(1, None, &unsent);
            let response = receipt.respond(&Ended::Whole);
            assert_eq!(response.extensions().get::<ProblemType>(), Some(&kind));
            assert_eq!(response.headers()["retry-after"], "7");
        }
        // In the other order.
        let mut receipt = receipt();
        receipt.fail(0, None, &unsent);
        let failure = ItemFailure::Unavailable("away".to_owned());
        receipt.count(1, &board, &WriteOutcome::Failed(failure));
        let response = receipt.respond(&Ended::Whole);
        let kind = Some(&ProblemType::Unavailable);
        assert_eq!(response.extensions().get::<ProblemType>(), kind);
    }

    #[test]
    fn a_503_has_the_type_of_all_failures_and_the_longest_wait() {
        let board: BoardName = "gifts/a".parse().unwrap();
        let overloaded = |seconds| {
            ItemFailure::Overloaded(Overload {
                why: "busy".to_owned(),
                wait: Duration::from_secs(seconds),
            })
        };
        let unavailable = ItemFailure::Unavailable("away".to_owned());
        let unknown = ItemFailure::Unknown("lost".to_owned());
        for (failures, kind, retry_after) in [
            (
                vec![overloaded(2), overloaded(4)],
                ProblemType::Overloaded,
                "4",
            ),
            (vec![unavailable.clone()], ProblemType::Unavailable, "1"),
            (
                vec![overloaded(2), unavailable],
                ProblemType::Unavailable,
                "2",
            ),
            (
                vec![unknown.clone(), overloaded(1)],
                ProblemType::Unknown,
                "1",
            ),
            (vec![overloaded(1), unknown], ProblemType::Unknown, "1"),
        ] {
            let mut receipt = receipt();
            for (index, failure) in failures.into_iter().enumerate() {
                receipt.count(index, &board, &WriteOutcome::Failed(failure));
            }
            let response = receipt.respond(&Ended::Whole);
            assert_eq!(response.extensions().get::<ProblemType>(), Some(&kind));
            assert_eq!(response.headers()["retry-after"], retry_after);
        }
    }
}
