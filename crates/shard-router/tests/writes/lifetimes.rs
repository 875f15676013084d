//! Members leave boards after the `score_ttl` of their kind.

use std::sync::Arc;
use std::time::Duration;

use board::{Activity, BoardName, Kind, Timestamp, Value, Window};
use shard_router::{BoardBatches, Contribution, Lifetimes, Moment, Router, WriteOutcome};
use shard_store::{BoardSettings, Change, Revision, ShardStore};
use store_local::LocalStore;
use testkit::conformance::fixtures::{NOW, gifts, member, read_shard, whole};

const DAY: Duration = Duration::from_hours(24);

fn kind(shards: u64) -> Kind {
    gifts(|spec| {
        spec.shards = shards;
        spec.score_ttl = Some(DAY);
    })
}

/// The members of the window without bounds on all shards.
async fn members(store: &LocalStore, subject: &str) -> usize {
    let name = format!("gifts/{subject}").parse().unwrap();
    let record = store.board(&name).await.unwrap().unwrap();
    let mut count = 0;
    for shard in 0..record.shards.get() {
        let read = read_shard(store, &record, shard, &whole(Window::ALL_TIME)).await;
        count += usize::try_from(read.unwrap().members).unwrap();
    }
    count
}

/// Contributes a point of so many members, from a number on.
async fn give(router: &Router, subject: &str, members: std::ops::Range<usize>, now: Timestamp) {
    let known = router.catalogue().known("gifts").unwrap();
    let mut batches = BoardBatches::default();
    let board: BoardName = format!("gifts/{subject}").parse().unwrap();
    let slot = batches.slot(Arc::new(board));
    for number in members {
        let contribution = Contribution {
            member: member(&format!("u{number}")),
            change: Change::Fold(Value::new(1).unwrap().into()),
            at: now,
            id: None,
            only: None,
        };
        batches.push(slot, &known, contribution);
    }
    for written in router.write(batches, now, false).await {
        assert!(matches!(written, WriteOutcome::Applied(_)), "{written:?}");
    }
}

#[tokio::test]
async fn members_leave_all_boards_of_the_kind_unless_they_have_contributed() {
    for shards in [1, 16] {
        let store = Arc::new(LocalStore::in_memory().unwrap());
        let first = Revision::default();
        store
            .put_kind(Arc::new(kind(shards)), first, false)
            .await
            .unwrap();
        let router = Arc::new(Router::open(store.clone()).await.unwrap());
        let mut lifetimes = Lifetimes::new(router.clone());
        give(&router, "small", 0..50, NOW).await;
        // More than is read at once on a shard.
        give(&router, "large", 0..20_000, NOW).await;
        let later = NOW.plus(DAY / 2);
        give(&router, "small", 10..20, later).await;
        give(&router, "large", 5_000..6_000, later).await;
        lifetimes
            .sweep(&Moment::from(NOW.plus(DAY).minus(Duration::from_millis(1))))
            .await
            .unwrap();
        assert_eq!(members(&store, "small").await, 50);
        // Not read again as soon.
        lifetimes.sweep(&Moment::from(NOW.plus(DAY))).await.unwrap();
        assert_eq!(members(&store, "small").await, 50);
        lifetimes
            .sweep(&Moment::from(NOW.plus(DAY).plus(DAY / 32)))
            .await
            .unwrap();
        assert_eq!(members(&store, "small").await, 10);
        assert_eq!(members(&store, "large").await, 1_000);
        lifetimes
            .sweep(&Moment::from(later.plus(DAY).plus(DAY / 32)))
            .await
            .unwrap();
        assert_eq!(members(&store, "large").await, 0);
    }
}

#[tokio::test]
async fn what_was_final_stays() {
    let store = Arc::new(LocalStore::in_memory().unwrap());
    let first = Revision::default();
    let record = store
        .put_kind(Arc::new(kind(4)), first, false)
        .await
        .unwrap();
    let router = Arc::new(Router::open(store.clone()).await.unwrap());
    let ends_at = NOW.plus(DAY / 2);
    let settings = BoardSettings {
        shards: record.kind.as_ref().unwrap().shards(),
        activity: Activity::new(None, Some(ends_at), None).unwrap(),
    };
    let name = "gifts/battle".parse().unwrap();
    store
        .put_settings(&name, &record, settings, NOW)
        .await
        .unwrap();
    give(&router, "battle", 0..5, NOW).await;
    let mut lifetimes = Lifetimes::new(router);
    lifetimes
        .sweep(&Moment::from(NOW.plus(DAY * 2)))
        .await
        .unwrap();
    assert_eq!(members(&store, "battle").await, 5);
}
