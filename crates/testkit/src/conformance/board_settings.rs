//! The settings of a board are kept until its creation.

use std::sync::Arc;

use board::limits::SETTINGS_KEPT_MIN;
use board::{Activity, BoardName, Calendar, ShardCount, Timestamp, Window};
use shard_store::{BoardRecord, BoardSettings, KindRecord, PutSettingsError, Revision, StoreError};

use crate::conformance::fixtures::{
    Board, DAY, HOUR, MINUTE, NOW, OpenStore, board_name, gifts, member,
};

fn shards(count: u64) -> ShardCount {
    ShardCount::new(count).unwrap()
}

/// Puts settings with this many shards for a board that is not yet created.
async fn put_shards(
    store: &OpenStore,
    name: &BoardName,
    kind: &KindRecord,
    count: u64,
    now: Timestamp,
) -> BoardRecord {
    let put = store.put_settings(name, kind, shards(count).into(), now);
    put.await.unwrap()
}

pub async fn a_board_is_created_with_its_latest_settings(store: OpenStore) {
    let kind = store.kind(gifts(|_| ())).await;
    let name = board_name("gifts", "room-1");
    for count in [64, 2] {
        let settled = put_shards(&store, &name, &kind, count, NOW).await;
        assert_eq!((settled.shards, settled.created), (shards(count), false));
        assert_eq!(store.board(&name).await.unwrap(), Some(settled));
    }
    let created = store.create_board(&name, &kind, None, NOW).await.unwrap();
    assert_eq!((created.shards, created.created), (shards(2), true));
    assert_eq!(store.board(&name).await.unwrap(), Some(created));
}

pub async fn settings_are_refused_after_creation(store: OpenStore) {
    let kind = store.kind(gifts(|_| ())).await;
    let name = board_name("gifts", "room-1");
    let created = store.create_board(&name, &kind, None, NOW).await.unwrap();
    let refused = store
        .put_settings(&name, &kind, shards(2).into(), NOW)
        .await;
    assert_eq!(refused, Err(PutSettingsError::AlreadyCreated));
    assert_eq!(store.board(&name).await.unwrap(), Some(created));
    store.delete_board(&name, NOW.plus(HOUR)).await.unwrap();
    let settled = put_shards(&store, &name, &kind, 2, NOW).await;
    assert_eq!((settled.shards, settled.created), (shards(2), false));
}

pub async fn settings_are_deleted_with_their_kind(store: OpenStore) {
    let kind = store.kind(gifts(|_| ())).await;
    let name = board_name("gifts", "room-1");
    put_shards(&store, &name, &kind, 64, NOW).await;
    store.delete_kind(&kind.name, kind.revision).await.unwrap();
    assert_eq!(store.board(&name).await.unwrap(), None);
    let again = store.put_kind(Arc::new(gifts(|_| ())), Revision(2), false);
    let again = again.await.unwrap();
    let created = store.create_board(&name, &again, None, NOW).await.unwrap();
    assert_eq!(created.shards, shards(4));
}

pub async fn settings_survive_a_change_of_the_kind(store: OpenStore) {
    let kind = store.kind(gifts(|_| ())).await;
    let name = board_name("gifts", "room-1");
    put_shards(&store, &name, &kind, 64, NOW).await;
    let other = gifts(|spec| {
        spec.shards = 8;
        spec.calendar = Calendar::new("Asia/Tokyo").unwrap();
    });
    let put = store.put_kind(Arc::new(other), kind.revision, true);
    let other = put.await.unwrap();
    let kept = store.board(&name).await.unwrap().unwrap();
    assert_eq!((kept.shards, kept.created), (shards(64), false));
    // The new board has the current rules of the kind.
    let record = store.create_board(&name, &other, None, NOW).await.unwrap();
    assert_eq!((record.shards, record.created), (shards(64), true));
    let board = Board {
        store: store.shared(),
        kind: other.kind.clone().unwrap(),
        record,
    };
    assert_eq!(board.record.meaning, board.kind.meaning());
    board
        .apply(&[board.points(&member("u1"), 5, NOW)], NOW)
        .await;
    assert_eq!(
        board.points_of(Window::ALL_TIME, &member("u1")).await,
        Some(5)
    );
}

pub async fn settings_survive_a_sweep(store: OpenStore) {
    let kind = store.kind(gifts(|_| ())).await;
    let name = board_name("gifts", "room-1");
    put_shards(&store, &name, &kind, 64, NOW).await;
    let later = NOW.plus(SETTINGS_KEPT_MIN).minus(MINUTE);
    store.drop_expired(later).await.unwrap();
    // Created, and swept before its first contribution.
    let created = store.create_board(&name, &kind, None, later).await.unwrap();
    store.drop_expired(later).await.unwrap();
    assert_eq!(store.board(&name).await.unwrap(), Some(created.clone()));
    assert_eq!(created.shards, shards(64));
}

pub async fn settings_expire_without_contributions(store: OpenStore) {
    let kind = store.kind(gifts(|_| ())).await;
    let name = board_name("gifts", "room-1");
    put_shards(&store, &name, &kind, 64, NOW).await;
    put_shards(&store, &name, &kind, 64, NOW.plus(HOUR)).await;
    // Counted from the last settings, regardless of changes of the kind.
    let put = store.put_kind(Arc::new(gifts(|spec| spec.top = 7)), kind.revision, true);
    let kind = put.await.unwrap();
    let end = NOW.plus(HOUR).plus(SETTINGS_KEPT_MIN);
    store
        .drop_expired(NOW.plus(SETTINGS_KEPT_MIN))
        .await
        .unwrap();
    assert_eq!(
        store.board(&name).await.unwrap().unwrap().shards,
        shards(64)
    );
    store.drop_expired(end).await.unwrap();
    assert_eq!(store.board(&name).await.unwrap(), None);
    let created = store.create_board(&name, &kind, None, end).await.unwrap();
    assert_eq!(created.shards, shards(4));
}

pub async fn a_creation_without_contributions_can_be_withdrawn(store: OpenStore) {
    let kind = store.kind(gifts(|_| ())).await;
    let board = store.created(&kind, "room-1", NOW).await;
    let name = &board.record.name;
    store.withdraw(&board.record).await.unwrap();
    assert_eq!(store.board(name).await.unwrap(), None);
    assert_eq!(store.boards(&kind.name, "", None, 10).await.unwrap(), []);
    let u1 = member("u1");
    let items = [board.points(&u1, 1, NOW)];
    let gone = board.try_apply(&items, NOW, false).await;
    assert_eq!(gone, Err(StoreError::IncarnationEnded));
    // Its settings are there as before.
    let settled = store.put_settings(name, &kind, shards(64).into(), NOW);
    settled.await.unwrap();
    let board = store.created(&kind, "room-1", NOW).await;
    store.withdraw(&board.record).await.unwrap();
    let left = store.board(name).await.unwrap().unwrap();
    assert_eq!((left.shards, left.created), (shards(64), false));
    // They are kept no longer than without the creation.
    let later = NOW.plus(SETTINGS_KEPT_MIN).minus(HOUR);
    let board = store.created(&kind, "room-1", later).await;
    store.withdraw(&board.record).await.unwrap();
    let end = NOW.plus(SETTINGS_KEPT_MIN);
    store.drop_expired(end.minus(MINUTE)).await.unwrap();
    assert!(store.board(name).await.unwrap().is_some());
    store.drop_expired(end).await.unwrap();
    assert_eq!(store.board(name).await.unwrap(), None);
    // A board with standings is not withdrawn.
    let board = store.created(&kind, "room-1", NOW).await;
    board.apply(&[board.points(&u1, 1, NOW)], NOW).await;
    store.withdraw(&board.record).await.unwrap();
    assert_eq!(store.board(name).await.unwrap(), Some(board.record.clone()));
    assert_eq!(board.points_of(Window::ALL_TIME, &u1).await, Some(1));
}

/// As after a crash of the server, or when the store was overloaded.
pub async fn an_abandoned_creation_leaves_its_settings(store: OpenStore) {
    let kind = store.kind(gifts(|_| ())).await;
    let campaign = Activity::new(Some(NOW), Some(NOW.plus(DAY * 10)), None).unwrap();
    for (subject, activity) in [("plain", Activity::ALWAYS), ("campaign", campaign)] {
        let name = board_name("gifts", subject);
        let own = BoardSettings {
            shards: shards(64),
            activity,
        };
        let settled = store.put_settings(&name, &kind, own, NOW).await.unwrap();
        let later = NOW.plus(HOUR);
        let seen = Some(settled.incarnation);
        let created = store.create_board(&name, &kind, seen, later).await;
        assert!(created.unwrap().created);
        store.drop_expired(later.plus(MINUTE * 2)).await.unwrap();
        let left = store.board(&name).await.unwrap().unwrap();
        assert_eq!(
            (left.shards, left.activity, left.created),
            (shards(64), activity, false),
            "{subject}"
        );
        // They are kept no longer than without the creation.
        let end = activity.settings_kept_until(NOW);
        store.drop_expired(end.minus(MINUTE)).await.unwrap();
        assert_eq!(store.board(&name).await.unwrap(), Some(left.clone()));
        store.drop_expired(end).await.unwrap();
        assert_ne!(store.board(&name).await.unwrap(), Some(left));
    }
}
