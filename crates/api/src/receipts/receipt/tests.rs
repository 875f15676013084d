//! Counts, lists and limits of receipts.

use http_server::{MemoryBudget, Responses, SMALL_BYTES_MAX};
use shard_store::{ItemFailure, Overload};

use super::*;
use crate::receipts::item_list::LISTED_MAX;

/// Creates a receipt whose items count in the one share, and whose response in the other.
fn receipt_in(share: &Share, answers: &Share) -> Receipt {
    let answers = Responses::new(answers, usize::MAX).to([10, 0, 0, 1].into());
    Receipt::new(share, answers.reservation())
}

fn receipt() -> Receipt {
    let share = MemoryBudget::default().receipts;
    receipt_in(&share, &share)
}

#[test]
fn a_receipt_that_does_not_fit_is_short_with_its_first_items_and_all_counts() {
    // The characters that are longest in JSON.
    let wide = "\u{1}".repeat(200);
    let full = |answers: &Share| {
        let mut receipt = receipt_in(&MemoryBudget::default().receipts, answers);
        for index in 0..LISTED_MAX {
            receipt.reject(index, Some(wide.clone()), Problem::invalid(&*wide));
            let failure = Problem::new(ProblemType::Unavailable, &*wide);
            receipt.fail(index, Some(wide.clone()), &failure);
        }
        receipt
    };
    let share = Share::up_to(16 << 20);
    let whole = full(&share).answer(&Ended::Whole);
    assert_eq!(bytes_of(&whole), Some(share.bytes()));
    drop(whole);
    assert_eq!(share.bytes(), 0);
    let mut others = share.hold();
    assert!(others.resize(share.bytes_max()));
    for end in [Ended::Whole, Ended::Broken(Problem::invalid(&*wide))] {
        let mut receipt = full(&share);
        receipt.shorten();
        assert!(receipt.rejected.len() > 0 && receipt.failed.len() > 0);
        assert_eq!(receipt.rejected_count, LISTED_MAX as u64);
        assert_eq!(receipt.failed_count, LISTED_MAX as u64);
        let short = full(&share).answer(&end);
        assert!(bytes_of(&short).unwrap() <= SHORT_BYTES_MAX);
        assert_eq!(share.bytes(), share.bytes_max());
    }
    const { assert!(SHORT_BYTES_MAX <= SMALL_BYTES_MAX) };
}

#[test]
fn standings_reserve_their_bytes_or_are_refused() {
    const SMALL: usize = 100;
    const LARGE: usize = 1 << 19;
    let share = Share::up_to(2 * LARGE);
    let mut others = share.hold();
    assert!(others.resize(LARGE));
    let mut receipt = receipt_in(&MemoryBudget::default().receipts, &share);
    receipt.reserve_standings(SMALL).unwrap();
    assert_eq!(share.bytes(), LARGE, "a small answer is free");
    receipt.reserve_standings(LARGE / 2).unwrap();
    let taken = LARGE + SMALL + LARGE / 2 + SHORT_BYTES_MAX;
    assert_eq!(share.bytes(), taken);
    let refused = receipt.reserve_standings(LARGE / 2).unwrap_err();
    assert_eq!(refused.kind, ProblemType::Overloaded);
    assert_eq!(share.bytes(), taken);
    drop(receipt);
    assert_eq!(share.bytes(), LARGE);
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
    let mut receipt = receipt_in(&Share::up_to(0), &MemoryBudget::default().receipts);
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
