//! A board was created for a contribution that was not applied, and the creation was not withdrawn:
//! it is as if the board had never been created, and its settings are kept.

use std::sync::Arc;
use std::time::Duration;

use board::limits::SETTINGS_KEPT_MIN;
use board::{Activity, BoardName, ShardCount};
use shard_store::{BoardSettings, Revision, ShardStore};

use crate::durability::audit::Audit;
use crate::durability::durable::{self, Durability, LocalSettings, settings};
use crate::durability::op::{Op, What};
use crate::durability::script::Script;
use disk::fixtures::SimDisk;
use testkit::conformance::fixtures::{HOUR, MINUTE, NOW, board_name, gifts};

fn room() -> BoardName {
    board_name("gifts", "room")
}

fn shards() -> ShardCount {
    ShardCount::new(64).unwrap()
}

/// A folder after a power cut: a board with settings was created an hour after these were made, and
/// one without; nothing was applied to either.
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
        // A clock that is not confirmed loses none of them, and no pause is needed.
        for clock_pause in [durable::NEVER, Duration::ZERO] {
            let disk = left.killed();
            let settings = LocalSettings {
                clock_pause,
                ..settings()
            };
            let store = durable::open(&disk, &settings).unwrap();
            store.drop_expired(NOW.plus(HOUR)).await.unwrap();
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
        store.drop_expired(NOW.plus(HOUR)).await.unwrap();
        let end = NOW.plus(SETTINGS_KEPT_MIN);
        store.drop_expired(end.minus(MINUTE)).await.unwrap();
        assert!(store.board(&room()).await.unwrap().is_some());
        store.drop_expired(end).await.unwrap();
        assert_eq!(store.board(&room()).await.unwrap(), None);
    }
}

#[tokio::test]
async fn its_settings_give_way_to_a_closed_name_however_often_they_are_looked_at() {
    let settings = LocalSettings {
        // The audit takes into account that a sweep may be lost, and looks again for what it left.
        durability: Durability::Interval(durable::NEVER),
        ..settings()
    };
    let mut audit = Audit::new(Script::new(1, 5), settings, SimDisk::default()).await;
    let settings = BoardSettings {
        shards: gifts(|_| ()).shards(),
        activity: Activity::new(Some(NOW), None, None).unwrap(),
    };
    let put_kind = What::PutKind {
        kind: Arc::new(gifts(|_| ())),
        alone: true,
    };
    // One of the names that an audit reads.
    let name = board_name("gifts", "a");
    let put_settings = What::PutSettings {
        name: name.clone(),
        settings,
    };
    let made = [put_kind, put_settings, What::Create(name.clone())];
    let swept = [SETTINGS_KEPT_MIN * 2, SETTINGS_KEPT_MIN * 2 + HOUR];
    let swept = swept.map(|span| (NOW.plus(span), What::Sweep));
    for (now, what) in made.map(|what| (NOW, what)).into_iter().chain(swept) {
        assert!(audit.ask(&Op { now, what }).await);
        audit.look().await;
    }
    let left = audit.store().board(&name).await.unwrap().unwrap();
    assert_eq!((left.activity, left.created), (settings.activity, false));
}
