//! What is shown of a board never goes back: a shard with an older version is not shown.

use shard_store::ShardReading;

use crate::kinds::{kind, points};
use crate::stage::{Stage, text};

#[tokio::test]
async fn an_older_version_is_not_shown_after_a_later_one() {
    let (store, stage) = Stage::hooked(kind(points(4))).await;
    for n in 0..200 {
        stage.points(&format!("u{n}"), n).await;
    }
    let shown = stage.top(true).await.unwrap().snapshot;
    let back = |shard: u16, reading: &mut ShardReading| {
        if shard == 2 {
            reading.version.counter -= 1;
            reading.version.digest ^= 1;
        }
    };
    store.after_reads(back);
    stage.points("u0", 1).await;
    assert!(stage.top(true).await.is_err());
    store.clear_hooks();
    let later = stage.top(true).await.unwrap().snapshot;
    assert_ne!(later.version, shown.version);
}

#[tokio::test(start_paused = true)]
async fn the_later_version_is_served_as_stale() {
    let (store, stage) = Stage::hooked(kind(points(4))).await;
    stage.points("u1", 7).await;
    let shown = text(&stage.top(true).await.unwrap());
    store.after_reads(|_, reading| {
        reading.version.counter -= 1;
        reading.version.digest ^= 1;
    });
    tokio::time::advance(stage.kind.max_staleness() * 2).await;
    let top = stage.top(false).await.unwrap();
    assert!(top.stale);
    assert_eq!(text(&top), shown);
}

#[tokio::test]
async fn a_shard_that_lost_data_is_shown() {
    let (store, stage) = Stage::hooked(kind(points(4))).await;
    stage.points("u1", 7).await;
    let shown = stage.top(true).await.unwrap().snapshot;
    store.after_reads(|_, reading| {
        reading.version.epoch += 1;
        reading.version.counter = 0;
    });
    let later = stage.top(true).await.unwrap();
    assert!(!later.stale);
    assert_ne!(later.snapshot.version, shown.version);
}

#[tokio::test]
async fn servers_show_the_same_bytes_for_a_version() {
    let stage = Stage::in_memory(kind(points(16))).await;
    let mut versions = Vec::new();
    for n in 0..300 {
        stage.points(&format!("u{}", n % 170), n).await;
        let here = stage.top(true).await.unwrap().snapshot;
        let elsewhere = stage.another_merger();
        let there = elsewhere.top(&stage.board, &stage.kind, crate::agree::ALL, false);
        let there = there.await.unwrap().snapshot;
        assert_eq!(here.version, there.version);
        assert_eq!(here.rendered.bytes, there.rendered.bytes);
        assert!(!versions.contains(&here.version), "{}", here.version);
        versions.push(here.version.clone());
    }
}
