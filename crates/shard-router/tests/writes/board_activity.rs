//! Writes outside of a board's activity are rejected by its current record, create no board, and are not applied, even
//! if the settings change in the meantime.

use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use board::{Activity, ActivityRejection, BoardName, Timestamp, Value};
use shard_router::{FoundBoard, Moment, Router, Write, WriteOutcome, WriteRejected};
use shard_store::{BoardSettings, Change, Clock, ItemRejected, ShardStore};
use testkit::HookedStore;

use crate::stage::{NOW, Stage, board, hooked, member, rejected};

const MS: Duration = Duration::from_millis(1);
const MINUTE: Duration = Duration::from_mins(1);

/// An activity from a minute ago, for two minutes; kept for one more.
fn battle() -> Activity {
    Activity::new(Some(NOW.minus(MINUTE)), Some(ends_at()), Some(MINUTE)).unwrap()
}

fn ends_at() -> Timestamp {
    NOW.plus(MINUTE)
}

/// An activity from two minutes from now on.
fn later() -> Activity {
    Activity::new(Some(NOW.plus(MINUTE * 2)), None, None).unwrap()
}

async fn put_settings(router: &Router, name: &BoardName, activity: Activity) {
    let known = router.catalogue().known("gifts").unwrap();
    let settings = BoardSettings {
        activity,
        ..known.kind.shards().into()
    };
    let settled = router.put_settings(name, &known, settings, NOW).await;
    assert_eq!(settled.unwrap().activity, activity);
}

async fn stage(activity: Activity) -> (Stage, Arc<BoardName>) {
    let (stage, room) = (Stage::in_memory().await, board("room"));
    put_settings(&stage.router, &room, activity).await;
    (stage, room)
}

fn at(write: Write, at: Timestamp) -> Write {
    Write { at, ..write }
}

fn outside(at: Timestamp, activity: Activity) -> WriteOutcome {
    WriteOutcome::Rejected(ActivityRejection::Outside { at, activity }.into())
}

fn over(now: Timestamp, activity: Activity) -> WriteOutcome {
    WriteOutcome::Rejected(ActivityRejection::Over { now, activity }.into())
}

fn assert_over(written: &WriteOutcome) {
    let WriteRejected::NotOpen(ActivityRejection::Over { now, .. }) = rejected(written) else {
        panic!("{written:?}");
    };
    assert!(*now >= ends_at());
}

async fn is_created(store: &dyn ShardStore, name: &BoardName) -> bool {
    store.board(name).await.unwrap().unwrap().created
}

#[tokio::test]
async fn activity_bounds_are_exact_and_outcomes_in_order() {
    let (stage, room) = stage(battle()).await;
    let starts_at = battle().starts_at().unwrap();
    let moments = [
        starts_at.minus(MS),
        starts_at,
        NOW,
        ends_at().minus(MS),
        ends_at(),
    ];
    let writes: Vec<Write> = (0..)
        .zip(moments)
        .map(|(n, moment)| at(stage.write(&room, &format!("u{n}"), 1), moment))
        .collect();
    let written = stage.send(&writes).await;
    assert_eq!(written[0], outside(moments[0], battle()));
    assert_eq!(written[4], outside(moments[4], battle()));
    for written in &written[1..4] {
        assert_eq!(stage.applied(written), 1);
    }
    let held = stage.all_points(&room).await;
    let names: Vec<&str> = held.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["u1", "u2", "u3"]);
}

#[tokio::test]
async fn nothing_changes_after_the_end() {
    let (stage, room) = stage(battle()).await;
    stage.send(&[stage.write(&room, "u1", 5)]).await;
    let set = Write {
        change: Change::Set(Value::new(7).unwrap().into()),
        ..stage.write(&room, "u1", 0)
    };
    let writes = [
        stage.write(&room, "u1", 1),
        set,
        stage.removal(&room, "u1"),
        stage.write(&room, "u2", 1),
    ];
    let last = ends_at().minus(MINUTE / 2);
    let removal = &writes[2..3];
    for removal_alone in [false, true] {
        let writes = if removal_alone { removal } else { &writes[..] };
        let written = stage.router.write(writes, ends_at(), true).await;
        assert_eq!(written, vec![over(ends_at(), battle()); writes.len()]);
    }
    assert_eq!(stage.all_points(&room).await, [("u1".to_owned(), 5)]);
    let written = stage.router.write(removal, last, true).await;
    assert!(
        matches!(written[0], WriteOutcome::Applied(_)),
        "{written:?}"
    );
}

#[tokio::test]
async fn writes_outside_of_the_activity_create_no_board() {
    let (stage, room) = stage(later()).await;
    let store = stage.router.store().clone();
    let mut writes = vec![stage.write(&room, "u1", 1), stage.removal(&room, "u1")];
    let written = stage.send(&writes).await;
    assert_eq!(written, vec![outside(NOW, later()); 2]);
    assert!(!is_created(&*store, &room).await);
    // A removal within the activity is not ranked.
    writes[1].at = NOW.plus(MINUTE * 3);
    let written = stage.send(&writes).await;
    let nobody =
        WriteOutcome::Rejected(WriteRejected::Shard(ItemRejected::NotRanked(member("u1"))));
    assert_eq!(written, [outside(NOW, later()), nobody]);
    assert!(!is_created(&*store, &room).await);
    // So the settings may still change, and apply to the next write.
    put_settings(&stage.router, &room, battle()).await;
    let written = stage.send(&writes[..1]).await;
    assert_eq!(stage.applied(&written[0]), 1);
    assert!(is_created(&*store, &room).await);
}

#[tokio::test]
async fn the_last_settings_before_the_creation_count() {
    let (store, stage) = Stage::hooked().await;
    let room = board("room");
    put_settings(&stage.router, &room, battle()).await;
    let elsewhere = Arc::new(Router::open(store.clone()).await.unwrap());
    let (creations, name) = (Arc::new(AtomicU64::new(0)), room.clone());
    store.before_creations(move || {
        let (elsewhere, creations, name) = (elsewhere.clone(), creations.clone(), name.clone());
        async move {
            // The first call reads the settings, the second would create the board.
            if creations.fetch_add(1, Ordering::SeqCst) == 1 {
                put_settings(&elsewhere, &name, later()).await;
            }
            Ok(())
        }
    });
    let written = stage.send(&[stage.write(&room, "u1", 1)]).await;
    assert_eq!(written, [outside(NOW, later())]);
    assert_eq!(store.creations(), 2);
    assert!(!is_created(&*store, &room).await);
    store.clear_hooks();
    let in_time = at(stage.write(&room, "u1", 1), NOW.plus(MINUTE * 3));
    let written = stage.send(&[in_time]).await;
    assert_eq!(stage.applied(&written[0]), 1);
}

#[tokio::test]
async fn the_next_incarnation_has_its_own_activity() {
    let [here, there] = Stage::two().await;
    let room = board("room");
    here.send(&[here.write(&room, "u1", 1)]).await;
    // `here` has cached the record of the first incarnation.
    there.router.delete_board(&room, NOW).await.unwrap();
    put_settings(&there.router, &room, later()).await;
    let written = here.send(&[here.write(&room, "u1", 1)]).await;
    assert_eq!(written, [outside(NOW, later())]);
    assert!(!is_created(&**here.router.store(), &room).await);
}

#[tokio::test]
async fn the_name_of_an_expired_board_is_free_for_the_next_read_and_the_next_write() {
    let gone = battle().expires_at().unwrap();
    let next = Activity::new(Some(gone), None, None).unwrap();
    for (created, read_first) in [(true, true), (true, false), (false, true), (false, false)] {
        let (stage, room) = stage(battle()).await;
        let known = &stage.gifts.kind;
        let found = async |now| stage.router.found(&room, known, now).await.unwrap();
        if created {
            stage.send(&[stage.write(&room, "u1", 5)]).await;
            let before = found(gone.minus(MS)).await;
            assert!(matches!(before, FoundBoard::Created(_)));
        }
        if read_first {
            let FoundBoard::Uncreated(settings) = found(gone).await else {
                panic!("the name is free")
            };
            assert_eq!(settings.activity, next);
        }
        // From before, nothing counts on the next board.
        let late = [at(stage.write(&room, "u1", 1), gone.minus(MS))];
        let refused = stage.router.write(&late, gone, true).await;
        assert_eq!(refused, [outside(gone.minus(MS), next)]);
        let write = [at(stage.write(&room, "u1", 1), gone)];
        let written = stage.router.write(&write, gone, true).await;
        assert_eq!(stage.applied(&written[0]), 1);
        let FoundBoard::Created(now) = found(gone).await else {
            panic!("it was written to")
        };
        assert_eq!(now.activity, next);
    }
}

#[tokio::test]
async fn late_writes_do_not_count_on_the_next_board() {
    for fought in [true, false] {
        let (stage, room) = stage(battle()).await;
        if fought {
            stage.send(&[stage.write(&room, "u1", 5)]).await;
        }
        let gone = battle().expires_at().unwrap();
        stage.router.store().drop_expired(gone).await.unwrap();
        let late = [
            at(stage.write(&room, "u1", 1), gone.minus(MS)),
            at(stage.removal(&room, "u1"), gone.minus(MS)),
        ];
        let next = Activity::new(Some(gone), None, None).unwrap();
        let refused = [outside(gone.minus(MS), next), outside(gone.minus(MS), next)];
        let now = gone.plus(MINUTE);
        assert_eq!(stage.router.write(&late, now, true).await, refused);
        assert!(!is_created(&**stage.router.store(), &room).await);
        // Nor on the next board of the name.
        let written = [at(stage.write(&room, "u1", 2), gone)];
        let written = stage.router.write(&written, now, true).await;
        assert_eq!(stage.applied(&written[0]), 2);
        assert_eq!(stage.router.write(&late, now, true).await, refused);
    }
}

/// Writes a moment before the end of the battle, to a store that delays writes.
async fn a_moment_before_the_end(delay: Duration) -> (Stage, Arc<BoardName>, Vec<WriteOutcome>) {
    let (store, stage) = Stage::hooked().await;
    let room = board("room");
    put_settings(&stage.router, &room, battle()).await;
    store.before_applying(move |_| async move {
        tokio::time::sleep(delay).await;
        Ok(())
    });
    let writes = [stage.write(&room, "u1", 5), stage.write(&room, "u2", 3)];
    let before = ends_at().minus(MS * 20);
    let written = stage.router.write(&writes, before, true).await;
    (stage, room, written)
}

#[tokio::test]
async fn a_slow_store_applies_nothing_after_the_end() {
    let (stage, room, written) = a_moment_before_the_end(MS * 30).await;
    for written in written {
        assert_over(&written);
    }
    assert_eq!(stage.all_points(&room).await, []);
    // Nor was the board created: its settings may change.
    assert!(!is_created(&**stage.router.store(), &room).await);
    put_settings(&stage.router, &room, later()).await;
}

/// A clock that a test sets.
fn clock_of(now: &Arc<AtomicI64>) -> Clock {
    let now = now.clone();
    Arc::new(move || Timestamp::from_millis(now.load(Ordering::SeqCst)))
}

#[tokio::test]
async fn nothing_is_applied_after_the_clock_was_set_to_the_end() {
    let (store, stage) = Stage::hooked().await;
    let room = board("room");
    put_settings(&stage.router, &room, battle()).await;
    let clock_ms = Arc::new(AtomicI64::new(NOW.millis()));
    let set = clock_ms.clone();
    store.before_applying(move |_| {
        // From now on reads report the board as final.
        set.store(ends_at().millis(), Ordering::SeqCst);
        ready(Ok(()))
    });
    let writes = [stage.write(&room, "u1", 5), stage.write(&room, "u2", 3)];
    let moment = Moment::of(&clock_of(&clock_ms));
    for written in stage.router.write(&writes, moment, true).await {
        assert_over(&written);
    }
    assert_eq!(stage.all_points(&room).await, []);
}

#[tokio::test]
async fn a_pending_write_is_applied_when_the_clock_is_set_back() {
    let (store, stage) = Stage::hooked().await;
    let room = board("room");
    put_settings(&stage.router, &room, battle()).await;
    let clock_ms = Arc::new(AtomicI64::new(ends_at().minus(MS * 20).millis()));
    let set = clock_ms.clone();
    store.before_applying(move |_| {
        let set = set.clone();
        async move {
            if set.swap(NOW.millis(), Ordering::SeqCst) != NOW.millis() {
                tokio::time::sleep(MS * 30).await;
            }
            Ok(())
        }
    });
    let writes = [stage.write(&room, "u1", 5)];
    let moment = Moment::of(&clock_of(&clock_ms));
    let written = stage.router.write(&writes, moment, true).await;
    assert_eq!(stage.applied(&written[0]), 5);
}

/// Writes `left` before the end, by a clock that stands still, to a store that takes as long.
async fn while_the_clock_stands_still(
    store: Arc<HookedStore>,
    left: Duration,
) -> (Stage, WriteOutcome) {
    store.before_applying(move |_| async move {
        tokio::time::sleep(left).await;
        Ok(())
    });
    let stage = Stage::over(store).await;
    let room = board("room");
    put_settings(&stage.router, &room, battle()).await;
    let clock: Clock = Arc::new(move || ends_at().minus(left));
    let writes = [stage.write(&room, "u1", 5)];
    let moment = Moment::of(&clock);
    let written = stage.router.write(&writes, moment, true).await.remove(0);
    (stage, written)
}

#[tokio::test]
async fn a_board_is_open_while_the_clock_stands_still() {
    for left in 1..5 {
        let (stage, written) = while_the_clock_stands_still(hooked(), MS * left).await;
        assert_eq!(stage.applied(&written), 5, "{left} ms");
    }
}

#[tokio::test]
async fn a_write_that_misses_its_instant_is_rejected_while_the_clock_stands_still() {
    for left in 1..5 {
        let store = hooked();
        store.ignore_clocks();
        let (stage, written) = while_the_clock_stands_still(store, MS * left).await;
        assert_over(&written);
        assert!(!is_created(&**stage.router.store(), &board("room")).await);
    }
}

#[tokio::test]
async fn a_name_reused_by_another_server_accepts_writes() {
    let [here, there] = Stage::two().await;
    let room = board("room");
    put_settings(&here.router, &room, battle()).await;
    here.send(&[here.write(&room, "u", 1)]).await;
    let late = |stage: &Stage| at(stage.write(&room, "u", 1), ends_at());
    let refused = here.router.write(&[late(&here)], ends_at(), false).await;
    assert_eq!(refused, [outside(ends_at(), battle())]);
    there.router.delete_board(&room, ends_at()).await.unwrap();
    for stage in [&there, &here] {
        let written = stage.router.write(&[late(stage)], ends_at(), false).await;
        assert_eq!(written, [WriteOutcome::Applied(Vec::new())]);
    }
}
