//! A board was created for what came to nothing, and nobody withdrew that: it is as if it had never been created, and
//! has its settings.

use std::sync::Arc;
use std::time::Duration;

use board::limits::SETTINGS_KEPT;
use board::{BoardName, ShardCount};
use shard_store::{Revision, ShardStore};

use crate::durability::durable::{self, EmbeddedSettings, settings};
use crate::durability::sim::SimDisk;
use store_conformance::fixtures::{HOUR, MINUTE, NOW, board_name, gifts};

fn room() -> BoardName {
    board_name("gifts", "room")
}

fn shards() -> ShardCount {
    ShardCount::new(64).unwrap()
}

/// A folder as the power leaves it: a board with settings was created an hour after these were made, and one without;
/// nothing was applied to either.
async fn folder(has_snapshot: bool) -> SimDisk {
    let disk = SimDisk::default();
    let store = durable::open(&disk, &settings()).unwrap();
    let kind = store.put_kind(Arc::new(gifts(|_| ())), Revision::default(), true);
    let kind = kind.await.unwrap();
    let (room, later) = (room(), NOW.plus(HOUR));
    let settled = store.put_settings(&room, &kind, shards().into(), NOW);
    settled.await.unwrap();
    for name in [room, board_name("gifts", "plain")] {
        let created = store.create_board(&name, &kind, None, later).await;
        assert!(created.unwrap().created);
    }
    store.durable().await.unwrap();
    if has_snapshot {
        durable::snapshot(&store).unwrap();
    }
    disk.crash(7)
}

#[tokio::test]
async fn its_settings_are_back_after_a_restart() {
    for has_snapshot in [false, true] {
        let left = folder(has_snapshot).await;
        // A clock that is not confirmed loses none of them, and one that is needs no pause.
        for clock_pause in [durable::NEVER, Duration::ZERO] {
            let disk = left.killed();
            let settings = EmbeddedSettings {
                clock_pause,
                ..settings()
            };
            let store = durable::open(&disk, &settings).unwrap();
            store.expire(NOW.plus(HOUR)).await.unwrap();
            let back = store.board(&room()).await.unwrap().unwrap();
            assert_eq!((back.shards, back.created), (shards(), false));
            let plain = store.board(&board_name("gifts", "plain")).await;
            assert_eq!(plain.unwrap(), None);
            store.durable().await.unwrap();
            let again = durable::open(&disk.crash(7), &settings).unwrap();
            assert_eq!(again.board(&room()).await.unwrap(), Some(back));
        }
    }
}

#[tokio::test]
async fn its_settings_are_kept_no_longer_for_it() {
    for has_snapshot in [false, true] {
        let disk = folder(has_snapshot).await;
        let store = durable::open(&disk, &settings()).unwrap();
        store.expire(NOW.plus(HOUR)).await.unwrap();
        let end = NOW.plus(SETTINGS_KEPT);
        store.expire(end.minus(MINUTE)).await.unwrap();
        assert!(store.board(&room()).await.unwrap().is_some());
        store.expire(end).await.unwrap();
        assert_eq!(store.board(&room()).await.unwrap(), None);
    }
}
