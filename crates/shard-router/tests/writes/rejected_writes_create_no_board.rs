//! A rejected contribution leaves nothing: its board is not listed and accepts settings, and its kind may change.

use std::sync::Arc;
use std::time::Duration;

use board::{Packing, Period, ShardCount, Timestamp, Value, WindowRule};
use shard_router::{Write, WriteOutcome, WriteRejected};
use shard_store::{Change, ItemFailure, ItemRejected, StoreError};
use store_local::LocalStore;

use crate::stage::{
    NOW, Stage, board, id, kind, member, points, points_of, rejected, unavailable_why,
};

/// Asserts that no board has the name.
async fn assert_free(stage: &Stage, subject: &str) {
    let room = board(subject);
    let store = stage.router.store();
    assert_eq!(store.board(&room).await.unwrap(), None, "{subject}");
    let listed = store.boards(room.kind(), "", None, 10).await.unwrap();
    assert_eq!(listed, [], "{subject}");
    let shards = ShardCount::new(64).unwrap();
    let settled = stage
        .router
        .put_settings(&room, &stage.gifts, shards.into(), NOW);
    assert_eq!(settled.await.unwrap().shards, shards);
    let mut other = points("gifts");
    other.windows = vec![WindowRule::with_defaults(Period::Day)];
    let put = stage.router.catalogue().put(kind(other), NOW).await;
    put.unwrap();
}

/// A stage whose kind has values from 0 to 100.
async fn packed() -> Stage {
    let mut stage = Stage::in_memory().await;
    let mut spec = points("gifts");
    let from = Timestamp::parse_rfc3339("2027-01-01T00:00:00Z").unwrap();
    let until = Timestamp::parse_rfc3339("2028-01-01T00:00:00Z").unwrap();
    let packing = Packing {
        max: 100,
        unit: Duration::from_secs(1),
        span: Some((from, until)),
    };
    spec.rules = spec.rules.packed(packing).unwrap();
    stage.put(kind(spec)).await;
    stage
}

#[tokio::test]
async fn values_out_of_range_on_an_empty_board() {
    let stage = packed().await;
    let room = board("room");
    let writes = [
        stage.write(&room, "u1", 101),
        stage.write(&room, "u2", -1),
        stage.removal(&room, "u1"),
    ];
    let written = stage.send(&writes).await;
    let nobody = WriteRejected::from(ItemRejected::NotRanked(member("u1")));
    for written in &written[..2] {
        assert_ne!(rejected(written), &nobody);
    }
    assert_eq!(rejected(&written[2]), &nobody);
    assert_free(&stage, "room").await;
}

#[tokio::test]
async fn values_out_of_range_beside_others() {
    let stage = packed().await;
    let room = board("room");
    let writes = [
        stage.write(&room, "u1", 101),
        stage.write(&room, "u1", 60),
        stage.write(&room, "u1", 41),
    ];
    let written = stage.send(&writes).await;
    rejected(&written[0]);
    assert_eq!(stage.applied(&written[1]), 60);
    rejected(&written[2]);
    assert_eq!(stage.all_points(&room).await, [("u1".to_owned(), 60)]);
}

#[tokio::test]
async fn ids_without_memory() {
    let store = LocalStore::in_memory_with_limits(Arc::default(), 0).unwrap();
    let stage = Stage::over(Arc::new(store)).await;
    let room = board("room");
    let by_id = |name: &str, change| Write {
        id: Some(id("evt-1")),
        change,
        ..stage.write(&room, name, 0)
    };
    let writes = [
        by_id("u1", points_of(1)),
        by_id("u2", Change::Set(Value::new(1).unwrap().into())),
    ];
    for written in stage.send(&writes).await {
        unavailable_why(&written);
    }
    assert_free(&stage, "room").await;
}

#[tokio::test]
async fn writes_that_the_store_failed() {
    let (store, stage) = Stage::hooked().await;
    store.before_applying(|_| async { Err(StoreError::Unavailable("full".to_owned())) });
    let room = board("room");
    let writes: Vec<Write> = (0..20)
        .map(|n| stage.write(&room, &format!("u{n}"), 1))
        .collect();
    for written in stage.send(&writes).await {
        unavailable_why(&written);
    }
    assert_free(&stage, "room").await;
}

#[tokio::test]
async fn a_board_with_an_unknown_outcome_stays() {
    let (store, stage) = Stage::hooked().await;
    store.fail_after_applying(StoreError::Unknown("lost".to_owned()));
    let room = board("room");
    let written = stage.send(&[stage.write(&room, "u1", 1)]).await;
    let is_unknown = matches!(written[0], WriteOutcome::Failed(ItemFailure::Unknown(_)));
    assert!(is_unknown, "{written:?}");
    assert_eq!(stage.all_points(&room).await, [("u1".to_owned(), 1)]);
}
