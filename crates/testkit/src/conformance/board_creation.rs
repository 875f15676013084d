//! Concurrent creations of a board return the same record.

use std::sync::Arc;

use shard_store::BoardRecord;
use tokio::sync::Barrier;

use crate::conformance::fixtures::{DAY, NOW, OpenStore, board_name, gifts};

pub async fn concurrent_creations_make_one_incarnation(store: OpenStore) {
    const CALLERS: usize = 8;
    let kind = store.kind(gifts(|_| ())).await;
    for round in 0..50 {
        let start = Arc::new(Barrier::new(CALLERS));
        let callers: Vec<_> = (0..CALLERS)
            .map(|_| {
                let (store, kind, start) = (store.shared(), kind.clone(), start.clone());
                let name = board_name("gifts", &format!("room-{round}"));
                tokio::spawn(async move {
                    start.wait().await;
                    store.create_board(&name, &kind, None, NOW).await.unwrap()
                })
            })
            .collect();
        let mut records: Vec<BoardRecord> = Vec::new();
        for caller in callers {
            records.push(caller.await.unwrap());
        }
        let name = board_name("gifts", &format!("room-{round}"));
        let kept = store.board(&name).await.unwrap().unwrap();
        assert!(kept.created);
        assert_eq!(records, vec![kept; CALLERS]);
    }
}

pub async fn a_created_board_is_returned_as_created(store: OpenStore) {
    let kind = store.kind(gifts(|spec| spec.shards = 8)).await;
    let name = board_name("gifts", "room-1");
    assert_eq!(store.board(&name).await.unwrap(), None);
    let created = store.create_board(&name, &kind, None, NOW).await.unwrap();
    assert_eq!(
        (&created.name, created.shards.get(), created.created),
        (&name, 8, true)
    );
    assert_eq!(store.board(&name).await.unwrap(), Some(created.clone()));
    let wider = gifts(|spec| spec.shards = 64);
    let wider = store
        .put_kind(Arc::new(wider), kind.revision, false)
        .await
        .unwrap();
    let again = store
        .create_board(&name, &wider, None, NOW.plus(DAY))
        .await
        .unwrap();
    assert_eq!(
        again, created,
        "a board keeps the shards it was created with"
    );
    let other = board_name("gifts", "room-2");
    let other = store.create_board(&other, &wider, None, NOW).await.unwrap();
    assert_eq!(other.shards.get(), 64);
    assert_ne!(other.incarnation, created.incarnation);
}
