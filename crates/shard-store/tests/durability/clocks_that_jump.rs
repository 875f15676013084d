//! A sweep under a clock that has jumped ahead drops nothing, before a restart and after it; one that
//! stays there is trusted after the pause.

use std::sync::Arc;
use std::time::{Duration, Instant};

use board::{Period, Timestamp, Window};
use shard_store::{Revision, ShardStore};

use crate::durable::{self, EmbeddedSettings, settings};
use crate::given::{Board, DAY, HOUR, MINUTE, NOW, board_name, gifts, idle, kept, member, window};
use crate::sim::SimDisk;

const DEADLINE: Duration = Duration::from_secs(30);

fn settings_with(clock_pause: Duration) -> EmbeddedSettings {
    EmbeddedSettings {
        clock_pause,
        ..settings()
    }
}

fn hours() -> [Window; 2] {
    [NOW, NOW.minus(HOUR * 30)].map(|at| window(Period::Hour, at))
}

/// A store with a board of two hours, kept for two days, and of all time, kept for a month.
async fn filled(disk: &SimDisk, clock_pause: Duration) -> Board {
    let store = durable::open(disk, &settings_with(clock_pause)).unwrap();
    // As a server does when it starts: an empty store has nothing else to go by.
    store.expire(NOW).await.unwrap();
    let kind = gifts(|spec| spec.windows = vec![kept(Period::Hour, DAY * 2), idle(DAY * 30)]);
    let kind = store
        .put_kind(Arc::new(kind), Revision::default(), true)
        .await
        .unwrap();
    let name = board_name("gifts", "a");
    let board = Board {
        record: store.birth(&name, &kind, None, NOW).await.unwrap(),
        kind: kind.kind.unwrap(),
        store,
    };
    let change = board.points(&member("u"), 1, NOW).change;
    for at in [NOW, NOW.minus(HOUR * 30)] {
        let item = board.item(&member("u"), change, at, NOW);
        board.apply(&[item], NOW).await;
    }
    board
}

fn again(disk: &SimDisk, board: &Board, clock_pause: Duration) -> Board {
    let store = durable::open(&disk.killed(), &settings_with(clock_pause)).unwrap();
    Board {
        store,
        ..board.clone()
    }
}

async fn sweep(board: &Board, now: Timestamp) -> [bool; 2] {
    board.store.expire(now).await.unwrap();
    let [new, old] = hours();
    [board.is_dropped(new).await, board.is_dropped(old).await]
}

#[tokio::test]
async fn a_jump_ahead_drops_nothing_that_a_clock_gone_right_keeps() {
    let disk = SimDisk::default();
    let mut board = filled(&disk, HOUR).await;
    for _ in 0..2 {
        assert_eq!(sweep(&board, NOW.plus(MINUTE)).await, [false, false]);
        for _ in 0..3 {
            assert_eq!(sweep(&board, NOW.plus(DAY * 3)).await, [false, false]);
        }
        assert_eq!(board.members(Window::ALL_TIME).await, 1);
        // The clock is set right again, and the next start meets a wrong one first.
        assert_eq!(sweep(&board, NOW.plus(MINUTE)).await, [false, false]);
        board = again(&disk, &board, HOUR);
        assert_eq!(sweep(&board, NOW.plus(DAY * 3)).await, [false, false]);
    }
}

#[tokio::test]
async fn what_is_past_its_time_by_a_clock_that_is_right_is_dropped() {
    let disk = SimDisk::default();
    let board = filled(&disk, HOUR).await;
    // Somebody writes until then: a start goes by the last write.
    let later = NOW.plus(HOUR * 20);
    let points = board.points(&member("v"), 1, later);
    board.apply(&[points], later).await;
    let board = again(&disk, &board, HOUR);
    assert_eq!(sweep(&board, later).await, [false, true]);
}

#[tokio::test]
async fn a_clock_that_stays_ahead_or_is_confirmed_is_trusted() {
    let disk = SimDisk::default();
    let board = filled(&disk, Duration::from_millis(20)).await;
    let deadline = Instant::now() + DEADLINE;
    assert_eq!(sweep(&board, NOW.plus(DAY * 3)).await, [false, false]);
    while sweep(&board, NOW.plus(DAY * 3)).await != [true, true] {
        assert!(Instant::now() < deadline, "it is never trusted");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }

    let disk = SimDisk::default();
    let board = filled(&disk, HOUR).await;
    assert_eq!(sweep(&board, NOW.plus(DAY * 3)).await, [false, false]);
    let board = again(&disk, &board, Duration::ZERO);
    assert_eq!(sweep(&board, NOW.plus(DAY * 3)).await, [true, true]);
}
