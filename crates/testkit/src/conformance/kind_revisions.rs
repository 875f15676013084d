//! A write to a kind requires its latest revision, and cannot change what its boards mean.

use std::sync::Arc;

use board::limits::KINDS_MAX;
use board::{Calendar, Kind, KindSpec, Mode, Rules, ShardCount, Ties, Window};
use shard_store::{
    CreateBoardError, KindRecord, KindWriteError, PutSettingsError, Revision, ShardVersion,
    StoreError,
};

use crate::conformance::fixtures::{Board, HOUR, NOW, OpenStore, board_name, gifts, member};

fn topped(top: u64) -> Arc<Kind> {
    Arc::new(gifts(|spec| spec.top = top))
}

async fn kept(store: &OpenStore) -> Vec<(u64, Option<usize>)> {
    let kinds = store.kinds().await.unwrap();
    let shown = |record: &KindRecord| {
        let top = record.kind.as_ref().map(|kind| kind.top());
        (record.revision.0, top)
    };
    kinds.iter().map(shown).collect()
}

pub async fn a_stale_revision_is_refused(store: OpenStore) {
    assert_eq!(kept(&store).await, []);
    let first = store.put_kind(topped(1), Revision(0), true).await.unwrap();
    assert_eq!((first.revision, first.kind), (Revision(1), Some(topped(1))));
    let second = store.put_kind(topped(2), Revision(1), false).await.unwrap();
    assert_eq!(second.revision, Revision(2));
    for stale in [0, 1, 3] {
        let refused = store.put_kind(topped(3), Revision(stale), false).await;
        assert_eq!(refused, Err(KindWriteError::Stale));
        let refused = store.delete_kind(&second.name, Revision(stale)).await;
        assert_eq!(refused, Err(KindWriteError::Stale));
    }
    let other = "likes".parse().unwrap();
    let unknown = store.delete_kind(&other, Revision(1)).await;
    assert_eq!(unknown, Err(KindWriteError::Stale));
    assert_eq!(kept(&store).await, [(2, Some(2))]);
}

pub async fn kinds_with_boards_are_protected(store: OpenStore) {
    let kind = store.kind(gifts(|_| ())).await;
    let name = board_name("gifts", "room-1");
    store.create_board(&name, &kind, None, NOW).await.unwrap();
    let refused = store.put_kind(topped(1), Revision(1), true).await;
    assert_eq!(refused, Err(KindWriteError::HasBoards));
    let refused = store.delete_kind(&kind.name, Revision(1)).await;
    assert_eq!(refused, Err(KindWriteError::HasBoards));
    store.put_kind(topped(2), Revision(1), false).await.unwrap();
    store.delete_board(&name, NOW.plus(HOUR)).await.unwrap();
    store.put_kind(topped(3), Revision(2), true).await.unwrap();
    store.delete_kind(&kind.name, Revision(3)).await.unwrap();
    assert_eq!(kept(&store).await, [(4, None)]);
}

pub async fn a_deleted_kind_leaves_a_record(store: OpenStore) {
    let kind = store.kind(gifts(|_| ())).await;
    store
        .kind(gifts(|spec| spec.name = "likes".parse().unwrap()))
        .await;
    store.delete_kind(&kind.name, Revision(1)).await.unwrap();
    let kinds = store.kinds().await.unwrap();
    let names: Vec<_> = kinds.iter().map(|record| record.name.as_str()).collect();
    assert_eq!(names, ["gifts", "likes"]);
    assert_eq!(kept(&store).await, [(2, None), (1, Some(1000))]);
    let afresh = store.put_kind(topped(1), Revision(0), false).await;
    assert_eq!(
        afresh,
        Err(KindWriteError::Stale),
        "a write without having read the kind"
    );
    let back = store.put_kind(topped(1), Revision(2), false).await.unwrap();
    assert_eq!(back.revision, Revision(3));
}

pub async fn stale_kinds_create_no_boards(store: OpenStore) {
    let first = store.kind(gifts(|_| ())).await;
    let second = store.put_kind(topped(2), Revision(1), false).await.unwrap();
    let name = board_name("gifts", "room-1");
    let two = ShardCount::new(2).unwrap();
    let ahead = KindRecord {
        revision: Revision(3),
        ..second.clone()
    };
    let unknown = KindRecord {
        name: "likes".parse().unwrap(),
        ..second.clone()
    };
    for stale in [first, ahead, unknown] {
        let created = store.create_board(&name, &stale, None, NOW).await;
        assert_eq!(created, Err(CreateBoardError::StaleKind));
        let settled = store.put_settings(&name, &stale, two.into(), NOW).await;
        assert_eq!(settled, Err(PutSettingsError::StaleKind));
    }
    store.delete_kind(&second.name, Revision(2)).await.unwrap();
    let deleted = store.kinds().await.unwrap().remove(0);
    for gone in [second, deleted] {
        let created = store.create_board(&name, &gone, None, NOW).await;
        assert_eq!(created, Err(CreateBoardError::StaleKind));
    }
    assert_eq!(store.board(&name).await.unwrap(), None);
}

async fn versions(board: &Board) -> Vec<ShardVersion> {
    let mut versions = Vec::new();
    for shard in board.shards() {
        versions.push(board.version(Window::ALL_TIME, shard).await);
    }
    versions
}

/// Replaces a kind while it has no boards, and writes by the earlier kind afterwards.
pub async fn stale_kinds_write_to_no_board(store: OpenStore) {
    let replaced: [fn(&mut KindSpec); 3] = [
        |spec| spec.calendar = Calendar::new("Asia/Tokyo").unwrap(),
        |spec| {
            let fields = spec.rules.fields().to_vec();
            spec.rules = Rules::new(fields, Mode::Best, Ties::Earliest).unwrap();
        },
        |spec| {
            let mut fields = spec.rules.fields().to_vec();
            fields.extend(
                ["likes", "shares"]
                    .map(|name| board::FieldRule::sum(board::FieldName::new(name).unwrap())),
            );
            spec.rules = Rules::new(fields, Mode::Accumulate, Ties::Earliest).unwrap();
        },
    ];
    let current = store.kind(gifts(|_| ())).await;
    // A small board, and one split into shards.
    for (subject, members) in [("room-1", 3), ("room-2", 20_000)] {
        let board = store.created(&current, subject, NOW).await;
        assert_eq!(board.record.meaning, board.kind.meaning());
        let points = |number| board.points(&member(&format!("u{number}")), 1, NOW);
        let items: Vec<_> = (0..members).map(points).collect();
        board.apply(&items, NOW).await;
        let before = versions(&board).await;
        for replaced in replaced {
            let old = Board {
                kind: Arc::new(gifts(replaced)),
                ..board.clone()
            };
            let late = [
                old.points(&member("u1"), 1, NOW),
                old.points(&member("new"), 1, NOW),
            ];
            let refused = old.try_apply(&late, NOW, true).await;
            assert_eq!(refused, Err(StoreError::StaleKind));
        }
        assert_eq!(versions(&board).await, before);
        board.verify().await;
        // Changes that are allowed with boards do not matter.
        let deeper = Board {
            kind: topped(7),
            ..board.clone()
        };
        deeper.apply(&[points(1)], NOW).await;
        assert_eq!(
            deeper.points_of(Window::ALL_TIME, &member("u1")).await,
            Some(2)
        );
    }
}

pub async fn the_number_of_kinds_is_limited(store: OpenStore) {
    let named = |number: usize| gifts(|spec| spec.name = format!("k{number}").parse().unwrap());
    for number in 0..KINDS_MAX {
        store.kind(named(number)).await;
    }
    let one_more = || store.put_kind(Arc::new(named(KINDS_MAX)), Revision(0), true);
    assert_eq!(one_more().await, Err(KindWriteError::TooMany));
    // Existing kinds can still change; a deleted kind keeps its record, which counts.
    let first = store.put_kind(Arc::new(named(0)), Revision(1), true);
    let first = first.await.unwrap();
    store.delete_kind(&first.name, Revision(2)).await.unwrap();
    assert_eq!(one_more().await, Err(KindWriteError::TooMany));
    store
        .put_kind(Arc::new(named(0)), Revision(3), true)
        .await
        .unwrap();
}
