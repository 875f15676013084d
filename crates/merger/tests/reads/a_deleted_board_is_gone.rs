//! A cached board that is deleted shows its next incarnation, or nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use board::Timestamp;
use shard_router::Router;
use testkit::HookedStore;

use crate::kinds::{kind, points};
use crate::stage::{NOW_MS, Stage, hooked, text};

/// Deletes the board on another server, of which the first is not notified.
async fn delete_elsewhere(store: &Arc<HookedStore>, stage: &Stage) {
    let elsewhere = Router::open(store.clone()).await.unwrap();
    let now = Timestamp::from_millis(NOW_MS);
    elsewhere.delete_board(&stage.board, now).await.unwrap();
}

#[tokio::test]
async fn a_fresh_read_shows_the_next_incarnation() {
    let (store, stage) = Stage::hooked(kind(points(16))).await;
    stage.points("u1", 7).await;
    let first = stage.top(true).await.unwrap().snapshot;
    delete_elsewhere(&store, &stage).await;
    let gone = stage.top(true).await.unwrap();
    assert_eq!((text(&gone).as_str(), gone.snapshot.members), ("", 0));
    stage.points("u2", 1).await;
    let second = stage.top(true).await.unwrap();
    assert_eq!(text(&second), "1:1:u2");
    assert_ne!(second.snapshot.version, first.version);
}

#[tokio::test(start_paused = true)]
async fn a_read_of_any_kind_shows_the_next_incarnation() {
    let (store, stage) = Stage::hooked(kind(points(16))).await;
    stage.points("u1", 7).await;
    stage.top(false).await.unwrap();
    delete_elsewhere(&store, &stage).await;
    let all = crate::agree::ALL;
    let range = stage.merger.range(&stage.board, &stage.kind, all, 1, 10);
    assert_eq!(range.await.unwrap().value, []);
    stage.points("u2", 1).await;
    let count = stage
        .merger
        .count(&stage.board, &stage.kind, all, (None, None));
    assert_eq!(count.await.unwrap().value, 1);
    assert_eq!(text(&stage.top(false).await.unwrap()), "1:1:u2");
}

#[tokio::test(start_paused = true)]
async fn a_cached_incarnation_that_has_ended_is_not_shown_longer_than_its_kind_allows() {
    let (store, stage) = Stage::hooked(kind(points(16))).await;
    stage.points("u1", 7).await;
    stage.top(false).await.unwrap();
    delete_elsewhere(&store, &stage).await;
    tokio::time::advance(stage.kind.max_staleness() * 2).await;
    assert_eq!(text(&stage.top(false).await.unwrap()), "");
}

#[tokio::test]
async fn a_board_deleted_between_two_shards_is_read_as_the_next() {
    let store = hooked();
    let stage = Arc::new(Stage::over(store.clone(), kind(points(16)), 1 << 20).await);
    for n in 0..200 {
        stage.points(&format!("old{n}"), 7).await;
    }
    let exists = Arc::new(AtomicBool::new(true));
    let (within, again) = (store.clone(), stage.clone());
    store.before_reads(move |shard| {
        let (within, again, exists) = (within.clone(), again.clone(), exists.clone());
        async move {
            if shard == 8 && exists.swap(false, Ordering::SeqCst) {
                delete_elsewhere(&within, &again).await;
                again.points("new", 1).await;
            }
            Ok(())
        }
    });
    assert_eq!(text(&stage.top(true).await.unwrap()), "1:1:new");
}
