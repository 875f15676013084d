//! A fresh read uses a merge that began after it, so it has everything that was reported as applied before.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tokio::sync::Semaphore;

use crate::kinds::{kind, points};
use crate::stage::{Stage, hooked, text};

#[tokio::test]
async fn a_fresh_read_has_everything_applied_before() {
    let stage = Stage::in_memory(kind(points(16))).await;
    for points in 1..100 {
        stage.points("u1", points).await;
        stage
            .points(&format!("u{}", 100 + points), points + 100)
            .await;
        let top = text(&stage.top(true).await.unwrap());
        let best = format!("1:1:u{},", 100 + points);
        assert!(top.starts_with(&best), "{top}");
    }
}

#[tokio::test]
async fn a_fresh_read_does_not_use_an_earlier_merge() {
    let store = hooked();
    let stage = Arc::new(Stage::over(store.clone(), kind(points(4)), 1 << 20).await);
    stage.points("u1", 7).await;
    // The first merge reads its shards, and is blocked at the last.
    let (reached, go_on) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let first_merge = Arc::new(AtomicBool::new(true));
    let (stop, pass, first) = (reached.clone(), go_on.clone(), first_merge.clone());
    store.before_reads(move |shard| {
        let (stop, pass, first) = (stop.clone(), pass.clone(), first.clone());
        async move {
            if shard == 3 && first.swap(false, Ordering::SeqCst) {
                stop.add_permits(1);
                pass.acquire().await.unwrap().forget();
            }
            Ok(())
        }
    });
    let reader = stage.clone();
    let early = tokio::spawn(async move { reader.top(false).await.unwrap() });
    reached.acquire().await.unwrap().forget();
    // Applied during that merge, on shards that it has read already.
    for n in 0..20 {
        stage.points(&format!("later{n}"), 100).await;
    }
    let reader = stage.clone();
    let fresh = tokio::spawn(async move { reader.top(true).await.unwrap() });
    let reader = stage.clone();
    let cached = tokio::spawn(async move { reader.top(false).await.unwrap() });
    tokio::task::yield_now().await;
    go_on.add_permits(1);
    let early = early.await.unwrap().snapshot;
    assert!(early.members < 21, "{}", early.members);
    assert_eq!(fresh.await.unwrap().snapshot.members, 21);
    // A read that may be older does not wait for another merge.
    assert!(cached.await.unwrap().snapshot.members >= early.members);
    assert_eq!(stage.merger.counters().merges(), 2);
    assert_eq!(
        text(&stage.top(false).await.unwrap()).split(',').count(),
        21
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn fresh_reads_that_wait_together_share_the_next_merge() {
    const READERS: usize = 1000;
    let store = hooked();
    let stage = Arc::new(Stage::over(store.clone(), kind(points(4)), 1 << 20).await);
    stage.points("u1", 7).await;
    let (reached, go_on) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let (stop, pass) = (reached.clone(), go_on.clone());
    store.before_reads(move |_| {
        let (stop, pass) = (stop.clone(), pass.clone());
        async move {
            stop.add_permits(1);
            pass.acquire().await.unwrap().forget();
            Ok(())
        }
    });
    let begun = Arc::new(AtomicUsize::new(0));
    let read = |fresh| {
        let (reader, begun) = (stage.clone(), begun.clone());
        tokio::spawn(async move {
            begun.fetch_add(1, Ordering::SeqCst);
            reader.top(fresh).await.unwrap()
        })
    };
    let early = read(false);
    reached.acquire_many(4).await.unwrap().forget();
    let waiting: Vec<_> = (0..READERS).map(|_| read(true)).collect();
    while begun.load(Ordering::SeqCst) < 1 + READERS {
        tokio::task::yield_now().await;
    }
    go_on.add_permits(Semaphore::MAX_PERMITS / 2);
    early.await.unwrap();
    for reader in waiting {
        assert_eq!(reader.await.unwrap().snapshot.members, 1);
    }
    // The first merge, one for those that waited for its end, and at most one for each thread, whose task had been
    // counted and did not wait yet.
    let merges = stage.merger.counters().merges();
    assert!(merges <= 2 + 4, "{merges}");
}
