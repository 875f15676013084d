//! A board that is deleted while it is written: writes to the deleted incarnation go to the next one, once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use shard_router::{Router, Write, WriteOutcome};
use shard_store::{DeleteBoardError, ItemFailure, ItemRejected};

use crate::stage::{NOW, Stage, board, id, member, unavailable_why};

/// Creates one write for each of `count` members, ordered by shard.
fn by_shard(stage: &Stage, room: &Arc<board::BoardName>, count: usize) -> Vec<Write> {
    let mut writes: Vec<Write> = (0..count)
        .map(|n| stage.write(room, &format!("u{n}"), 1))
        .collect();
    writes.sort_by_key(|write| shard_of(stage, write));
    writes
}

fn shard_of(stage: &Stage, write: &Write) -> u16 {
    let shards = stage.gifts.kind.shards();
    shards.shard_of(write.member.placement_hash())
}

#[tokio::test]
async fn a_request_during_a_deletion_is_applied_to_two_incarnations() {
    const AT_SHARD: u16 = 8;
    let (store, stage) = Stage::hooked().await;
    let room = board("room");
    stage.send(&[stage.write(&room, "before", 1)]).await;
    let elsewhere = Arc::new(Router::open(store.clone()).await.unwrap());
    let (exists, name) = (Arc::new(AtomicBool::new(true)), room.clone());
    store.before_applying(move |shard| {
        let (elsewhere, exists, name) = (elsewhere.clone(), exists.clone(), name.clone());
        async move {
            if shard == AT_SHARD && exists.swap(false, Ordering::SeqCst) {
                elsewhere.delete_board(&name, NOW).await.unwrap();
            }
            Ok(())
        }
    });
    let writes = by_shard(&stage, &room, 500);
    let written = stage.send(&writes).await;
    // Each was applied once, in the incarnation that existed then.
    for written in &written {
        assert_eq!(stage.applied(written), 1);
    }
    let mut wanted: Vec<(String, i64)> = writes
        .iter()
        .filter(|write| shard_of(&stage, write) >= AT_SHARD)
        .map(|write| (write.member.to_string(), 1))
        .collect();
    wanted.sort();
    assert!(!wanted.is_empty() && wanted.len() < writes.len());
    assert_eq!(stage.all_points(&room).await, wanted);
}

#[tokio::test]
async fn ids_of_an_incarnation_that_ended_do_not_count_in_the_next() {
    let stage = Stage::in_memory().await;
    let room = board("room");
    let write = Write {
        id: Some(id("evt")),
        ..stage.write(&room, "u1", 4)
    };
    stage.send(std::slice::from_ref(&write)).await;
    stage.router.delete_board(&room, NOW).await.unwrap();
    let written = stage.send(&[write]).await;
    assert_eq!(stage.applied(&written[0]), 4);
}

#[tokio::test]
async fn a_board_deleted_elsewhere_is_created_again_by_the_next_write() {
    let [here, there] = Stage::two().await;
    let room = board("room");
    for incarnation in 1..=5 {
        here.send(&[here.write(&room, "u1", 10)]).await;
        there.router.delete_board(&room, NOW).await.unwrap();
        let written = here.send(&[here.write(&room, "u2", incarnation)]).await;
        assert_eq!(here.applied(&written[0]), incarnation);
        let held = here.all_points(&room).await;
        assert_eq!(held, [("u2".to_owned(), incarnation)]);
        there.router.delete_board(&room, NOW).await.unwrap();
    }
    let again = there.router.delete_board(&room, NOW).await;
    assert_eq!(again, Err(DeleteBoardError::NotFound));
}

#[tokio::test]
async fn a_removal_after_a_deletion_is_not_ranked() {
    let [here, there] = Stage::two().await;
    let room = board("room");
    here.send(&[here.write(&room, "u1", 10)]).await;
    there.router.delete_board(&room, NOW).await.unwrap();
    let written = here.send(&[here.removal(&room, "u1")]).await;
    let refused = ItemRejected::NotRanked(member("u1"));
    assert_eq!(written, [WriteOutcome::Rejected(refused.into())]);
    let record = here.router.store().board(&room).await.unwrap();
    assert_eq!(record, None);
}

#[tokio::test]
async fn a_board_deleted_at_every_try_is_unavailable() {
    let (store, stage) = Stage::hooked().await;
    let room = board("room");
    let elsewhere = Arc::new(Router::open(store.clone()).await.unwrap());
    let name = room.clone();
    store.before_applying(move |_| {
        let (elsewhere, name) = (elsewhere.clone(), name.clone());
        async move {
            elsewhere.delete_board(&name, NOW).await.unwrap();
            Ok(())
        }
    });
    let written = stage.send(&[stage.write(&room, "u1", 1)]).await;
    unavailable_why(&written[0]);
    store.clear_hooks();
    let written = stage.send(&[stage.write(&room, "u1", 1)]).await;
    assert_eq!(stage.applied(&written[0]), 1);
}

/// In one incarnation a member's points grow by one; a new incarnation begins at one. A write that was lost, or applied
/// twice, breaks that.
#[test]
fn no_write_is_lost_or_applied_twice_during_deletions() {
    const WRITERS: usize = 3;
    const REQUESTS: usize = 2_000;
    let runtime = || {
        tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap()
    };
    let stage = runtime().block_on(Stage::in_memory());
    let (room, over) = (board("room"), AtomicBool::new(false));
    let (deleted, refused) = (AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let (stage, room, refused) = (&stage, &room, &refused);
                scope.spawn(move || {
                    runtime().block_on(count_up(stage, room, writer, REQUESTS, refused));
                })
            })
            .collect();
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                if runtime()
                    .block_on(stage.router.delete_board(&room, NOW))
                    .is_ok()
                {
                    deleted.fetch_add(1, Ordering::Relaxed);
                }
                std::thread::yield_now();
            }
        });
        let ended: Vec<_> = writers
            .into_iter()
            .map(std::thread::ScopedJoinHandle::join)
            .collect();
        over.store(true, Ordering::Relaxed);
        assert!(ended.iter().all(Result::is_ok));
    });
    let (deleted, refused) = (deleted.into_inner(), refused.into_inner());
    println!("{deleted} deletions, {refused} writes met four of them");
    assert!(deleted > 0);
}

async fn count_up(
    stage: &Stage,
    room: &Arc<board::BoardName>,
    thread: usize,
    requests: usize,
    refused: &AtomicU64,
) {
    const MEMBERS: usize = 10;
    let names: Vec<String> = (0..MEMBERS).map(|n| format!("u{thread}-{n}")).collect();
    let mut last = [0; MEMBERS];
    for _ in 0..requests {
        let writes: Vec<Write> = names
            .iter()
            .map(|name| stage.write(room, name, 1))
            .collect();
        for (last, written) in last.iter_mut().zip(stage.send(&writes).await) {
            if matches!(written, WriteOutcome::Failed(ItemFailure::Unavailable(_))) {
                refused.fetch_add(1, Ordering::Relaxed);
                continue;
            }
            let points = stage.applied(&written);
            assert!(points == *last + 1 || points == 1, "{points} after {last}");
            *last = points;
        }
    }
}
