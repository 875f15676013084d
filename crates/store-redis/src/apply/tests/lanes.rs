//! One call at a time, in order; what arrives meanwhile shares the next.

use std::sync::Arc;
use std::time::Instant;

use board::Window;
use futures::future::join_all;

use super::applier::{APPLIED, ApplierOnRedis, MS, NOW, gifts, value};
use crate::apply::lane::ITEMS_WAITING_MAX;
use redis_nodes::RedisSettings;
use shard_store::{Batch, Change, Memory, Outcome, STANDING_WEIGHT, StoreError};

const ALL: Window = Window::ALL_TIME;

#[tokio::test]
async fn what_comes_during_a_call_shares_the_next() {
    let setup = ApplierOnRedis::new().await;
    let board = setup.board(gifts(|_| ())).await;
    board.apply(&[board.points("u1", 1, NOW)], NOW).await;
    let before = setup.calls();
    let items = [board.points("u1", 1, NOW)];
    // All are put into the lane before its task runs for the first time.
    let answers = (0..50).map(|later: u32| board.apply(&items, NOW.plus(MS * later)));
    for answer in join_all(answers).await {
        assert_eq!(answer, [APPLIED]);
    }
    assert_eq!(setup.calls() - before, 1);
    assert_eq!(board.points_of(ALL, "u1"), Some(51));
    assert_eq!(setup.applier.lanes.busy(), 0, "an idle lane is gone");
}

#[tokio::test]
async fn contributions_of_a_member_stay_in_order() {
    let setup = ApplierOnRedis::new().await;
    let board = setup.board(gifts(|_| ())).await;
    board.apply(&[board.points("u1", 1, NOW)], NOW).await;
    let before = setup.calls();
    let sets: Vec<_> = (1..=2500)
        .map(|points| [board.item("u1", Change::Set(value(points)), NOW)])
        .collect();
    let answers = sets.iter().map(|items| board.apply(items, NOW));
    for answer in join_all(answers).await {
        assert_eq!(answer, [APPLIED]);
    }
    assert_eq!(board.points_of(ALL, "u1"), Some(2500));
    assert_eq!(setup.calls() - before, 3);
}

#[tokio::test]
async fn a_long_batch_is_sent_in_several_calls() {
    let setup = ApplierOnRedis::new().await;
    let board = setup.board(gifts(|_| ())).await;
    let items: Vec<_> = (0..5000)
        .map(|number| board.points(&format!("u{}", number % 3000), 1, NOW))
        .collect();
    assert_eq!(board.apply(&items, NOW).await, vec![APPLIED; 5000]);
    let kept = board.kept(ALL);
    assert_eq!((kept.scores.len(), kept.rank.len()), (3000, 3000));
    assert_eq!(board.points_of(ALL, "u1999"), Some(2));
    let removals: Vec<_> = (0..3001)
        .map(|number| board.item(&format!("u{number}"), Change::Remove, NOW))
        .collect();
    let mut outcomes = board.apply(&removals, NOW).await;
    let last = outcomes.pop().unwrap();
    assert!(matches!(last, Outcome::Rejected(_)), "{last:?}");
    assert_eq!(outcomes, vec![APPLIED; 3000]);
    assert_eq!(board.kept(ALL).rank, []);
}

#[tokio::test]
async fn more_than_may_wait_is_refused_at_once() {
    let setup = ApplierOnRedis::new().await;
    let board = setup.board(gifts(|_| ())).await;
    let items = vec![board.points("u1", 1, NOW); 1000];
    let batches = ITEMS_WAITING_MAX / items.len() + 1;
    let answers = join_all((0..batches).map(|_| {
        let applied = board.try_apply(&setup.applier, &items, NOW, false);
        async { applied.await.map(|outcomes| outcomes.len()) }
    }))
    .await;
    let refused = answers.last().unwrap();
    let Err(StoreError::Overloaded(overload)) = refused else {
        panic!("{refused:?}")
    };
    let why = &overload.why;
    assert!(why.contains("20000 contributions wait"), "{why}");
    assert_eq!(answers[..batches - 1], vec![Ok(1000); batches - 1]);
    let applied = i64::try_from(ITEMS_WAITING_MAX).unwrap();
    assert_eq!(board.points_of(ALL, "u1"), Some(applied));
}

#[tokio::test]
async fn a_caller_that_goes_away_cancels_nothing() {
    let setup = ApplierOnRedis::alone(&RedisSettings::default()).await;
    let board = setup.board(gifts(|_| ())).await;
    setup.redis.pause();
    let items = [board.points("u1", 1, NOW)];
    let applied = tokio::time::timeout(MS * 50, board.apply(&items, NOW)).await;
    assert!(applied.is_err());
    setup.redis.resume();
    // After it in the lane: when this has its reply, that was applied.
    board.apply(&items, NOW).await;
    assert_eq!(board.points_of(ALL, "u1"), Some(2));
}

#[tokio::test]
async fn waiting_parts_count_as_memory_also_if_the_caller_goes_away() {
    let memory = Arc::new(Memory::default());
    let mut setup = ApplierOnRedis::alone(&RedisSettings::default()).await;
    setup.applier.hold_in(memory.clone());
    let board = setup.board(gifts(|_| ())).await;
    setup.redis.pause();
    let items = [board.points("u1", 1, NOW), board.points("u2", 1, NOW)];
    for waiting in 1..=3 {
        let applied = tokio::time::timeout(MS * 50, board.apply(&items, NOW)).await;
        assert!(applied.is_err());
        assert_eq!(memory.added(), waiting * 2 * STANDING_WEIGHT);
    }
    setup.redis.resume();
    board.apply(&items, NOW).await;
    assert_eq!(board.points_of(ALL, "u1"), Some(4));
    assert_eq!(memory.added(), 0);
}

#[tokio::test]
async fn a_batch_with_a_deadline_is_not_applied_after_it() {
    let setup = ApplierOnRedis::alone(&RedisSettings::default()).await;
    let board = setup.board(gifts(|_| ())).await;
    let items = [board.points("u1", 1, NOW)];
    board.apply(&items, NOW).await;
    setup.redis.pause();
    let began = Instant::now();
    let batch = Batch {
        kind: &board.kind,
        now: NOW,
        report: false,
        until: Some((began + MS * 300).into()),
        waits_until: None,
        items: &items,
    };
    let failed = setup.applier.apply(&board.record, 0, batch).await;
    // It was sent, and may still be applied: its outcome is known when the node replies again.
    assert!(
        matches!(
            failed,
            Err(StoreError::DeadlinePassed | StoreError::Unknown(_))
        ),
        "{failed:?}"
    );
    let took = began.elapsed();
    assert!((MS * 300..MS * 10_000).contains(&took), "{took:?}");
    setup.redis.resume();
    // After it; the connection may have been lost, and not have been replaced yet.
    let end = Instant::now() + MS * 20_000;
    while let Err(error) = board.try_apply(&setup.applier, &items, NOW, false).await {
        assert!(matches!(error, StoreError::Unavailable(_)), "{error}");
        assert!(Instant::now() < end, "{error}");
    }
    assert_eq!(board.points_of(ALL, "u1"), Some(2));
}
