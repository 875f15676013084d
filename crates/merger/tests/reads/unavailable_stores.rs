//! An unavailable store: the last board is served as stale, a fresh read fails, and readers share attempts.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use merger::ReadError;
use shard_store::StoreError;

use crate::kinds::{kind, points};
use crate::stage::{Stage, hooked, text};

fn away() -> ReadError {
    ReadError::Unavailable("away".to_owned())
}

#[tokio::test(start_paused = true)]
async fn the_last_board_is_served_as_stale_and_recovers() {
    let (store, stage) = Stage::hooked(kind(points(16))).await;
    stage.points("u1", 7).await;
    assert!(!stage.top(false).await.unwrap().stale);
    stage.points("u2", 9).await;
    store.become_unavailable();
    // Recent enough: the store is not read.
    assert!(!stage.top(false).await.unwrap().stale);
    tokio::time::advance(stage.kind.max_staleness() * 2).await;
    let last = stage.top(false).await.unwrap();
    assert!(last.stale);
    assert_eq!(text(&last), "1:1:u1");
    assert_eq!(stage.top(true).await.unwrap_err(), away());
    store.clear_hooks();
    let recovered = stage.top(true).await.unwrap();
    assert!(!recovered.stale);
    assert_eq!(text(&recovered), "1:1:u2,2:2:u1");
}

#[tokio::test(start_paused = true)]
async fn a_store_that_is_available_again_is_used_at_once() {
    let (store, stage) = Stage::hooked(kind(points(16))).await;
    stage.points("u1", 7).await;
    stage.top(false).await.unwrap();
    stage.points("u2", 9).await;
    store.become_unavailable();
    tokio::time::advance(stage.kind.max_staleness() * 2).await;
    assert!(stage.top(false).await.unwrap().stale);
    store.clear_hooks();
    let recovered = stage.top(false).await.unwrap();
    assert!(!recovered.stale);
    assert_eq!(text(&recovered), "1:1:u2,2:2:u1");
}

#[tokio::test(start_paused = true)]
async fn a_top_that_would_queue_is_served_as_stale_for_a_second() {
    let (store, stage) = Stage::hooked(kind(points(16))).await;
    stage.points("u1", 7).await;
    stage.top(false).await.unwrap();
    stage.points("u2", 9).await;
    let reads = store.reads();
    store.queue(true);
    tokio::time::advance(stage.kind.max_staleness() + Duration::from_secs(1)).await;
    let last = stage.top(false).await.unwrap();
    assert!(last.stale);
    assert_eq!((text(&last).as_str(), store.reads()), ("1:1:u1", reads));
    // Not longer, however busy the store is.
    tokio::time::advance(Duration::from_millis(1)).await;
    let merged = stage.top(false).await.unwrap();
    assert!(!merged.stale);
    assert_eq!(text(&merged), "1:1:u2,2:2:u1");
    // A fresh read waits.
    stage.points("u3", 11).await;
    assert!(!stage.top(true).await.unwrap().stale);
}

#[tokio::test(start_paused = true)]
async fn an_uncreated_board_is_served_as_stale_too() {
    let (store, stage) = Stage::hooked(kind(points(16))).await;
    let first = stage.top(false).await.unwrap();
    store.become_unavailable();
    stage.clock_ms.fetch_add(9, Ordering::Relaxed);
    tokio::time::advance(stage.kind.max_staleness() * 2).await;
    let last = stage.top(false).await.unwrap();
    assert!(last.stale && text(&last).is_empty());
    assert_eq!(last.snapshot.as_of, first.snapshot.as_of);
    assert_eq!(stage.top(true).await.unwrap_err(), away());
}

#[tokio::test]
async fn without_a_cached_board_the_failure_is_returned() {
    let (store, stage) = Stage::hooked(kind(points(16))).await;
    stage.points("u1", 7).await;
    store.become_unavailable();
    assert_eq!(stage.top(false).await.unwrap_err(), away());
    assert_eq!(stage.top(true).await.unwrap_err(), away());
}

#[tokio::test]
async fn a_lost_response_is_a_failure_too() {
    let (store, stage) = Stage::hooked(kind(points(16))).await;
    stage.points("u1", 7).await;
    store.before_reads(|shard| async move {
        match shard {
            9 => Err(StoreError::Unknown("away".to_owned())),
            _ => Ok(()),
        }
    });
    assert_eq!(stage.top(false).await.unwrap_err(), away());
    let all = crate::agree::ALL;
    let range = stage.merger.range(&stage.board, &stage.kind, all, 1, 10);
    assert_eq!(range.await.unwrap_err(), away());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn waiting_readers_share_one_failure() {
    const READERS: usize = 10_000;
    let store = hooked();
    let stage = Arc::new(Stage::over(store.clone(), kind(points(16)), 1 << 20).await);
    stage.points("u1", 7).await;
    let begun = Arc::new(AtomicUsize::new(0));
    let seen = begun.clone();
    store.before_reads(move |_| {
        let seen = seen.clone();
        async move {
            while seen.load(Ordering::SeqCst) < READERS {
                tokio::task::yield_now().await;
            }
            Err(StoreError::Unavailable("away".to_owned()))
        }
    });
    let read = || {
        let (stage, begun) = (stage.clone(), begun.clone());
        tokio::spawn(async move {
            begun.fetch_add(1, Ordering::SeqCst);
            stage.top(false).await
        })
    };
    let readers: Vec<_> = (0..READERS).map(|_| read()).collect();
    for reader in readers {
        assert_eq!(reader.await.unwrap().unwrap_err(), away());
    }
    // A task that had been counted and did not wait yet tries again: at most one for each thread.
    let merges = stage.merger.counters().merges();
    assert!(merges <= 4, "{merges}");
}
