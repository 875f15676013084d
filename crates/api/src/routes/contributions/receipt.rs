//! What became of the contributions of a request.

use std::time::Duration;

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use board::BoardName;
use connection::{HeldBytes, Pool, ResponseReservation, bytes_of};
use problem::{Problem, ProblemType};
use serde::Serialize;
use shard_router::WriteOutcome;

use super::Ended;
use super::standings::MemberStandingsShape;
use crate::board_response::json;

/// Items that each list names; the counts go on.
pub(super) const LISTED_MAX: usize = 1000;

/// Bytes of boards and details that each list holds; items beyond them are only counted. Rejected items take
/// nothing from failed ones, which their client is to send again.
const LISTED_BYTES_MAX: usize = 1 << 20;

/// Bytes of each list that are not counted: the first items are listed in any case.
const FREE_BYTES: usize = 4 << 10;

/// Bytes of an item beside its texts, rounded up.
const ITEM_BYTES: usize = 256;

/// Bytes of the JSON of each list of a short receipt: of one item at least.
const SHORT_LIST_BYTES_MAX: usize = 3 << 10;

/// Bytes of the JSON of a short receipt without standings, with a problem around it.
const SHORT_BYTES_MAX: usize = 2 * SHORT_LIST_BYTES_MAX + (2 << 10);

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
    rejected: Vec<ItemShape>,
    /// Not taken by the store.
    failed_count: u64,
    /// The first of them, under the same limits. `overloaded` and `unavailable` are surely not applied, `unknown` may be.
    failed: Vec<ItemShape>,
    /// Of a stream: how many lines were taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schema(nullable = false))]
    read: Option<usize>,
    /// Bytes of boards and details in `rejected`.
    #[serde(skip)]
    rejected_bytes: usize,
    /// Those in `failed`.
    #[serde(skip)]
    failed_bytes: usize,
    /// All but the first of both.
    #[serde(skip)]
    held: HeldBytes,
    /// With `return`: of each that was applied or a duplicate.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    standings: Vec<MemberStandingsShape>,
    /// The first thing that was wrong, which answers a request of one contribution.
    #[serde(skip)]
    first: Option<Problem>,
    /// What the failures come to.
    #[serde(skip)]
    failure: Option<ProblemType>,
    /// For how long the store asks to wait.
    #[serde(skip)]
    wait: Duration,
    /// Room for the answer.
    #[serde(skip)]
    room: ResponseReservation,
    /// Of it for standings.
    #[serde(skip)]
    standings_bytes: usize,
}

/// An item that was not applied.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = Item))]
struct ItemShape {
    /// Its place in the request, from 0.
    index: usize,
    /// The board, where the item names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schema(nullable = false))]
    board: Option<String>,
    #[cfg_attr(test, schema(value_type = ProblemType))]
    r#type: &'static str,
    /// What is wrong: names the field and its value.
    detail: String,
}

impl Receipt {
    /// Nothing has become of anything. Items that are listed count in this pool.
    pub(crate) fn new(pool: &Pool, room: ResponseReservation) -> Self {
        Self {
            applied: 0,
            duplicates: 0,
            rejected_count: 0,
            rejected: Vec::new(),
            failed_count: 0,
            failed: Vec::new(),
            read: None,
            rejected_bytes: 0,
            failed_bytes: 0,
            held: pool.hold(),
            standings: Vec::new(),
            first: None,
            failure: None,
            wait: Duration::ZERO,
            room,
            standings_bytes: 0,
        }
    }

    /// Takes room for so many further bytes of standings, before what they are of is written: they cannot be left out.
    pub(super) fn take_room(&mut self, standings_bytes: usize) -> Result<(), Problem> {
        let bytes = self.standings_bytes + standings_bytes;
        self.room.resize(bytes + SHORT_BYTES_MAX)?;
        self.standings_bytes = bytes;
        Ok(())
    }

    pub(crate) fn has_read(&mut self, lines: usize) {
        self.read = Some(lines);
    }

    pub(crate) const fn failed_count(&self) -> u64 {
        self.failed_count
    }

    pub(crate) fn reject(&mut self, index: usize, board: Option<String>, problem: Problem) {
        self.rejected_count += 1;
        let Self {
            rejected,
            rejected_bytes,
            held,
            ..
        } = self;
        list(rejected, rejected_bytes, held, index, board, &problem);
        self.first.get_or_insert(problem);
    }

    /// Counts an item that was not tried: as failed if it is the store that kept it from that, otherwise as wrong.
    pub(super) fn leave(&mut self, index: usize, board: Option<String>, problem: Problem) {
        if problem.kind.is_of_store() {
            self.fail(index, board, &problem);
        } else {
            self.reject(index, board, problem);
        }
    }

    /// The same of one that comes behind more than the lists name.
    pub(super) fn leave_unlisted(&mut self, kind: ProblemType) {
        if kind.is_of_store() {
            self.count_failure(kind, Duration::ZERO);
        } else {
            self.rejected_count += 1;
        }
    }

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

    /// Counts an item that was never tried, whatever boards it names.
    pub(super) fn fail_untried(&mut self, index: usize, problem: &Problem) {
        self.fail(index, None, problem);
    }

    fn fail(&mut self, index: usize, board: Option<String>, problem: &Problem) {
        self.count_failure(problem.kind, problem.wait);
        let Self {
            failed,
            failed_bytes,
            held,
            ..
        } = self;
        list(failed, failed_bytes, held, index, board, problem);
    }

    /// Counts a failure. What is known of all of them is the type of a 503: `unknown` if any may be applied, otherwise
    /// their common type, and of different ones `unavailable`, which waiting alone may not end.
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

    pub(crate) fn add_standing(&mut self, shape: MemberStandingsShape) {
        self.standings.push(shape);
    }

    /// What answers a request of one contribution that was refused whole. What failed on one of its boards is worth
    /// sending again, so that comes first.
    pub(super) fn refusal(&mut self) -> Option<Problem> {
        let taken = self.applied + self.duplicates + self.failed_count;
        self.first.take().filter(|_| taken == 0)
    }

    /// The answer to a request of one contribution.
    pub(crate) fn into_single(mut self) -> Result<Response, Problem> {
        match self.refusal() {
            Some(problem) => Err(problem),
            None => Ok(self.answer(&Ended::Whole)),
        }
    }

    /// The answer, with the room for it. Where there is none for all of the lists, they are short.
    pub(super) fn answer(mut self, end: &Ended) -> Response {
        let whole = self.respond(end);
        let taken = self.room.resize(bytes_of(&whole).unwrap_or(0));
        if taken.is_ok() {
            return self.room.answer(whole);
        }
        drop(whole);
        self.shorten();
        let short = self.respond(end);
        self.room.answer(short)
    }

    /// Leaves out what a short receipt does not list; the counts stay.
    fn shorten(&mut self) {
        for items in [&mut self.rejected, &mut self.failed] {
            let mut bytes = 0;
            let fits = |item: &&ItemShape| {
                let json = serde_json::to_vec(item);
                let json = json.expect("an item is JSON, and memory is no file");
                bytes += json.len() + 1;
                bytes <= SHORT_LIST_BYTES_MAX
            };
            let listed = items.iter().take_while(fits).count();
            items.truncate(listed);
        }
    }

    /// 200, or 503 when nothing was applied because the store could not; or what was wrong, with how far it came.
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
            let why = self.failed.first().map_or("", |item| &item.detail);
            let detail = format!("{what}; {} failed: {why}", self.failed_count);
            let problem = Problem::new(kind, detail).after(self.wait);
            return problem.with(self).into_response();
        }
        json(self)
    }
}

fn list(
    items: &mut Vec<ItemShape>,
    listed_bytes: &mut usize,
    held: &mut HeldBytes,
    index: usize,
    board: Option<String>,
    problem: &Problem,
) {
    let bytes = text_bytes(board.as_deref(), problem);
    if items.len() >= LISTED_MAX || *listed_bytes + bytes > LISTED_BYTES_MAX {
        return;
    }
    if has_room(held, *listed_bytes, bytes) {
        *listed_bytes += bytes;
        items.push(ItemShape {
            index,
            board,
            r#type: problem.kind.word(),
            detail: problem.detail.clone(),
        });
    }
}

/// Bytes of what is said of an item.
pub(super) fn text_bytes(board: Option<&str>, problem: &Problem) -> usize {
    problem.detail.len() + board.map_or(0, str::len)
}

/// Whether an item of so many bytes may be listed behind others of so many; it is held then.
pub(super) fn has_room(held: &mut HeldBytes, listed_bytes: usize, bytes: usize) -> bool {
    listed_bytes + bytes <= FREE_BYTES || held.grow(bytes + ITEM_BYTES)
}

#[cfg(test)]
mod tests {
    use connection::{RECEIPT_BYTES_MAX, Responses, SMALL_BYTES_MAX};
    use shard_store::{ItemFailure, Overload};

    use super::*;

    /// A receipt whose items count in the one pool and whose answer in the other.
    fn receipt_in(pool: &Pool, answers: &Pool) -> Receipt {
        let answers = Responses::new(answers, usize::MAX).to([10, 0, 0, 1].into());
        Receipt::new(pool, answers.room())
    }

    fn receipt() -> Receipt {
        let pool = Pool::up_to(RECEIPT_BYTES_MAX);
        receipt_in(&pool, &pool)
    }

    #[test]
    fn receipts_share_a_limit_and_list_their_first_items_in_any_case() {
        const ITEMS: usize = 100;
        let item = ITEM_BYTES + 200;
        let pool = Pool::up_to(ITEMS * item);
        let rejecting = || {
            let mut receipt = receipt_in(&pool, &Pool::up_to(0));
            for index in 0..LISTED_MAX {
                receipt.reject(index, None, Problem::invalid("x".repeat(200)));
            }
            receipt
        };
        let first = rejecting();
        let free = FREE_BYTES / 200;
        assert_eq!(first.rejected.len(), free + ITEMS);
        assert_eq!(pool.bytes(), ITEMS * item);
        let mut second = rejecting();
        assert_eq!(second.rejected.len(), free);
        second.fail_untried(0, &Problem::invalid("x"));
        assert_eq!(second.failed.len(), 1);
        assert_eq!(
            (first.rejected_count, second.rejected_count),
            (LISTED_MAX as u64, LISTED_MAX as u64)
        );
        drop((first, second));
        assert_eq!(pool.bytes(), 0);
    }

    #[test]
    fn without_room_a_receipt_is_short_and_lists_its_first_items_and_the_counts_are_whole() {
        // As long as JSON makes them.
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
            assert!(!receipt.rejected.is_empty() && !receipt.failed.is_empty());
            assert_eq!(receipt.rejected_count, LISTED_MAX as u64);
            assert_eq!(receipt.failed_count, LISTED_MAX as u64);
            let short = full(&pool).answer(&end);
            assert!(bytes_of(&short).unwrap() <= SHORT_BYTES_MAX);
            assert_eq!(pool.bytes(), pool.bytes_max());
        }
        const { assert!(SHORT_BYTES_MAX <= SMALL_BYTES_MAX) };
    }

    #[test]
    fn standings_take_their_room_before_the_write_or_are_refused() {
        const SMALL: usize = 100;
        const LARGE: usize = 1 << 19;
        let pool = Pool::up_to(2 * LARGE);
        let mut others = pool.hold();
        assert!(others.resize(1));
        let mut receipt = receipt_in(&Pool::up_to(RECEIPT_BYTES_MAX), &pool);
        receipt.take_room(SMALL).unwrap();
        assert_eq!(pool.bytes(), 1, "a small answer is free");
        receipt.take_room(LARGE).unwrap();
        let taken = 1 + SMALL + LARGE + SHORT_BYTES_MAX;
        assert_eq!(pool.bytes(), taken);
        let refused = receipt.take_room(LARGE).unwrap_err();
        assert_eq!(refused.kind, ProblemType::Overloaded);
        assert_eq!(pool.bytes(), taken);
        drop(receipt);
        assert_eq!(pool.bytes(), 1);
    }

    #[test]
    fn lists_are_bounded_by_items_and_by_bytes_and_the_counts_go_on() {
        let reject = |detail: &str, count: usize| {
            let mut receipt = receipt();
            for index in 0..count {
                let board = Some("gifts/a".to_owned());
                receipt.reject(index, board, Problem::invalid(detail));
            }
            assert_eq!(receipt.rejected_count, count as u64);
            receipt
        };
        assert_eq!(reject("short", 5_000).rejected.len(), LISTED_MAX);
        // As wide as characters are, and escaped as they are worst: a detail has 200 of them.
        let wide = reject(&"👍".repeat(1_000), 5_000);
        assert_eq!(wide.rejected.len(), LISTED_MAX);
        let mut full = reject("", 0);
        full.rejected_bytes = LISTED_BYTES_MAX - 20;
        full.reject(0, None, Problem::invalid("x".repeat(20)));
        full.reject(1, None, Problem::invalid("x"));
        assert_eq!((full.rejected.len(), full.rejected_count), (1, 2));
    }

    #[test]
    fn rejected_items_push_no_failed_ones_out_of_their_list() {
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
    fn what_the_store_kept_from_being_tried_has_failed_and_is_not_rejected() {
        let mut receipt = receipt();
        let away = || Problem::new(ProblemType::Unavailable, "away");
        receipt.leave(0, Some("nope/a".to_owned()), Problem::unknown_kind("nope"));
        receipt.leave_unlisted(ProblemType::UnknownKind);
        receipt.leave(1, Some("gifts/a".to_owned()), away());
        receipt.leave_unlisted(away().kind);
        assert_eq!((receipt.rejected_count, receipt.rejected.len()), (2, 1));
        assert_eq!((receipt.failed_count, receipt.failed.len()), (2, 1));
        let response = receipt.respond(&Ended::Whole);
        let kind = response.extensions().get::<ProblemType>();
        assert_eq!(kind, Some(&ProblemType::Unavailable));
    }

    #[test]
    fn an_item_that_was_never_tried_counts_as_every_failure_does() {
        let board: BoardName = "gifts/a".parse().unwrap();
        let untried = Problem::new(ProblemType::Overloaded, "full").after(Duration::from_secs(7));
        let unavailable = ItemFailure::Unavailable("away".to_owned());
        let unknown = ItemFailure::Unknown("lost".to_owned());
        for (tried, kind) in [
            (None, ProblemType::Overloaded),
            (Some(unavailable), ProblemType::Unavailable),
            (Some(unknown), ProblemType::Unknown),
        ] {
            let mut receipt = receipt();
            if let Some(failure) = tried {
                receipt.count(0, &board, &WriteOutcome::Failed(failure));
            }
            receipt.fail_untried(1, &untried);
            let response = receipt.respond(&Ended::Whole);
            assert_eq!(response.extensions().get::<ProblemType>(), Some(&kind));
            assert_eq!(response.headers()["retry-after"], "7");
        }
        // The other way round.
        let mut receipt = receipt();
        receipt.fail_untried(0, &untried);
        let failure = ItemFailure::Unavailable("away".to_owned());
        receipt.count(1, &board, &WriteOutcome::Failed(failure));
        let response = receipt.respond(&Ended::Whole);
        let kind = Some(&ProblemType::Unavailable);
        assert_eq!(response.extensions().get::<ProblemType>(), kind);
    }

    #[test]
    fn a_response_reports_what_is_known_of_all_that_failed() {
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
