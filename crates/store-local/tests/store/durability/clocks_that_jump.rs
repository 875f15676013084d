//! A sweep with a clock that has jumped ahead drops nothing until the clock has stayed there for
//! `clock_pause`, nor soon after a start long after the last write.

use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use board::{Period, ShardCount, Timestamp, Window};
use shard_store::{BoardSettings, Revision, ShardStore};
use store_local::Disk as _;

use crate::durability::durable::{self, DEADLINE, LocalSettings, settings};
use disk::fixtures::SimDisk;
use testkit::conformance::fixtures::{
    Board, DAY, HOUR, board_name, gifts, idle, kept, member, window,
};

/// A pause that a test waits for.
const SHORT: Duration = Duration::from_millis(20);

/// When these tests began: a store uses the clock of its process.
static BEGAN: LazyLock<Timestamp> = LazyLock::new(|| {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    Timestamp::from_millis(since.as_millis().try_into().unwrap())
});

/// Returns whether the next start of a folder has to wait for its clock.
fn is_marked(disk: &SimDisk) -> bool {
    disk.list()
        .unwrap()
        .iter()
        .any(|name| name == "clock-unconfirmed")
}

fn settings_with(clock_pause: Duration) -> LocalSettings {
    LocalSettings {
        clock_pause,
        ..settings()
    }
}

/// A board of two hours, kept for two days, and of all time, kept for a month.
struct Filled {
    board: Board,
    hours: [Window; 2],
}

impl Filled {
    /// Creates and fills one at a time.
    async fn at(now: Timestamp, disk: &SimDisk, clock_pause: Duration) -> Self {
        let store = durable::open(disk, &settings_with(clock_pause)).unwrap();
        let kind = gifts(|spec| spec.windows = vec![kept(Period::Hour, DAY * 2), idle(DAY * 30)]);
        let board = durable::board(&store, kind, "a", now).await;
        let change = board.points(&member("u"), 1, now).change;
        let times = [now, now.minus(HOUR * 30)];
        for at in times {
            let item = board.item(&member("u"), change, at, now);
            board.apply(&[item], now).await;
        }
        let hours = times.map(|at| window(Period::Hour, at));
        Self { board, hours }
    }

    /// Opens it again, as after a kill of the process.
    fn again(&self, disk: &SimDisk, clock_pause: Duration) -> Self {
        self.on(&disk.killed(), clock_pause)
    }

    /// Opens it again on a disk.
    fn on(&self, disk: &SimDisk, clock_pause: Duration) -> Self {
        let store = durable::open(disk, &settings_with(clock_pause)).unwrap();
        let board = Board {
            store,
            ..self.board.clone()
        };
        Self {
            board,
            hours: self.hours,
        }
    }

    /// Returns which of the hours a sweep drops when the clock shows this.
    async fn sweep(&self, own: Timestamp) -> [bool; 2] {
        let store = &self.board.store;
        store.drop_expired(store.time(own)).await.unwrap();
        let [new, old] = self.hours;
        [
            self.board.is_dropped(new).await,
            self.board.is_dropped(old).await,
        ]
    }

    /// Waits until the store uses the clock that has jumped.
    async fn follow(&self, own: Timestamp) {
        let deadline = Instant::now() + DEADLINE;
        while self.board.store.time(own) != own {
            assert!(Instant::now() < deadline, "it is never gone by");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Checks that a start on the folder drops everything, and no longer waits for the clock.
    async fn is_gone_by_in_the_end(&self, folder: &SimDisk) {
        let again = self.on(folder, SHORT);
        again.drops_all_in_the_end(*BEGAN).await;
        assert!(!is_marked(folder));
    }

    async fn drops_all_in_the_end(&self, own: Timestamp) {
        let deadline = Instant::now() + DEADLINE;
        while self.sweep(own).await != [true, true] {
            assert!(Instant::now() < deadline, "it is never gone by");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

#[tokio::test]
async fn a_jump_ahead_drops_nothing_that_the_corrected_clock_keeps() {
    let disk = SimDisk::default();
    let mut filled = Filled::at(*BEGAN, &disk, HOUR).await;
    for _ in 0..2 {
        assert_eq!(filled.sweep(*BEGAN).await, [false, false]);
        for _ in 0..3 {
            assert_eq!(filled.sweep(BEGAN.plus(DAY * 3)).await, [false, false]);
        }
        assert_eq!(filled.board.members(Window::ALL_TIME).await, 1);
        // The clock is corrected.
        assert_eq!(filled.sweep(*BEGAN).await, [false, false]);
        filled = filled.again(&disk, HOUR);
        assert_eq!(filled.sweep(BEGAN.plus(DAY * 3)).await, [false, false]);
    }
}

#[tokio::test]
async fn expired_data_is_dropped_by_a_clock_that_is_right() {
    let disk = SimDisk::default();
    let filled = Filled::at(BEGAN.minus(HOUR * 20), &disk, HOUR).await;
    assert_eq!(filled.sweep(*BEGAN).await, [false, true]);
    // The same if it is opened soon after the last write.
    let disk = SimDisk::default();
    let filled = Filled::at(BEGAN.minus(HOUR * 20), &disk, HOUR).await;
    let points = filled.board.points(&member("v"), 1, *BEGAN);
    filled.board.apply(&[points], *BEGAN).await;
    let filled = filled.again(&disk, HOUR);
    assert_eq!(filled.sweep(*BEGAN).await, [false, true]);
}

#[tokio::test]
async fn a_start_long_after_the_last_write_drops_nothing_for_the_pause() {
    let disk = SimDisk::default();
    let filled = Filled::at(BEGAN.minus(DAY * 3), &disk, HOUR).await;
    let again = filled.again(&disk, HOUR);
    for _ in 0..3 {
        assert_eq!(again.sweep(*BEGAN).await, [false, false]);
    }
    // The settings that close the name of a board that has ended are dated ahead, and are not a
    // write.
    let Board { store, record, .. } = &filled.board;
    let kind = store.kinds().await.unwrap().remove(0);
    let closed = board_name("gifts", "closed");
    let settled = store.put_settings(&closed, &kind, record.shards.into(), BEGAN.plus(DAY * 20));
    settled.await.unwrap();
    let again = filled.again(&disk, HOUR);
    for _ in 0..3 {
        assert_eq!(again.sweep(*BEGAN).await, [false, false]);
    }
    let again = filled.again(&disk, SHORT);
    again.drops_all_in_the_end(*BEGAN).await;
    let again = filled.again(&disk, Duration::ZERO);
    assert_eq!(again.sweep(*BEGAN).await, [true, true]);
}

#[tokio::test]
async fn a_write_by_a_clock_that_is_not_confirmed_confirms_it_for_no_restart() {
    let disk = SimDisk::default();
    let filled = Filled::at(BEGAN.minus(DAY * 3), &disk, HOUR).await;
    assert!(!is_marked(&disk));
    let ahead = disk.killed();
    let started = filled.on(&ahead, HOUR);
    // It survives a crash as soon as anything is written.
    let points = started.board.points(&member("v"), 1, *BEGAN);
    started.board.apply(&[points], *BEGAN).await;
    for seed in 0..10 {
        let crashed = ahead.crash(seed);
        assert!(is_marked(&crashed));
        let again = filled.on(&crashed, HOUR);
        for _ in 0..3 {
            assert_eq!(again.sweep(*BEGAN).await, [false, false]);
        }
        // However often it is restarted.
        let again = filled.again(&crashed, HOUR);
        assert_eq!(again.sweep(*BEGAN).await, [false, false]);
    }
    filled.is_gone_by_in_the_end(&ahead.killed()).await;
}

#[tokio::test]
async fn later_starts_detect_what_a_wrong_clock_wrote() {
    let right = BEGAN.minus(DAY * 3);
    let disk = SimDisk::default();
    let filled = Filled::at(right, &disk, HOUR).await;
    let ahead = disk.killed();
    let started = filled.on(&ahead, SHORT);
    let points = started.board.points(&member("v"), 1, *BEGAN);
    started.board.apply(&[points], *BEGAN).await;
    // Once corrected, the clock is used after the pause; but the last write is dated in the future.
    started.follow(right).await;
    assert_eq!(started.sweep(right).await, [false, false]);
    assert!(is_marked(&ahead));
    // The same wrong clock again, at each start.
    for _ in 0..2 {
        let again = filled.on(&ahead.killed(), HOUR);
        for _ in 0..3 {
            assert_eq!(again.sweep(*BEGAN).await, [false, false]);
        }
    }
    // It was right after all.
    filled.is_gone_by_in_the_end(&ahead.killed()).await;
}

#[tokio::test]
async fn each_start_waits_while_the_last_write_is_dated_in_the_future() {
    let ahead = BEGAN.plus(DAY * 3);
    let disk = SimDisk::default();
    let filled = Filled::at(ahead, &disk, SHORT).await;
    assert!(!is_marked(&disk));
    let folder = disk.killed();
    let started = filled.on(&folder, SHORT);
    assert!(is_marked(&folder));
    assert_eq!(started.sweep(*BEGAN).await, [false, false]);
    assert!(is_marked(&folder));
    started.drops_all_in_the_end(BEGAN.plus(DAY * 6)).await;
    assert!(!is_marked(&folder));
    // A clock that was followed while it ran, and is set back.
    started.follow(*BEGAN).await;
    started.sweep(*BEGAN).await;
    assert!(is_marked(&folder));
    // If any clock is trusted, there is no wait.
    let folder = disk.killed();
    filled.on(&folder, Duration::ZERO).sweep(*BEGAN).await;
    assert!(!is_marked(&folder));
}

#[tokio::test]
async fn a_clock_that_stays_ahead_or_is_confirmed_is_trusted() {
    let disk = SimDisk::default();
    let filled = Filled::at(*BEGAN, &disk, SHORT).await;
    filled.drops_all_in_the_end(BEGAN.plus(DAY * 3)).await;

    let disk = SimDisk::default();
    let filled = Filled::at(*BEGAN, &disk, HOUR).await;
    assert_eq!(filled.sweep(BEGAN.plus(DAY * 3)).await, [false, false]);
    let again = filled.again(&disk, Duration::ZERO);
    assert_eq!(again.sweep(BEGAN.plus(DAY * 3)).await, [true, true]);
}

#[tokio::test]
async fn a_start_on_settings_alone_drops_none_of_them_for_the_pause() {
    let disk = SimDisk::default();
    let store = durable::open(&disk, &settings_with(durable::NEVER)).unwrap();
    let kind = Arc::new(gifts(|_| ()));
    let kind = store.put_kind(kind, Revision::default(), true).await;
    let (kind, name) = (kind.unwrap(), board_name("gifts", "a"));
    let settings: BoardSettings = ShardCount::new(4).unwrap().into();
    store
        .put_settings(&name, &kind, settings, *BEGAN)
        .await
        .unwrap();
    for (pause, is_kept) in [
        (durable::NEVER, true),
        (durable::NEVER, true),
        (Duration::ZERO, false),
    ] {
        let store = durable::open(&disk.killed(), &settings_with(pause)).unwrap();
        store.drop_expired(BEGAN.plus(DAY * 31)).await.unwrap();
        let there = store.board(&name).await.unwrap();
        assert_eq!(there.is_some(), is_kept, "{pause:?}");
    }
}
