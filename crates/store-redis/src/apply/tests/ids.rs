//! An id counts once within exactly the span, and at most `limit` ids are remembered.

use board::{Timestamp, Window};

use super::applier::{APPLIED, ApplierOnRedis, Board, DUPLICATE, HOUR, MS, NOW, gifts};
use redis_nodes::{RedisSettings, Writes};
use shard_store::{Change, ItemFailure, Outcome};

const ALL: Window = Window::ALL_TIME;

async fn once(board: &Board<'_>, id: &str, now: Timestamp) -> Outcome {
    let item = board.by_id("u1", 1, id, now);
    board.apply(&[item], now).await.remove(0)
}

#[tokio::test]
async fn an_id_of_a_clock_that_is_behind_counts_from_the_beginning_of_its_generation() {
    let setup = ApplierOnRedis::new().await;
    let board = setup.board(gifts(|_| ())).await;
    assert_eq!(once(&board, "evt-1", NOW).await, APPLIED);
    assert_eq!(once(&board, "evt-2", NOW.minus(MS * 1000)).await, APPLIED);
    let last = NOW.plus(HOUR).minus(MS);
    assert_eq!(once(&board, "evt-2", last).await, DUPLICATE);
    assert_eq!(once(&board, "evt-2", NOW.plus(HOUR)).await, APPLIED);
}

/// Replicas that have the note have what the answer speaks of.
#[tokio::test]
async fn an_answer_about_what_was_applied_before_is_noted_and_a_refusal_is_not() {
    let setup = ApplierOnRedis::new().await;
    let board = setup.board(gifts(|_| ())).await;
    assert_eq!(once(&board, "evt-1", NOW).await, APPLIED);
    let first = board.meta("c");
    assert_eq!(once(&board, "evt-1", NOW).await, DUPLICATE);
    let second = board.meta("c");
    assert_ne!(first, second);
    let removal = board.item("nobody", Change::Remove, NOW);
    let refused = board.apply(&[removal], NOW).await.remove(0);
    assert!(matches!(refused, Outcome::Rejected(_)), "{refused:?}");
    assert_eq!(board.meta("c"), second);
}

#[tokio::test]
async fn ids_beyond_the_limit_are_rejected_until_others_expire() {
    let settings = RedisSettings {
        ids_per_shard_max: 5,
        ..RedisSettings::default()
    };
    let setup = ApplierOnRedis::with(&settings).await;
    let board = setup.board(gifts(|_| ())).await;
    let items = (0..7).map(|id| board.by_id("u1", 1, &id.to_string(), NOW));
    let items: Vec<_> = items.collect();
    let outcomes = board.apply(&items, NOW).await;
    assert_eq!(outcomes[..5], [APPLIED; 5]);
    for refused in &outcomes[5..] {
        let Outcome::Failed(ItemFailure::Unavailable(why)) = refused else {
            panic!("{refused:?}")
        };
        assert!(why.contains('5'), "{why}");
    }
    assert_eq!(board.points_of(ALL, "u1"), Some(5));
    let later = NOW.plus(HOUR).plus(HOUR);
    let outcomes = board.apply(&items[5..], later).await;
    assert_eq!(outcomes, [APPLIED, APPLIED]);
}

#[tokio::test]
async fn how_many_a_shard_remembers_comes_with_every_answer() {
    for writes in [Writes::Function, Writes::ScriptFree] {
        let settings = RedisSettings {
            ids_per_shard_max: 16,
            writes,
            ..RedisSettings::default()
        };
        let setup = ApplierOnRedis::with(&settings).await;
        let ids = &setup.applier.ids;
        let board = setup.board(gifts(|_| ())).await;
        board.apply(&[board.points("u1", 1, NOW)], NOW).await;
        assert_eq!(ids.max(), 0, "{writes:?}");
        // The first begins the generations, the second is a sum, the third is sent again.
        for (id, outcome, count) in [
            ("evt-1", APPLIED, 1),
            ("evt-2", APPLIED, 2),
            ("evt-2", DUPLICATE, 2),
        ] {
            assert_eq!(once(&board, id, NOW).await, outcome);
            assert_eq!(ids.max(), count, "{writes:?}");
        }
        // A shard that remembers fewer is not shown.
        let other = setup.board(gifts(|_| ())).await;
        once(&other, "evt-1", NOW).await;
        assert_eq!(ids.max(), 2);
        let items: Vec<_> = (3..40)
            .map(|id| board.by_id("u1", 1, &format!("evt-{id}"), NOW))
            .collect();
        let reported = board.try_apply(&setup.applier, &items[..5], NOW, true);
        let reported = reported.await.unwrap();
        let is_reported =
            |outcome: &Outcome| matches!(outcome, Outcome::Applied(of) if of.len() == 1);
        assert!(reported.iter().all(is_reported), "{reported:?}");
        assert_eq!(ids.max(), 7);
        let outcomes = board.apply(&items[5..], NOW).await;
        let is_refused = |outcome: &&Outcome| matches!(outcome, Outcome::Failed(_));
        assert_eq!(outcomes.iter().filter(is_refused).count(), 32 - 9);
        assert_eq!(ids.max(), 16);
    }
}
