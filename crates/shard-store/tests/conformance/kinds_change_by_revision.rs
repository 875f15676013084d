//! Kinds are written by who has read them last, and not under the feet of their boards.

use std::sync::Arc;

use board::{Kind, ShardCount};
use shard_store::{BirthError, KindRecord, KindWriteError, Revision, SettleError};

use crate::given::{Given, HOUR, NOW, board_name, gifts};

fn topped(top: u64) -> Arc<Kind> {
    Arc::new(gifts(|spec| spec.top = top))
}

async fn kept(given: &Given) -> Vec<(u64, Option<usize>)> {
    let kinds = given.kinds().await.unwrap();
    let shown = |record: &KindRecord| {
        let top = record.kind.as_ref().map(|kind| kind.top());
        (record.revision.0, top)
    };
    kinds.iter().map(shown).collect()
}

pub(crate) async fn a_stale_revision_is_refused(given: Given) {
    assert_eq!(kept(&given).await, []);
    let first = given.put_kind(topped(1), Revision(0), true).await.unwrap();
    assert_eq!((first.revision, first.kind), (Revision(1), Some(topped(1))));
    let second = given.put_kind(topped(2), Revision(1), false).await.unwrap();
    assert_eq!(second.revision, Revision(2));
    for stale in [0, 1, 3] {
        let refused = given.put_kind(topped(3), Revision(stale), false).await;
        assert_eq!(refused, Err(KindWriteError::Stale));
        let refused = given.delete_kind(&second.name, Revision(stale)).await;
        assert_eq!(refused, Err(KindWriteError::Stale));
    }
    let other = "likes".parse().unwrap();
    let unknown = given.delete_kind(&other, Revision(1)).await;
    assert_eq!(unknown, Err(KindWriteError::Stale));
    assert_eq!(kept(&given).await, [(2, Some(2))]);
}

pub(crate) async fn kinds_with_boards_are_protected(given: Given) {
    let kind = given.kind(gifts(|_| ())).await;
    let name = board_name("gifts", "room-1");
    given.birth(&name, &kind, NOW).await.unwrap();
    let refused = given.put_kind(topped(1), Revision(1), true).await;
    assert_eq!(refused, Err(KindWriteError::HasBoards));
    let refused = given.delete_kind(&kind.name, Revision(1)).await;
    assert_eq!(refused, Err(KindWriteError::HasBoards));
    given.put_kind(topped(2), Revision(1), false).await.unwrap();
    given.bury(&name, NOW.plus(HOUR)).await.unwrap();
    given.put_kind(topped(3), Revision(2), true).await.unwrap();
    given.delete_kind(&kind.name, Revision(3)).await.unwrap();
    assert_eq!(kept(&given).await, [(4, None)]);
}

pub(crate) async fn a_deleted_kind_leaves_a_record(given: Given) {
    let kind = given.kind(gifts(|_| ())).await;
    given
        .kind(gifts(|spec| spec.name = "likes".parse().unwrap()))
        .await;
    given.delete_kind(&kind.name, Revision(1)).await.unwrap();
    let kinds = given.kinds().await.unwrap();
    let names: Vec<_> = kinds.iter().map(|record| record.name.as_str()).collect();
    assert_eq!(names, ["gifts", "likes"]);
    assert_eq!(kept(&given).await, [(2, None), (1, Some(1000))]);
    let afresh = given.put_kind(topped(1), Revision(0), false).await;
    assert_eq!(
        afresh,
        Err(KindWriteError::Stale),
        "as a configuration file would"
    );
    let back = given.put_kind(topped(1), Revision(2), false).await.unwrap();
    assert_eq!(back.revision, Revision(3));
}

pub(crate) async fn stale_kinds_bear_no_boards(given: Given) {
    let first = given.kind(gifts(|_| ())).await;
    let second = given.put_kind(topped(2), Revision(1), false).await.unwrap();
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
        let born = given.birth(&name, &stale, NOW).await;
        assert_eq!(born, Err(BirthError::StaleKind));
        let settled = given.settle(&name, &stale, two).await;
        assert_eq!(settled, Err(SettleError::StaleKind));
    }
    given.delete_kind(&second.name, Revision(2)).await.unwrap();
    let deleted = given.kinds().await.unwrap().remove(0);
    for gone in [second, deleted] {
        let born = given.birth(&name, &gone, NOW).await;
        assert_eq!(born, Err(BirthError::StaleKind));
    }
    assert_eq!(given.board(&name).await.unwrap(), None);
}
