//! The calls to the registry, counted by a proxy.

use std::sync::Arc;
use std::time::Duration;

use board::{Keep, Kind, Period, Timestamp, WindowRule};
use futures::FutureExt as _;
use futures::future::join_all;
use testkit::redis::{FaultProxy, Matching, RedisServer};

use crate::boards::fixtures::gifts::{NOW, gifts};
use crate::boards::fixtures::parts::{OpenedParts, parts_at};
use crate::boards::parts::Parts;
use redis_nodes::RedisSettings;
use shard_store::{BoardRecord, Revision, StoreError};

const fn now() -> Timestamp {
    Timestamp::from_millis(NOW)
}

#[tokio::test]
async fn a_look_up_that_panics_fails_its_callers_and_no_later_one() {
    let opened = OpenedParts::plain().await;
    let incarnations = &opened.incarnations;
    let kind = Arc::new(gifts(vec![WindowRule::with_defaults(Period::All)]));
    let put = opened.registry.put_kind(kind, Revision(0), true);
    let (name, put) = ("gifts/room".parse().unwrap(), put.await.unwrap());
    let created = opened.registry.create_board(&name, &put, None, now()).await;
    let board = created.unwrap().0.board;
    let panics =
        || incarnations.join_look_up(board.incarnation, async { panic!("of the test") }.boxed());
    let failed = join_all([panics(), panics()]).await;
    let is_unavailable =
        |failed: &Result<_, StoreError>| matches!(failed, Err(StoreError::Unavailable(_)));
    assert!(failed.iter().all(is_unavailable), "{failed:?}");
    assert!(incarnations.place(&board, 0).await.is_ok());
}

const IDLE: Duration = Duration::from_hours(8 * 24);

const SHARDS: u16 = 16;

/// Longer than any deadline.
const NEVER: Duration = Duration::from_mins(5);

/// A board of many shards that is emptied when it is idle.
async fn idle_board(parts: &Parts) -> (Arc<Kind>, BoardRecord) {
    let idle = WindowRule {
        keep: Keep::Idle(IDLE),
        ..WindowRule::with_defaults(Period::All)
    };
    let mut spec = gifts(vec![idle]).spec().clone();
    spec.shards = SHARDS.into();
    let kind = Arc::new(Kind::new(spec).unwrap());
    let put = parts.registry.put_kind(kind.clone(), Revision(0), true);
    let (name, put) = ("gifts/room".parse().unwrap(), put.await.unwrap());
    let created = parts.registry.create_board(&name, &put, None, now()).await;
    (kind, created.unwrap().0.board)
}

#[tokio::test]
async fn writers_share_a_touch_that_fails() {
    let redis = RedisServer::shared();
    let proxy = FaultProxy::before(&redis);
    let parts = parts_at(proxy.url(), &RedisSettings::default()).await;
    let (kind, board) = idle_board(&parts).await;
    parts.incarnations.place(&board, 0).await.unwrap();
    proxy.delay_replies_of(&Matching::function("_touch_"), NEVER);
    let write_all = async |at| {
        let before = proxy.calls_of("_touch_");
        let incarnations = &parts.incarnations;
        let shards = 0..SHARDS;
        let placed =
            join_all(shards.map(|shard| incarnations.place_to_write(&board, shard, &kind, at)));
        (placed.await, proxy.calls_of("_touch_") - before)
    };
    let due = now().plus(IDLE / 8);
    let (placed, touches) = write_all(due).await;
    assert!(placed.iter().all(Result::is_ok), "{placed:?}");
    // A connection may end meanwhile, and the call be sent again.
    assert!((1..=2).contains(&touches), "{touches} touches");
    let (placed, touches) = write_all(due).await;
    assert!(placed.iter().all(Result::is_ok), "{placed:?}");
    assert_eq!(touches, 0, "one has just failed");
    // From this time on it may be being emptied.
    let (placed, touches) = write_all(now().plus(IDLE)).await;
    let is_unsent = |placed: &Result<_, StoreError>| {
        matches!(
            placed,
            Err(StoreError::Unavailable(_) | StoreError::Overloaded(_))
        )
    };
    assert!(placed.iter().all(is_unsent), "{placed:?}");
    assert!((1..=2).contains(&touches), "{touches} touches");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_before_which_the_registry_is_lost_is_unavailable_not_unknown() {
    let redis = RedisServer::shared();
    let proxy = FaultProxy::before(&redis);
    let settings = RedisSettings {
        write_deadline: Duration::from_secs(2),
        ..RedisSettings::default()
    };
    let parts = parts_at(proxy.url(), &settings).await;
    let (kind, board) = idle_board(&parts).await;
    // As if a shard had reported it: the registry is to end it again.
    parts.incarnations.forget(&board);
    proxy.delay_replies_of(&Matching::function("_touch_"), NEVER);
    let lost = async {
        while proxy.calls_of("_touch_") == 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        proxy.refuse();
    };
    let placed = parts.incarnations.place_to_write(&board, 0, &kind, now());
    let (placed, ()) = tokio::join!(placed, lost);
    assert!(
        matches!(placed, Err(StoreError::Unavailable(_))),
        "{placed:?}"
    );
}
