//! Kinds that are written by several servers concurrently, and read while they are written.

use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use board::KindName;
use shard_router::CatalogueError;
use shard_store::StoreError;
use testkit::HookedStore;
use tokio::sync::Semaphore;

use crate::stage::{NOW, Stage, board, hooked, kind, member, points};

/// Blocks the next read of kinds after it has read: it adds a permit to the first semaphore, and waits for one of the
/// second.
fn block_next_read(store: &HookedStore) -> (Arc<Semaphore>, Arc<Semaphore>) {
    let (reached, go_on) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let (first, stop, pass) = (
        Arc::new(AtomicBool::new(true)),
        reached.clone(),
        go_on.clone(),
    );
    store.after_reading_kinds(move || {
        let (first, stop, pass) = (first.clone(), stop.clone(), pass.clone());
        async move {
            if first.swap(false, Ordering::SeqCst) {
                stop.add_permits(1);
                pass.acquire().await.unwrap().forget();
            }
            Ok(())
        }
    });
    (reached, go_on)
}

/// From now on kinds can be read once, and then not again.
fn fail_reads_but_one(store: &HookedStore) {
    let first = AtomicBool::new(true);
    store.after_reading_kinds(move || {
        let away = || StoreError::Unavailable("away".to_owned());
        let is_first = first.swap(false, Ordering::SeqCst);
        ready(is_first.then_some(()).ok_or_else(away))
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_of_many_servers_creates_a_kind() {
    let store = hooked();
    let mut puts = Vec::new();
    for n in 0..16 {
        let stage = Stage::over(store.clone()).await;
        puts.push(tokio::spawn(async move {
            let mut spec = points("likes");
            spec.top = 100 + n;
            stage.router.catalogue().put(kind(spec), NOW).await
        }));
    }
    let mut created = 0;
    for put in puts {
        match put.await.unwrap() {
            Ok((_, is_new)) => created += usize::from(is_new),
            Err(error) => assert!(matches!(error, CatalogueError::Contended(_)), "{error}"),
        }
    }
    assert_eq!(created, 1);
    // All of them agree afterwards.
    let (here, there) = (Stage::over(store.clone()).await, Stage::over(store).await);
    let top = |stage: &Stage| stage.router.catalogue().known("likes").unwrap().kind.top();
    assert_eq!(top(&here), top(&there));
}

#[tokio::test]
async fn an_older_read_does_not_replace_a_newer_one() {
    let store = hooked();
    let stage = Arc::new(Stage::over(store.clone()).await);
    let (reached, go_on) = block_next_read(&store);
    let looking = stage.clone();
    let older = tokio::spawn(async move { looking.router.catalogue().refresh().await });
    reached.acquire().await.unwrap().forget();
    let elsewhere = Stage::over(store.clone()).await;
    elsewhere
        .router
        .catalogue()
        .put(kind(points("likes")), NOW)
        .await
        .unwrap();
    let asking = stage.clone();
    let newer = tokio::spawn(async move { asking.router.catalogue().refresh().await });
    tokio::task::yield_now().await;
    go_on.add_permits(1);
    newer.await.unwrap().unwrap();
    older.await.unwrap().unwrap();
    assert!(stage.router.catalogue().known("likes").is_some());
}

#[tokio::test]
async fn a_read_that_began_before_a_write_does_not_undo_it() {
    let store = hooked();
    let stage = Arc::new(Stage::over(store.clone()).await);
    let (reached, go_on) = block_next_read(&store);
    let looking = stage.clone();
    let look = tokio::spawn(async move { looking.router.catalogue().refresh().await });
    reached.acquire().await.unwrap().forget();
    let (gifts, u1) = (stage.gifts.kind.name(), member("u1"));
    let catalogue = stage.router.catalogue();
    let written = catalogue.hide(gifts, |hidden| hidden.with(&u1));
    let written = written.await.unwrap().unwrap();
    let learning = stage.clone();
    let learn =
        tokio::spawn(async move { learning.router.catalogue().add_written(vec![written]).await });
    tokio::task::yield_now().await;
    go_on.add_permits(1);
    look.await.unwrap().unwrap();
    learn.await.unwrap();
    let known = catalogue.known("gifts").unwrap();
    assert!(known.kind.hidden().contains(&u1));
}

#[tokio::test]
async fn an_acknowledged_write_succeeds_if_the_store_fails_afterwards() {
    let (store, stage) = Stage::hooked().await;
    let catalogue = stage.router.catalogue();
    let mut deeper = points("gifts");
    deeper.top = 7;
    for (spec, is_new) in [(deeper, false), (points("likes"), true)] {
        let wanted = kind(spec);
        fail_reads_but_one(&store);
        let (_, created) = catalogue.put(wanted.clone(), NOW).await.unwrap();
        let known = catalogue.known(wanted.name().as_str()).unwrap();
        assert_eq!((&*known.kind, created), (&wanted, is_new));
    }
    fail_reads_but_one(&store);
    let likes = KindName::new("likes").unwrap();
    catalogue.delete(&likes).await.unwrap();
    assert!(catalogue.known("likes").is_none() && catalogue.ever_existed(&likes));
    assert!(catalogue.refresh().await.is_err());
    // The catalogue equals the store.
    store.clear_hooks();
    let kinds = catalogue.kinds();
    catalogue.refresh().await.unwrap();
    assert_eq!(catalogue.kinds(), kinds);
}

#[tokio::test]
async fn concurrent_lookups_of_unknown_kinds_share_reads() {
    const ASKING: usize = 1_000;
    let store = hooked();
    let stage = Arc::new(Stage::over(store.clone()).await);
    let go_on = Arc::new(Semaphore::new(0));
    let pass = go_on.clone();
    store.after_reading_kinds(move || {
        let pass = pass.clone();
        async move {
            pass.acquire().await.unwrap().forget();
            Ok(())
        }
    });
    let before = store.kinds_read();
    let asking: Vec<_> = (0..ASKING)
        .map(|n| {
            let stage = stage.clone();
            let name = format!("kind-{n}");
            tokio::spawn(async move { stage.router.catalogue().kind(&name).await.unwrap() })
        })
        .collect();
    // One thread runs them all: each has begun before this goes on.
    tokio::task::yield_now().await;
    go_on.add_permits(ASKING);
    for asking in asking {
        assert!(asking.await.unwrap().is_none());
    }
    // The first, and one for all that began during it.
    let reads = store.kinds_read() - before;
    assert!(reads <= 2, "{reads}");
}

#[tokio::test]
async fn a_store_that_has_lost_its_kinds_gets_them_back() {
    let store = hooked();
    let (here, there) = (
        Stage::over(store.clone()).await,
        Stage::over(store.clone()).await,
    );
    let mut deeper = points("gifts");
    deeper.top = 7;
    let catalogue = here.router.catalogue();
    catalogue.put(kind(deeper), NOW).await.unwrap();
    there.router.catalogue().refresh().await.unwrap();
    let kinds = catalogue.kinds();
    store.lose_data();
    for stage in [&here, &there] {
        stage.router.catalogue().refresh().await.unwrap();
        assert_eq!(stage.router.catalogue().kinds(), kinds);
    }
    let room = board("room");
    let written = here.send(&[here.write(&room, "u1", 7)]).await;
    assert_eq!(there.all_points(&room).await, here.all_points(&room).await);
    assert_eq!(here.applied(&written[0]), 7);
}

#[tokio::test]
async fn hiding_in_known_kinds_reads_no_kinds() {
    let (store, stage) = Stage::hooked().await;
    let catalogue = stage.router.catalogue();
    let names: Vec<String> = (0..100).map(|n| format!("kind-{n}")).collect();
    for name in &names {
        catalogue.put(kind(points(name)), NOW).await.unwrap();
    }
    let elsewhere = Stage::over(store.clone()).await;
    let member = member("u1");
    let hide = async |stage: &Stage| {
        let mut changed = 0;
        for kind in stage.router.catalogue().kinds() {
            let hide = stage
                .router
                .catalogue()
                .hide(kind.name(), |hidden| hidden.with(&member));
            changed += usize::from(hide.await.unwrap().is_some());
        }
        changed
    };
    let before = store.kinds_read();
    assert_eq!(hide(&stage).await, catalogue.kinds().len());
    assert_eq!(store.kinds_read(), before);
    // A server with the earlier kinds finds out, and changes nothing.
    assert_eq!(hide(&elsewhere).await, 0);
    catalogue.refresh().await.unwrap();
    let hides = |name: &&String| {
        catalogue
            .known(name)
            .unwrap()
            .kind
            .hidden()
            .contains(&member)
    };
    assert_eq!(names.iter().filter(hides).count(), 100);
}
