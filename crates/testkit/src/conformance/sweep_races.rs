//! Writes that race with a sweep are not lost.
//!
//! If a board is written to while the sweep finds it idle, the sweep either keeps all of it or has
//! dropped it before the write.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use board::{Activity, Kind, Member, Period, Timestamp, Window, WindowRule};
use shard_store::{Item, KindRecord, Outcome, StoreError};
use tokio::sync::Barrier;
use tokio::task::JoinHandle;

use crate::conformance::fixtures::writers::{check_sums, members_named, start_writers};
use crate::conformance::fixtures::{Board, DAY, HOUR, NOW, OpenStore, gifts, idle, kept, member};

const ALL: Window = Window::ALL_TIME;

/// Sweeps repeatedly until it is stopped.
fn sweeper(store: &OpenStore, now: Timestamp, start: Arc<Barrier>) -> (JoinHandle<()>, Stop) {
    let stop = Stop::default();
    let (store, stopped) = (store.shared(), stop.clone());
    let sweeping = tokio::spawn(async move {
        start.wait().await;
        loop {
            store.drop_expired(now).await.unwrap();
            if stopped.0.load(Ordering::Acquire) {
                return;
            }
            tokio::task::yield_now().await;
        }
    });
    (sweeping, stop)
}

#[derive(Clone, Default)]
struct Stop(Arc<AtomicBool>);

/// A board that is kept for its months, with two members, on its first and last shards.
struct Room {
    board: Board,
    witness: Member,
    writer: Member,
    /// The points of each in the all-time window.
    points: i64,
}

impl Room {
    async fn new(store: &OpenStore, kind: &KindRecord, number: u64) -> Self {
        let board = store.created(kind, &format!("room-{number:04}"), NOW).await;
        let last = board.record.shards.get() - 1;
        Self {
            witness: board.members_of(0, 1).remove(0),
            writer: board.members_of(last, 1).remove(0),
            board,
            points: 0,
        }
    }

    async fn give(&self, member: &Member, now: Timestamp) {
        let outcomes = self
            .board
            .apply(&[self.board.points(member, 1, now)], now)
            .await;
        assert_eq!(outcomes, [Outcome::Applied(Vec::new())]);
    }

    /// Checks that both members have the same points as before, plus one for the writer, or that
    /// only the writer's last point is left.
    async fn check(&mut self) {
        let held = (
            self.board.points_of(ALL, &self.witness).await,
            self.board.points_of(ALL, &self.writer).await,
        );
        let stayed = (Some(self.points), Some(self.points + 1));
        assert!(
            held == stayed || held == (None, Some(1)),
            "{held:?} after {stayed:?}"
        );
        self.points = held.1.unwrap();
    }
}

pub async fn an_idle_window_is_dropped_before_a_racing_write_or_kept(store: OpenStore) {
    let windows = vec![idle(DAY * 7), kept(Period::Month, DAY * 100_000)];
    let kind = store.kind(gifts(|spec| spec.windows = windows)).await;
    let mut rooms = Vec::new();
    for number in 0..100 {
        rooms.push(Room::new(&store, &kind, number).await);
    }
    let mut now = NOW;
    for _ in 0..store.runs(40, 600) {
        for room in &mut rooms {
            // The witness gets as many points as the writer has, and then there is a long pause.
            let points = room.board.points_of(ALL, &room.witness).await.unwrap_or(0);
            for _ in points..room.points.max(1) {
                room.give(&room.witness, now).await;
            }
            if room.points == 0 {
                room.give(&room.writer, now).await;
                room.points = 1;
            }
        }
        now = now.plus(DAY * 8);
        let start = Arc::new(Barrier::new(2));
        let (sweeping, stop) = sweeper(&store, now, start.clone());
        start.wait().await;
        for room in &rooms {
            room.give(&room.writer, now).await;
        }
        stop.0.store(true, Ordering::Release);
        sweeping.await.unwrap();
        for room in &mut rooms {
            room.check().await;
        }
    }
    for room in &rooms {
        room.board.verify().await;
    }
}

pub async fn an_idle_board_is_deleted_before_a_racing_write_or_kept(store: OpenStore) {
    let kind = gifts(|spec| spec.windows = vec![idle(DAY * 7)]);
    race_deletions(store, kind, Activity::ALWAYS).await;
}

pub async fn a_board_of_its_own_idle_time_is_deleted_before_a_racing_write_or_kept(
    store: OpenStore,
) {
    let week = Activity::ALWAYS.with_idle(Some(DAY * 7)).unwrap();
    race_deletions(store, gifts(|_| ()), week).await;
}

async fn race_deletions(store: OpenStore, kind: Kind, activity: Activity) {
    let kind = store.kind(kind).await;
    let mut now = NOW;
    for _ in 0..store.runs(40, 600) {
        let mut boards = Vec::new();
        for number in 0..100 {
            let subject = format!("room-{number:04}");
            let board = store.settled(&kind, &subject, activity, now).await;
            board
                .apply(&[board.points(&member("u1"), 1, now)], now)
                .await;
            boards.push(board);
        }
        now = now.plus(DAY * 8);
        let start = Arc::new(Barrier::new(2));
        let (sweeping, stop) = sweeper(&store, now, start.clone());
        start.wait().await;
        let mut results = Vec::new();
        for board in &boards {
            let item = board.points(&member("u2"), 1, now);
            results.push(board.try_apply(&[item], now, false).await);
        }
        stop.0.store(true, Ordering::Release);
        sweeping.await.unwrap();
        for (board, result) in boards.iter().zip(results) {
            let there = store.board(&board.record.name).await.unwrap();
            match result {
                Ok(_) => {
                    assert_eq!(there.as_ref(), Some(&board.record), "the write was applied");
                    assert_eq!(board.points_of(ALL, &member("u2")).await, Some(1));
                    store.delete_board(&board.record.name, now).await.unwrap();
                }
                Err(StoreError::IncarnationEnded) => {
                    assert_eq!(there, None, "the write was refused");
                }
                Err(error) => panic!("{error}"),
            }
        }
    }
}

pub async fn no_write_is_lost_while_large_windows_are_dropped(store: OpenStore) {
    let kind = gifts(|spec| {
        spec.windows = vec![kept(Period::Hour, DAY), kept(Period::Day, DAY * 3)];
        spec.windows.push(WindowRule::with_defaults(Period::All));
    });
    let kind = store.kind(kind).await;
    let members = members_named(300);
    for number in 0..store.runs(5, 200) {
        let board = store.created(&kind, &format!("room-{number}"), NOW).await;
        let mut items = Vec::new();
        for (index, old) in members_named(10_000).iter().enumerate() {
            // Seventy hours and several days in which no other member has a standing.
            let then = NOW
                .minus(DAY * 4)
                .minus(HOUR * u32::try_from(index % 70).unwrap());
            let item = board.points(old, 0, then);
            items.push(Item { at: then, ..item });
        }
        board.apply(&items, NOW.minus(DAY * 4)).await;
        let start = Arc::new(Barrier::new(2));
        let (sweeping, stop) = sweeper(&store, NOW, start.clone());
        start.wait().await;
        let writers = start_writers(&board, &members, 50);
        check_sums(&board, &members, writers).await;
        stop.0.store(true, Ordering::Release);
        sweeping.await.unwrap();
        let mut windows: Vec<_> = board.kind.admit(NOW, NOW).unwrap().to_vec();
        windows.sort_unstable();
        for shard in board.shards() {
            let left = store.windows(&board.record, shard).await.unwrap();
            let mut left: Vec<_> = left.iter().map(|count| count.window).collect();
            left.sort_unstable();
            assert_eq!(left, windows, "shard {shard}");
        }
        store.delete_board(&board.record.name, NOW).await.unwrap();
    }
}
