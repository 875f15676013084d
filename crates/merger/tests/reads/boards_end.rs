//! A board with an activity reports it, is final from its end on without a write, and is empty when it has expired.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use board::{Activity, Period, Timestamp, WindowRule};
use merger::{ReadResult, final_from};
use shard_store::{BoardSettings, ShardStore};

use crate::agree::ALL;
use crate::kinds::{kind, points};
use crate::stage::{NOW_MS, Stage, in_memory, text};

const MINUTE_MS: i64 = 60_000;

fn at(ms: i64) -> Timestamp {
    Timestamp::from_millis(NOW_MS + ms)
}

fn just_before_the_end() -> Timestamp {
    at(MINUTE_MS).minus(Duration::from_micros(1))
}

/// An activity of a minute from now on; kept for one more.
fn battle() -> Activity {
    let minute = Duration::from_mins(1);
    Activity::new(Some(at(0)), Some(at(MINUTE_MS)), Some(minute)).unwrap()
}

/// Creates a board with settings, whose cached tops may be an hour old.
async fn with_settings() -> Stage {
    let stage = Stage::in_memory(kind(points(16))).await;
    put_settings(&stage, battle()).await;
    stage
}

async fn put_settings(stage: &Stage, activity: Activity) {
    let settings = BoardSettings {
        activity,
        ..stage.kind.shards().into()
    };
    let settled = stage
        .router
        .put_settings(&stage.board, &stage.known, settings, at(0));
    settled.await.unwrap();
}

fn set_clock(stage: &Stage, ms: i64) {
    stage.clock_ms.store(NOW_MS + ms, Ordering::Relaxed);
}

async fn page(stage: &Stage) -> ReadResult<usize> {
    let answer = stage.merger.range(&stage.board, &stage.kind, ALL, 1, 10);
    let answer = answer.await.unwrap();
    ReadResult {
        version: answer.version,
        as_of: answer.as_of,
        activity: answer.activity,
        members: answer.members,
        value: answer.value.len(),
    }
}

/// Whether a read of the window without bounds, which never closes, is final.
fn is_final(as_of: Timestamp, activity: Activity) -> bool {
    final_from(None, &activity, Duration::ZERO).is_some_and(|from| as_of >= from)
}

/// The activity that a top shows, and whether it is final.
async fn ends(stage: &Stage) -> (Activity, bool) {
    let top = stage.top(false).await.unwrap().snapshot;
    (top.activity, is_final(top.as_of, top.activity))
}

/// The text of a top, and since when it is.
async fn shown(stage: &Stage) -> (String, Timestamp) {
    let top = stage.top(false).await.unwrap();
    (text(&top), top.snapshot.as_of)
}

async fn is_final_page(stage: &Stage) -> bool {
    let answer = page(stage).await;
    is_final(answer.as_of, answer.activity)
}

#[tokio::test]
async fn an_uncreated_board_shows_its_activity() {
    let stage = with_settings().await;
    let answer = page(&stage).await;
    assert_eq!(
        (answer.activity, is_final(answer.as_of, answer.activity)),
        (battle(), false)
    );
    assert_eq!(answer.members, 0);
    assert_eq!(ends(&stage).await, (battle(), false));
    // An empty board is final, too, even if a top may be old.
    set_clock(&stage, MINUTE_MS);
    assert_eq!(ends(&stage).await, (battle(), true));
    assert!(is_final_page(&stage).await);
}

#[tokio::test]
async fn a_top_is_final_from_the_end_on_with_all_contributions() {
    let stage = with_settings().await;
    stage.points("u1", 5).await;
    assert_eq!(text(&stage.top(false).await.unwrap()), "1:1:u1");
    assert_eq!(ends(&stage).await, (battle(), false));
    // Not too old yet, so the last write is not shown.
    stage.points("u2", 7).await;
    set_clock(&stage, MINUTE_MS - 1);
    assert_eq!(text(&stage.top(false).await.unwrap()), "1:1:u1");
    assert_eq!(ends(&stage).await, (battle(), false));
    assert!(!is_final_page(&stage).await);
    set_clock(&stage, MINUTE_MS);
    let last = stage.top(false).await.unwrap();
    assert_eq!(text(&last), "1:1:u2,2:2:u1");
    assert_eq!(ends(&stage).await, (battle(), true));
    assert!(is_final_page(&stage).await);
    let merges = stage.merger.counters().merges();
    let again = stage.top(false).await.unwrap();
    assert!(Arc::ptr_eq(&again.snapshot, &last.snapshot));
    assert_eq!(stage.merger.counters().merges(), merges);
}

#[tokio::test]
async fn a_result_that_is_not_durable_is_not_final() {
    let (store, stage) = Stage::hooked(kind(points(16))).await;
    put_settings(&stage, battle()).await;
    stage.points("u1", 5).await;
    assert!(!is_final_page(&stage).await);
    stage.top(false).await.unwrap();
    assert_eq!(store.durable_waits(), 0, "nothing was final");
    set_clock(&stage, MINUTE_MS);
    store.fail_durable();
    for _ in 0..2 {
        let answer = page(&stage).await;
        assert_eq!((answer.value, answer.as_of), (1, just_before_the_end()));
        assert!(!is_final(answer.as_of, answer.activity));
        let top = stage.top(false).await.unwrap();
        assert_eq!((text(&top), top.stale), ("1:1:u1".to_owned(), false));
        assert_eq!(top.snapshot.as_of, just_before_the_end());
    }
    store.clear_hooks();
    assert!(is_final_page(&stage).await);
    assert_eq!(shown(&stage).await, ("1:1:u1".to_owned(), at(MINUTE_MS)));
    // A version that was final once stays final without a wait.
    let asked = store.durable_waits();
    stage.top(true).await.unwrap();
    assert!(is_final_page(&stage).await);
    assert_eq!((asked, store.durable_waits()), (5, 5));
    store.fail_durable();
    assert!(is_final_page(&stage).await);
    let top = stage.top(true).await.unwrap();
    assert_eq!(top.snapshot.as_of, at(MINUTE_MS));
}

#[tokio::test(start_paused = true)]
async fn readers_share_the_wait_for_a_slow_disk() {
    let (store, stage) = Stage::hooked(kind(points(16))).await;
    put_settings(&stage, battle()).await;
    stage.points("u1", 5).await;
    set_clock(&stage, MINUTE_MS);
    store.stall(true);
    let began = tokio::time::Instant::now();
    let readers = (0..100).map(|_| stage.top(false));
    for top in futures::future::join_all(readers).await {
        let top = top.unwrap();
        assert_eq!(
            (text(&top), top.snapshot.as_of),
            ("1:1:u1".to_owned(), just_before_the_end())
        );
    }
    assert_eq!(store.durable_waits(), 1);
    assert!(began.elapsed() < Duration::from_secs(2));
    store.stall(false);
    assert_eq!(shown(&stage).await.1, at(MINUTE_MS));
}

#[tokio::test(start_paused = true)]
async fn an_uncreated_board_waits_for_the_disk_only_if_it_is_final() {
    let (store, stage) = Stage::hooked(kind(points(16))).await;
    put_settings(&stage, battle()).await;
    store.stall(true);
    let top = async || stage.top(false).await.unwrap().snapshot;
    let first = top().await;
    assert!(Arc::ptr_eq(&top().await, &first));
    assert_eq!(store.durable_waits(), 0);
    set_clock(&stage, MINUTE_MS);
    assert_eq!(top().await.as_of, just_before_the_end());
    store.stall(false);
    let last = top().await;
    assert_eq!((last.members, last.as_of), (0, at(MINUTE_MS)));
    // A version that was final once stays final without a wait.
    store.stall(true);
    assert!(Arc::ptr_eq(&top().await, &last));
    assert_eq!(store.durable_waits(), 2);
}

#[tokio::test]
async fn an_expired_board_is_empty_also_while_it_cannot_be_dropped() {
    let (store, stage) = Stage::hooked(kind(points(16))).await;
    put_settings(&stage, battle()).await;
    stage.points("u1", 5).await;
    assert_eq!(stage.top(false).await.unwrap().snapshot.members, 1);
    set_clock(&stage, 2 * MINUTE_MS);
    for dropped in [false, true] {
        store.keep_over(!dropped);
        // The first read drops it, and leaves that the name accepts nothing from before.
        let left = if dropped {
            Activity::new(Some(at(2 * MINUTE_MS)), None, None).unwrap()
        } else {
            Activity::ALWAYS
        };
        let answer = page(&stage).await;
        assert_eq!((answer.members, answer.value), (0, 0));
        assert_eq!(
            (answer.activity, is_final(answer.as_of, answer.activity)),
            (left, false)
        );
        let info = stage.merger.info(&stage.board, &stage.kind, ALL).await;
        assert_eq!(info.unwrap().value.shards, None);
        let top = stage.top(true).await.unwrap().snapshot;
        assert_eq!((top.members, top.activity), (0, left));
    }
}

#[tokio::test]
async fn a_closed_window_of_an_expired_board_is_final_once_it_is_dropped() {
    let mut spec = points(16);
    spec.windows = vec![WindowRule {
        close: Some(Duration::ZERO),
        ..WindowRule::with_defaults(Period::Hour)
    }];
    let (store, stage) = Stage::hooked(kind(spec)).await;
    put_settings(&stage, battle()).await;
    stage.points("u1", 5).await;
    set_clock(&stage, 2 * MINUTE_MS);
    let (board, kind) = (&stage.board, &stage.kind);
    let window = kind.calendar().span_at(Period::Hour, at(-1)).window;
    let closed_at = kind.closes_at(window).unwrap();
    assert!(closed_at < at(2 * MINUTE_MS));
    // The settings of the name change then, so nothing is final before.
    for dropped in [false, true] {
        store.keep_over(!dropped);
        let info = stage.merger.info(board, kind, window).await.unwrap();
        assert_eq!(info.as_of >= closed_at, dropped);
        for fresh in [true, false] {
            let top = stage.merger.top(board, kind, window, fresh).await;
            assert_eq!(top.unwrap().snapshot.as_of >= closed_at, dropped);
        }
    }
}

#[tokio::test]
async fn the_next_board_of_a_name_is_found() {
    let store = in_memory();
    let here = Stage::over(store.clone(), kind(points(16)), 1 << 20).await;
    put_settings(&here, battle()).await;
    here.points("u1", 5).await;
    assert_eq!(page(&here).await.members, 1);
    store_expires(&here).await;
    set_clock(&here, 2 * MINUTE_MS);
    // Created by another server, while `here` has cached the record of the expired board.
    let there = shard_router::Router::open(store).await.unwrap();
    let known = there.catalogue().known(here.kind.name().as_str()).unwrap();
    let write = shard_router::Write {
        kind: known,
        at: at(2 * MINUTE_MS),
        ..here.write_of(&Arc::new(here.board.clone()), &crate::stage::row("u2", 1))
    };
    there.write(&[write], at(2 * MINUTE_MS), false).await;
    let answer = page(&here).await;
    let next = Activity::new(Some(at(2 * MINUTE_MS)), None, None).unwrap();
    assert_eq!((answer.members, answer.activity), (1, next));
    let top = here.top(false).await.unwrap();
    assert_eq!(text(&top), "1:1:u2");
}

#[tokio::test]
async fn changed_settings_are_shown_where_the_old_record_is_cached() {
    let store: Arc<dyn ShardStore> = in_memory();
    let here = Stage::over(store.clone(), kind(points(16)), 1 << 20).await;
    here.points("u1", 5).await;
    let before = here.top(true).await.unwrap().snapshot;
    assert_eq!(before.activity, Activity::ALWAYS);
    let change = async |activity| {
        let record = store.board(&here.board).await.unwrap().unwrap();
        store
            .change_activity(&record, activity, None)
            .await
            .unwrap();
    };
    change(battle()).await;
    assert_eq!(page(&here).await.activity, battle());
    let top = here.top(true).await.unwrap().snapshot;
    assert_eq!((top.activity, &top.version), (battle(), &before.version));
    // The end that is cached passes, but it was moved: nothing is final.
    let later = Activity::new(Some(at(0)), Some(at(3 * MINUTE_MS)), None).unwrap();
    change(later).await;
    set_clock(&here, MINUTE_MS);
    assert_eq!(ends(&here).await, (later, false));
    // And it was moved forward: the board is final sooner than the cached record says.
    let sooner = Activity::new(Some(at(0)), Some(at(2 * MINUTE_MS)), None).unwrap();
    change(sooner).await;
    set_clock(&here, 2 * MINUTE_MS);
    assert!(is_final_page(&here).await);
    let info = here
        .merger
        .info(&here.board, &here.kind, ALL)
        .await
        .unwrap();
    assert_eq!(info.activity, sooner);
    assert_eq!(ends(&here).await, (sooner, true));
}

async fn store_expires(stage: &Stage) {
    let store = stage.router.store();
    store.drop_expired(at(2 * MINUTE_MS)).await.unwrap();
}
