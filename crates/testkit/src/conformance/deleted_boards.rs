//! A deleted incarnation is refused, and a later board of the same name is another one.

use board::Window;
use shard_store::{DeleteBoardError, Outcome, StoreError};

use crate::conformance::fixtures::{
    Board, DAY, HOUR, NOW, OpenStore, board_name, gifts, member, read_shard, whole,
};

const ALL: Window = Window::ALL_TIME;

async fn assert_deleted(board: &Board) {
    let item = board.points(&member("u1"), 1, NOW);
    let applied = board.try_apply(&[item], NOW, false).await;
    assert_eq!(applied, Err(StoreError::IncarnationEnded));
    for shard in board.shards() {
        let store = &board.store;
        let read = read_shard(&**store, &board.record, shard, &whole(ALL)).await;
        assert_eq!(read, Err(StoreError::IncarnationEnded));
        let windows = store.windows(&board.record, shard).await;
        assert_eq!(windows, Err(StoreError::IncarnationEnded));
        let wrong = store.verify(&board.record, shard, false).await;
        assert_eq!(wrong, Err(StoreError::IncarnationEnded));
    }
}

pub async fn a_deleted_incarnation_is_refused(store: OpenStore) {
    for (subject, members) in [("small", 5), ("large", 1500)] {
        let board = store.created(&kind(&store).await, subject, NOW).await;
        let items: Vec<_> = (0..members)
            .map(|number| board.points(&member(&format!("u{number}")), number, NOW))
            .collect();
        board.apply(&items, NOW).await;
        assert_eq!(board.members(ALL).await, members.unsigned_abs());
        store
            .delete_board(&board.record.name, NOW.plus(HOUR))
            .await
            .unwrap();
        assert_eq!(store.board(&board.record.name).await.unwrap(), None);
        assert_deleted(&board).await;
        // Also after the tombstone has expired.
        store.drop_expired(NOW.plus(HOUR)).await.unwrap();
        assert_deleted(&board).await;
        store.drop_expired(NOW.plus(DAY)).await.unwrap();
        assert_deleted(&board).await;
    }
}

async fn kind(store: &OpenStore) -> shard_store::KindRecord {
    match store.kinds().await.unwrap().pop() {
        Some(kind) => kind,
        None => store.kind(gifts(|_| ())).await,
    }
}

pub async fn a_recreated_board_is_another_incarnation(store: OpenStore) {
    let kind = kind(&store).await;
    let old = store.created(&kind, "room-1", NOW).await;
    let u1 = member("u1");
    old.apply(&[old.points_by_id(&u1, 5, "evt-1", NOW)], NOW)
        .await;
    store
        .delete_board(&old.record.name, NOW.plus(HOUR))
        .await
        .unwrap();
    let new = store.created(&kind, "room-1", NOW).await;
    assert_ne!(new.record.incarnation, old.record.incarnation);
    assert_eq!(new.members(ALL).await, 0);
    assert_deleted(&old).await;
    // The new incarnation does not know the id, nor the old incarnation's digest of it.
    for item in [
        new.points_by_id(&u1, 3, "evt-1", NOW),
        old.points_by_id(&u1, 3, "evt-1", NOW),
    ] {
        assert_eq!(
            new.apply(&[item], NOW).await,
            [Outcome::Applied(Vec::new())]
        );
    }
    assert_eq!(new.points_of(ALL, &u1).await, Some(6));
    store.drop_expired(NOW.plus(DAY)).await.unwrap();
    assert_deleted(&old).await;
    assert_eq!(new.points_of(ALL, &u1).await, Some(6));
}

pub async fn deleting_a_deleted_board_is_not_found(store: OpenStore) {
    let board = store.fresh(gifts(|_| ()), "room-1").await;
    let unknown = store
        .delete_board(&board_name("gifts", "room-2"), NOW)
        .await;
    assert_eq!(unknown, Err(DeleteBoardError::NotFound));
    let unknown = store
        .delete_board(&board_name("likes", "room-1"), NOW)
        .await;
    assert_eq!(unknown, Err(DeleteBoardError::NotFound));
    store.delete_board(&board.record.name, NOW).await.unwrap();
    let again = store.delete_board(&board.record.name, NOW).await;
    assert_eq!(again, Err(DeleteBoardError::NotFound));
}
