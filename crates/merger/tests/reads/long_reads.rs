//! Long reads are done in steps, and take turns at a remote store. Counted, not timed.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use board::{Hidden, Member, Timestamp};
use futures::FutureExt as _;
use futures::future::{join, join_all, poll_fn};
use merger::{End, Slice};
use pacing::{FairQueue, Flow, STEP, paced};
use parking_lot::Mutex;
use shard_store::ShardStore;
use testkit::HookedStore;
use tokio::task::yield_now;

use crate::agree::ALL;
use crate::kinds::{kind, points, value};
use crate::stage::{NOW_MS, Stage, hooked, in_memory};
use crate::twin::Row;

const MEMBERS: usize = 5_000;

/// What one ask takes without entries.
const ASK_WORK: usize = 4;

/// Calls of long reads that are at a remote store at a time.
const LONG_CALLS: usize = 4;

/// A board on 16 shards whose members have ten distinct values.
async fn tied(store: Arc<dyn ShardStore>) -> Stage {
    let stage = Stage::over(store, kind(points(16)), 1 << 20).await;
    let rows = (0..MEMBERS).map(|number| Row {
        member: member(number),
        values: value(i64::try_from(number % 10).unwrap()).into(),
        at: Timestamp::from_millis(NOW_MS),
    });
    stage.set(&stage.board, &rows.collect::<Vec<_>>()).await;
    stage
}

fn member(number: usize) -> Member {
    Member::new(&format!("u{number}")).unwrap()
}

fn members(numbers: impl Iterator<Item = usize>) -> Vec<Member> {
    numbers.map(member).collect()
}

fn flow(caller: u64) -> Flow {
    Flow { caller, board: 1 }
}

/// Returns the work at the store in each poll of a read.
async fn steps(store: &HookedStore, read: impl Future) -> Vec<usize> {
    let done = Arc::new(AtomicUsize::new(0));
    let work = done.clone();
    store.after_reads(move |_, reading| {
        let parts = reading.parts.iter().flatten();
        let of_parts: usize = parts.map(|part| ASK_WORK + part.entries.len()).sum();
        work.fetch_add(1 + of_parts, Ordering::Relaxed);
    });
    let mut steps = Vec::new();
    let queue = FairQueue::with_lanes(1);
    let mut counted = 0;
    let mut read = pin!(paced(&queue, flow(1), &mut counted, read));
    poll_fn(|context| {
        let polled = read.as_mut().poll(context);
        steps.push(done.swap(0, Ordering::Relaxed));
        polled.map(drop)
    })
    .await;
    store.clear_hooks();
    steps.retain(|step| *step > 0);
    steps
}

#[tokio::test]
async fn a_long_read_in_this_process_yields_after_each_step() {
    let store = HookedStore::by_shards(in_memory());
    let stage = tied(store.clone()).await;
    let Stage {
        merger,
        board,
        kind,
        ..
    } = &stage;
    let thousand = members(0..1000);
    let hidden = members(0..1000)
        .iter()
        .try_fold(Hidden::default(), |hidden, member| hidden.with(member));
    let hiding = Arc::new((**kind).clone().hiding(hidden.unwrap()));
    let slice = |from| Slice {
        values: None,
        after: None,
        from,
        limit: 1000,
    };
    let reads = [
        (
            "lookup",
            60,
            merger.lookup(board, kind, ALL, &thousand).map(drop).boxed(),
        ),
        (
            "range",
            1,
            merger.range(board, kind, ALL, 1, 1000).map(drop).boxed(),
        ),
        (
            "deep page",
            1,
            merger.range(board, kind, ALL, 3001, 4000).map(drop).boxed(),
        ),
        (
            "from worst",
            1,
            merger
                .slice(board, kind, ALL, slice(End::Worst))
                .map(drop)
                .boxed(),
        ),
        (
            "hiding",
            4,
            merger
                .count(board, &hiding, ALL, (None, None))
                .map(drop)
                .boxed(),
        ),
    ];
    for (name, steps_min, read) in reads {
        let steps = steps(&store, read).await;
        // A step ends before the call that would exceed it: a call alone is never larger.
        let most = steps.iter().max().unwrap();
        assert!(*most <= STEP, "{name}: {steps:?}");
        assert!(steps.len() >= steps_min, "{name}: {steps:?}");
    }
}

#[tokio::test]
async fn reads_of_whole_boards_yield_as_often_as_their_entries_take_steps() {
    const PAGES: usize = 8;
    let stage = tied(in_memory()).await;
    let pages = async {
        for _ in 0..PAGES {
            let page = stage
                .merger
                .range(&stage.board, &stage.kind, ALL, 1, STEP as u64);
            assert_eq!(page.await.unwrap().value.len(), STEP);
        }
    };
    let queue = FairQueue::with_lanes(1);
    let mut counted = 0;
    let mut pages = Box::pin(paced(&queue, flow(1), &mut counted, pages));
    let mut polls = 0;
    poll_fn(|context| {
        polls += 1;
        pages.as_mut().poll(context)
    })
    .await;
    drop(pages);
    assert!(polls >= PAGES, "{polls}");
    // Reading them counts as well as what is made of them.
    assert!(counted >= 2 * PAGES * STEP, "{counted}");
}

#[tokio::test]
async fn lookups_in_steps_agree_with_short_ones() {
    let store = HookedStore::by_shards(in_memory());
    for store in [store, hooked()] {
        let stage = tied(store).await;
        let looked_up = members((0..1000).map(|number| number * 7 % (MEMBERS + 100)));
        let read = |members| stage.merger.lookup(&stage.board, &stage.kind, ALL, members);
        let whole = read(&looked_up).await.unwrap();
        for (members, whole) in looked_up.chunks(10).zip(whole.value.chunks(10)) {
            assert_eq!(read(members).await.unwrap().value, whole);
        }
        assert_eq!(whole.members, MEMBERS as u64);
    }
}

#[tokio::test]
async fn a_caller_of_a_remote_store_waits_for_few_calls_of_another_one() {
    const CALLERS: u64 = 3;
    let store = hooked();
    let stage = tied(store.clone()).await;
    let Stage {
        merger,
        board,
        kind,
        ..
    } = &stage;
    let (calls, at_once) = (
        Arc::new(Mutex::new(Vec::new())),
        Arc::new(AtomicUsize::new(0)),
    );
    let seen = calls.clone();
    let (now, most) = (at_once.clone(), Arc::new(AtomicUsize::new(0)));
    let peak = most.clone();
    store.before_reads(move |_| {
        seen.lock().push(pacing::caller().unwrap());
        let (now, peak) = (now.clone(), peak.clone());
        async move {
            peak.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            yield_now().await;
            now.fetch_sub(1, Ordering::SeqCst);
            Ok(())
        }
    });
    let queue = FairQueue::with_lanes(2);
    let (many, fewer) = (members(0..1000), members(1000..1300));
    let read = async |caller, members| {
        let lookup = merger.lookup(board, kind, ALL, members);
        paced(&queue, flow(caller), &mut 0, lookup).await
    };
    let busy = join_all((0..CALLERS).map(|_| read(1, many.as_slice())));
    let other = async {
        // Once the others saturate the store.
        while calls.lock().len() < 100 {
            yield_now().await;
        }
        let from = calls.lock().len();
        read(2, &fewer).await.unwrap();
        let to = calls.lock().len();
        from..to
    };
    let (busy, meanwhile) = join(busy, other).await;
    assert!(busy.into_iter().all(|read| read.is_ok()));
    let calls = calls.lock();
    let own = calls[meanwhile.clone()]
        .iter()
        .filter(|caller| **caller == 2)
        .count();
    let others = meanwhile.len() - own;
    assert!(
        own > 16 && others <= 2 * own + LONG_CALLS,
        "{own} own, {others} others"
    );
    assert!(calls.len() > 3 * meanwhile.len(), "the others go on");
    assert_eq!(at_once.load(Ordering::SeqCst), 0);
    // The members of one are located by calls of several shards.
    assert!(most.load(Ordering::SeqCst) <= 16 * LONG_CALLS);
}
