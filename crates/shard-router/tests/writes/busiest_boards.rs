//! Boards by how many contributions the router has written to them.

use std::sync::Arc;
use std::time::Duration;

use board::{BoardName, Timestamp};
use shard_router::{Router, WriteOutcome};
use store_local::LocalStore;

use crate::stage::{NOW, Stage, board, id, kind, points};

/// Writes contributions of so many members at once.
async fn give(stage: &Stage, room: &Arc<BoardName>, members: usize) {
    let writes = (0..members).map(|n| stage.write(room, &format!("u{n}"), 1));
    let written = stage.send(&writes.collect::<Vec<_>>()).await;
    let is_applied = |outcome: &WriteOutcome| matches!(outcome, WriteOutcome::Applied(_));
    assert!(written.iter().all(is_applied));
}

async fn busiest_of(
    router: &Router,
    prefix: &str,
    limit: usize,
    now: Timestamp,
) -> Vec<(String, f64)> {
    let gifts = router.catalogue().known("gifts").unwrap().kind;
    let boards = router.boards().busiest(&gifts, prefix, limit, now).await;
    let boards = boards.iter().map(|busy| {
        let subject = busy.record.name.subject().to_string();
        (subject, busy.contributions_per_minute)
    });
    boards.collect()
}

fn subjects(listed: &[(String, f64)]) -> Vec<&str> {
    listed.iter().map(|(subject, _)| subject.as_str()).collect()
}

#[tokio::test]
async fn the_busiest_boards_come_first_and_equal_ones_by_subject() {
    let stage = Stage::in_memory().await;
    for (subject, members) in [("a", 3), ("c", 5), ("b", 5), ("bb", 40), ("d", 1)] {
        give(&stage, &board(subject), members).await;
    }
    let busiest = |prefix, limit| busiest_of(&stage.router, prefix, limit, NOW);
    assert_eq!(subjects(&busiest("", 10).await), ["bb", "b", "c", "a", "d"]);
    assert_eq!(subjects(&busiest("", 2).await), ["bb", "b"]);
    assert_eq!(subjects(&busiest("b", 10).await), ["bb", "b"]);
    assert_eq!(subjects(&busiest("e", 10).await), [""; 0]);
    let rates = busiest("", 10).await;
    let of_one = rates[4].1;
    for ((subject, rate), contributions) in rates.iter().zip([40.0, 5.0, 5.0, 3.0, 1.0]) {
        assert!(
            (rate / of_one - contributions).abs() < 0.01,
            "{subject}: {rate}"
        );
    }
}

#[tokio::test]
async fn only_applied_contributions_count() {
    let stage = Stage::in_memory().await;
    let (room, other) = (board("room"), board("other"));
    give(&stage, &other, 2).await;
    let once = |name| shard_router::Write {
        id: Some(id("1")),
        ..stage.write(&room, name, 1)
    };
    stage.send(&[once("u1")]).await;
    for _ in 0..5 {
        let written = stage.send(&[once("u1")]).await;
        assert!(matches!(written[0], WriteOutcome::Duplicate(_)));
        let written = stage.send(&[stage.removal(&room, "absent")]).await;
        assert!(matches!(written[0], WriteOutcome::Rejected(_)));
    }
    // An erasure is no contribution.
    let erased = (stage.router).erase(&once("u1").member, &stage.gifts, &[room], NOW);
    assert!(matches!(erased.await[0], WriteOutcome::Applied(_)));
    let listed = busiest_of(&stage.router, "", 10, NOW).await;
    assert_eq!(subjects(&listed), ["other", "room"]);
    assert!((listed[0].1 / listed[1].1 - 2.0).abs() < 0.01);
}

#[tokio::test]
async fn a_board_without_contributions_leaves_the_list() {
    let stage = Stage::in_memory().await;
    give(&stage, &board("room"), 100).await;
    let after = |minutes| NOW.plus(Duration::from_mins(minutes));
    let first = busiest_of(&stage.router, "", 10, NOW).await[0].1;
    let later = busiest_of(&stage.router, "", 10, after(5)).await[0].1;
    assert!((first / later / 32.0 - 1.0).abs() < 0.02, "{first} {later}");
    let last = busiest_of(&stage.router, "", 10, after(30)).await;
    assert_eq!(subjects(&last), [""; 0]);
}

#[tokio::test]
async fn a_deleted_board_and_a_kind_of_another_meaning_are_not_listed() {
    let stage = Stage::in_memory().await;
    let (room, other) = (board("room"), board("other"));
    give(&stage, &room, 3).await;
    give(&stage, &other, 2).await;
    stage.router.delete_board(&room, NOW).await.unwrap();
    assert_eq!(
        subjects(&busiest_of(&stage.router, "", 10, NOW).await),
        ["other"]
    );
    let ascending = {
        let mut spec = points("gifts");
        let fields = spec.rules.fields().iter().cloned().map(|mut field| {
            field.order = board::Direction::Asc;
            field
        });
        spec.rules =
            board::Rules::new(fields.collect(), spec.rules.mode(), spec.rules.ties()).unwrap();
        kind(spec)
    };
    assert_eq!(
        stage
            .router
            .boards()
            .busiest(&ascending, "", 10, NOW)
            .await
            .len(),
        0
    );
}

#[tokio::test]
async fn only_as_many_boards_as_are_known_are_listed() {
    let store = Arc::new(LocalStore::in_memory().unwrap());
    let mut stage = Stage::over(store.clone()).await;
    stage.router = Router::open_with(store, 1).await.unwrap();
    for subject in ["a", "b", "c"] {
        give(&stage, &board(subject), 1).await;
    }
    // The cache drops what is too much now and then, at a call.
    for _ in 0..10_000 {
        give(&stage, &board("a"), 1).await;
        if busiest_of(&stage.router, "", 10, NOW).await.len() <= 1 {
            return;
        }
    }
    panic!("more boards than one are listed");
}
