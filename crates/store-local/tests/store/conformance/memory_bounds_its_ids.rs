//! The memory store: remembered ids stay within their limit of bytes.

use std::sync::Arc;

use board::Window;
use shard_store::{ItemFailure, Outcome};
use store_local::LocalStore;

use testkit::conformance::fixtures::{HOUR, NOW, OpenStore, gifts, member};

const ALL: Window = Window::ALL_TIME;
const APPLIED: Outcome = Outcome::Applied(Vec::new());

#[tokio::test]
async fn an_id_without_memory_is_unavailable() {
    let store = LocalStore::in_memory_with_limits(Arc::default(), 64 << 10).unwrap();
    let store = OpenStore::new(store, ());
    let board = store.fresh(gifts(|spec| spec.shards = 1), "room-1").await;
    let u1 = member("u1");
    let mut taken = 0;
    let failed = loop {
        let item = board.points_by_id(&u1, 1, &format!("evt-{taken}"), NOW);
        match board.apply(&[item], NOW).await.remove(0) {
            Outcome::Applied(_) => taken += 1,
            other => break other,
        }
        assert!(taken < 10_000, "64 KiB are not that many ids");
    };
    let Outcome::Failed(ItemFailure::Unavailable(why)) = &failed else {
        panic!("{failed:?}")
    };
    assert!(why.contains("65536 bytes"), "{why}");
    assert!(taken >= 1000, "{taken} ids in 64 KiB");
    let version = board.version(ALL, 0).await;
    let evt = |number: i64| board.points_by_id(&u1, 1, &format!("evt-{number}"), NOW);
    let items = [
        evt(taken),
        board.points(&u1, 1, NOW),
        evt(0),
        evt(taken + 1),
    ];
    let outcomes = board.apply(&items, NOW).await;
    let duplicate = Outcome::Duplicate(Vec::new());
    assert_eq!(
        outcomes,
        [failed.clone(), APPLIED, duplicate, failed.clone()]
    );
    assert_eq!(board.points_of(ALL, &u1).await, Some(taken + 1));
    assert_eq!(board.version(ALL, 0).await.counter, version.counter + 1);
    // They are dropped after their span, or with their board.
    let later = NOW.plus(HOUR);
    store.drop_expired(later).await.unwrap();
    store.drop_expired(later.plus(HOUR)).await.unwrap();
    let item = board.points_by_id(&u1, 1, "evt-0", later.plus(HOUR));
    assert_eq!(board.apply(&[item], later.plus(HOUR)).await, [APPLIED]);
}

#[tokio::test]
async fn a_deleted_board_gives_its_bytes_back() {
    let store = OpenStore::new(
        LocalStore::in_memory_with_limits(Arc::default(), 16 << 10).unwrap(),
        (),
    );
    let kind = store.kind(gifts(|spec| spec.shards = 4)).await;
    // Each incarnation takes more than half of the limit, some of it after growth.
    for _ in 0..20 {
        let board = store.created(&kind, "room-1", NOW).await;
        let items = (0..260).map(|number| {
            let member = member(&format!("u{number}"));
            board.points_by_id(&member, 1, "evt-1", NOW)
        });
        let items: Vec<_> = items.collect();
        assert_eq!(board.apply(&items, NOW).await, vec![APPLIED; 260]);
        store
            .delete_board(&board.record.name, NOW.plus(HOUR))
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn a_board_whose_first_contribution_finds_no_memory_is_withdrawn() {
    let store = OpenStore::new(
        LocalStore::in_memory_with_limits(std::sync::Arc::default(), 0).unwrap(),
        (),
    );
    let kind = store.kind(gifts(|spec| spec.shards = 4)).await;
    let board = store.created(&kind, "room-1", NOW).await;
    let name = &board.record.name;
    let u1 = member("u1");
    let failed = board
        .apply(&[board.points_by_id(&u1, 1, "evt-1", NOW)], NOW)
        .await;
    assert!(matches!(failed[0], Outcome::Failed(_)), "{failed:?}");
    store.withdraw(&board.record).await.unwrap();
    assert_eq!(store.board(name).await.unwrap(), None);
}
