//! Concurrent readers of a board share one merge, and none is made while the last one is recent enough.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use merger::TopView;
use testkit::HookedStore;
use tokio::time::Instant;

use crate::kinds::{kind, points};
use crate::stage::{Stage, hooked, text};

const READERS: usize = 10_000;

/// Reads concurrently, while the store waits until the last reader has begun.
async fn stampede(store: &HookedStore, stage: &Arc<Stage>, fresh: bool) -> Vec<TopView> {
    let begun = Arc::new(AtomicUsize::new(0));
    let seen = begun.clone();
    store.before_reads(move |_| {
        let seen = seen.clone();
        async move {
            while seen.load(Ordering::SeqCst) < READERS {
                tokio::task::yield_now().await;
            }
            Ok(())
        }
    });
    let read = || {
        let (stage, begun) = (stage.clone(), begun.clone());
        tokio::spawn(async move {
            begun.fetch_add(1, Ordering::SeqCst);
            stage.top(fresh).await.unwrap()
        })
    };
    let readers: Vec<_> = (0..READERS).map(|_| read()).collect();
    let mut tops = Vec::with_capacity(READERS);
    for reader in readers {
        tops.push(reader.await.unwrap());
    }
    store.clear_hooks();
    tops
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_stampede_on_a_board_never_read_makes_one_merge() {
    let store = hooked();
    let stage = Arc::new(Stage::over(store.clone(), kind(points(16)), 1 << 20).await);
    stage.points("u1", 7).await;
    let tops = stampede(&store, &stage, false).await;
    assert!(tops.iter().all(|top| text(top) == "1:1:u1"));
    assert_eq!(stage.merger.counters().merges(), 1);
    assert_eq!(store.reads(), 16);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_stampede_on_an_expired_board_makes_one_merge() {
    const STALENESS: Duration = Duration::from_millis(300);
    let store = hooked();
    let mut spec = points(16);
    spec.max_staleness = STALENESS;
    let stage = Arc::new(Stage::over(store.clone(), kind(spec), 1 << 20).await);
    stage.points("u1", 7).await;
    let first = Instant::now();
    stage.top(false).await.unwrap();
    stage.points("u2", 9).await;
    // Two merges never begin within one maximum staleness.
    tokio::time::sleep_until(first + STALENESS * 2).await;
    let began = Instant::now();
    let tops = stampede(&store, &stage, false).await;
    let spans = began.elapsed().as_millis() / STALENESS.as_millis();
    let merges = u128::from(stage.merger.counters().merges()) - 1;
    assert!(merges >= 1 && merges <= 1 + spans, "{merges} in {spans}");
    assert!(tops.iter().all(|top| text(top) == "1:1:u2,2:2:u1"));
}

#[tokio::test(start_paused = true)]
async fn a_board_is_merged_when_it_is_older_than_its_kind_allows() {
    let store = hooked();
    let stage = Arc::new(Stage::over(store.clone(), kind(points(16)), 1 << 20).await);
    let staleness = stage.kind.max_staleness();
    stage.points("u1", 7).await;
    stage.top(false).await.unwrap();
    stage.points("u2", 9).await;
    tokio::time::advance(staleness).await;
    // Just recent enough.
    assert_eq!(text(&stage.top(false).await.unwrap()), "1:1:u1");
    assert_eq!(stage.merger.counters().merges(), 1);
    tokio::time::advance(Duration::from_millis(1)).await;
    let tops = stampede(&store, &stage, false).await;
    assert!(tops.iter().all(|top| text(top) == "1:1:u2,2:2:u1"));
    assert_eq!(stage.merger.counters().merges(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn waiting_readers_share_a_merge_that_does_not_fit_the_cache() {
    let store = hooked();
    let stage = Arc::new(Stage::over(store.clone(), kind(points(16)), 1).await);
    stage.points("u1", 7).await;
    let tops = stampede(&store, &stage, false).await;
    assert!(tops.iter().all(|top| text(top) == "1:1:u1"));
    // Readers that began during the merge have waited for it. A task that had been counted and did not wait yet merges
    // itself: at most one for each thread.
    let merges = stage.merger.counters().merges();
    assert!(merges <= 4, "{merges}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_stampede_on_an_uncreated_board_reads_its_record_once() {
    let store = hooked();
    let stage = Arc::new(Stage::over(store.clone(), kind(points(16)), 1 << 20).await);
    let read = || {
        let stage = stage.clone();
        tokio::spawn(async move { stage.top(false).await.unwrap() })
    };
    let readers: Vec<_> = (0..READERS).map(|_| read()).collect();
    for reader in readers {
        let top = reader.await.unwrap();
        assert_eq!((text(&top).as_str(), top.snapshot.members), ("", 0));
    }
    assert_eq!(store.board_reads(), 1);
    // Its first contribution is shown here at once.
    stage.points("u1", 7).await;
    assert_eq!(text(&stage.top(false).await.unwrap()), "1:1:u1");
}

#[tokio::test(start_paused = true)]
async fn a_board_is_shown_as_uncreated_no_longer_than_a_read_may_be_old() {
    let (store, stage) = Stage::hooked(kind(points(16))).await;
    assert_eq!(text(&stage.top(false).await.unwrap()), "");
    let elsewhere = Stage::over(store.clone(), kind(points(16)), 1 << 20).await;
    elsewhere.points("u1", 7).await;
    assert_eq!(text(&stage.top(false).await.unwrap()), "");
    tokio::time::advance(Duration::from_millis(1)).await;
    assert_eq!(text(&stage.top(true).await.unwrap()), "1:1:u1");
    // From now on it is known to have been created.
    assert_eq!(text(&stage.top(false).await.unwrap()), "1:1:u1");
}

#[tokio::test(start_paused = true)]
async fn an_unchanged_board_is_merged_without_entries() {
    let stage = Stage::in_memory(kind(points(16))).await;
    stage.points("u1", 7).await;
    let first = stage.top(false).await.unwrap().snapshot;
    let fetched = stage.merger.counters().entries_fetched();
    let rounds = stage.merger.counters().round_trips();
    stage.clock_ms.fetch_add(5, Ordering::Relaxed);
    tokio::time::advance(stage.kind.max_staleness() * 2).await;
    let second = stage.top(false).await.unwrap().snapshot;
    assert_eq!(stage.merger.counters().entries_fetched(), fetched);
    assert_eq!(stage.merger.counters().round_trips(), rounds + 1);
    assert_eq!(stage.merger.counters().merges(), 2);
    assert_eq!(second.version, first.version);
    assert_eq!(second.rendered.bytes, first.rendered.bytes);
    assert_eq!(second.as_of.millis(), first.as_of.millis() + 5);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_abandoned_merge_blocks_no_reader() {
    let store = hooked();
    let stage = Arc::new(Stage::over(store.clone(), kind(points(16)), 1 << 20).await);
    stage.points("u1", 7).await;
    let reading = Arc::new(tokio::sync::Notify::new());
    let reached = reading.clone();
    store.before_reads(move |_| {
        reached.notify_one();
        std::future::pending()
    });
    let reader = stage.clone();
    let given_up = tokio::spawn(async move { reader.top(false).await.unwrap() });
    reading.notified().await;
    let other = stage.clone();
    let waiting = tokio::spawn(async move { other.top(false).await.unwrap() });
    store.clear_hooks();
    given_up.abort();
    assert!(given_up.await.unwrap_err().is_cancelled());
    let top = tokio::time::timeout(Duration::from_mins(1), waiting).await;
    assert_eq!(text(&top.unwrap().unwrap()), "1:1:u1");
    assert_eq!(text(&stage.top(true).await.unwrap()), "1:1:u1");
}
