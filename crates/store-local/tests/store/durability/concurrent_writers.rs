//! Concurrent writers, until a power cut or the end of the process. Afterwards each finds everything
//! that was acknowledged to it, in order, and what it sends again counts once.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use board::{Member, Window};
use shard_store::{Outcome, StoreError};
use store_local::LocalStore;

use crate::durability::durable::{self, Durability, LocalSettings, NEVER, settings};
use disk::fixtures::{Operation, SimDisk, Trap};
use testkit::conformance::fixtures::{Board, NOW, board_name, gifts, member};
use testkit::dice::{Dice, Seed, runs};

const WRITERS: u64 = 8;

/// The number of contributions of one batch.
const BATCH: u64 = 3;

const ALL: Window = Window::ALL_TIME;

async fn board_in(store: &Arc<LocalStore>) -> Board {
    durable::found(store, &board_name("gifts", "room")).await
}

/// A new store with one durable board.
async fn opened(disk: &SimDisk, settings: &LocalSettings) -> Arc<LocalStore> {
    let store = durable::open(disk, settings).unwrap();
    durable::board(&store, gifts(|_| ()), "room", NOW).await;
    durable::snapshot(&store).unwrap();
    store
}

/// One writer, its member, and how much was acknowledged to it.
struct Writer {
    member: Member,
    board: Board,
    answered: Arc<AtomicU64>,
}

impl Writer {
    async fn write(self, until: Arc<AtomicBool>) {
        while !until.load(Ordering::Relaxed) {
            let from = self.answered.load(Ordering::SeqCst);
            match send(&self.board, &self.member, from..from + BATCH).await {
                Ok(outcomes) => assert_eq!(outcomes, vec![applied(); outcomes.len()]),
                Err(StoreError::Unavailable(_) | StoreError::Unknown(_)) => return,
                Err(other) => panic!("{other}"),
            }
            self.answered.store(from + BATCH, Ordering::SeqCst);
        }
    }
}

fn applied() -> Outcome {
    Outcome::Applied(Vec::new())
}

fn duplicate() -> Outcome {
    Outcome::Duplicate(Vec::new())
}

/// One point for each number, with its id.
async fn send(
    board: &Board,
    member: &Member,
    numbers: std::ops::Range<u64>,
) -> Result<Vec<Outcome>, StoreError> {
    let item = |number| board.points_by_id(member, 1, &format!("evt-{number}"), NOW);
    let items: Vec<_> = numbers.map(item).collect();
    board.try_apply(&items, NOW, false).await
}

/// Checks that a member has what was acknowledged and at most one batch more; sent again, it counts
/// once.
async fn check(board: &Board, member: &Member, answered: u64, at_most: u64) {
    let points = board.points_of(ALL, member).await.unwrap_or(0);
    let points = points.unsigned_abs();
    assert!(
        (answered..=at_most).contains(&points) && points.is_multiple_of(BATCH),
        "{member:?} has {answered} acknowledged points and finds {points}"
    );
    let again = send(board, member, 0..at_most).await.unwrap();
    for (number, outcome) in (0..).zip(again) {
        let expected = if number < points {
            duplicate()
        } else {
            applied()
        };
        assert_eq!(outcome, expected, "evt-{number} of {points}");
    }
    let all = board.points_of(ALL, member).await.unwrap_or(0);
    assert_eq!(all.unsigned_abs(), at_most);
}

/// Takes snapshots until one fails or there are enough.
fn snap(store: Arc<LocalStore>, until: Arc<AtomicBool>) -> std::thread::JoinHandle<()> {
    std::thread::spawn(
        move || {
            while !until.load(Ordering::Relaxed) && durable::snapshot(&store).is_ok() {}
        },
    )
}

struct Writers {
    answered: Vec<Arc<AtomicU64>>,
    ended: Arc<AtomicBool>,
}

impl Writers {
    fn new() -> Self {
        Self {
            answered: (0..WRITERS).map(|_| Arc::default()).collect(),
            ended: Arc::default(),
        }
    }

    fn members(&self) -> impl Iterator<Item = (Member, Arc<AtomicU64>)> {
        let named = (0..).zip(self.answered.clone());
        named.map(|(number, answered): (u32, _)| (member(&format!("u{number}")), answered))
    }

    /// Runs all writers, and takes snapshots if requested, until a write is rejected or they are
    /// ended.
    async fn write(&self, store: Arc<LocalStore>, snapshots: bool) {
        let board = board_in(&store).await;
        let writers = self.members().map(|(member, answered)| Writer {
            member,
            board: board.clone(),
            answered,
        });
        let writers = writers.map(|writer| tokio::spawn(writer.write(self.ended.clone())));
        let writers: Vec<_> = writers.collect();
        let snapper = snapshots.then(|| snap(store.clone(), self.ended.clone()));
        for writer in writers {
            writer.await.unwrap();
        }
        self.ended.store(true, Ordering::Relaxed);
        if let Some(snapper) = snapper {
            snapper.join().unwrap();
        }
    }

    /// Returns how much was acknowledged to each.
    fn acknowledged(&self) -> Vec<u64> {
        let answered = self.answered.iter();
        answered
            .map(|answered| answered.load(Ordering::SeqCst))
            .collect()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn acknowledged_writes_survive_a_power_loss() {
    let seed = Seed::of_this_run();
    let mut dice = Dice::new(seed.0);
    for _ in 0..runs(20, 1_500) {
        let disk = SimDisk::default();
        let store = opened(&disk, &settings()).await;
        let writers = Writers::new();
        disk.halt_after(1 + dice.word() % 100);
        writers.write(store, dice.one_in(2)).await;
        for _ in 0..2 {
            let found = disk.crash(dice.word());
            let store = durable::open(&found, &settings()).unwrap();
            let board = board_in(&store).await;
            for ((member, _), acknowledged) in writers.members().zip(writers.acknowledged()) {
                check(&board, &member, acknowledged, acknowledged + BATCH).await;
            }
            board.verify().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn acknowledged_writes_survive_a_kill_with_durability_interval() {
    let seed = Seed::of_this_run();
    let mut dice = Dice::new(seed.0);
    let settings = LocalSettings {
        durability: Durability::Interval(NEVER),
        ..settings()
    };
    for _ in 0..runs(20, 1_500) {
        let disk = SimDisk::default();
        let store = opened(&disk, &settings).await;
        let writers = Arc::new(Writers::new());
        // What was acknowledged before the end of the process; later responses are lost.
        let found = Arc::new(Mutex::new(None));
        let (watched, image, there) = (writers.clone(), found.clone(), disk.clone());
        let trapped_write = dice.word() % 100;
        disk.set(Trap::runs(
            Operation::Write,
            "journal",
            trapped_write,
            move || {
                let acknowledged = watched.acknowledged();
                *image.lock().unwrap() = Some((acknowledged, there.killed()));
                watched.ended.store(true, Ordering::Relaxed);
            },
        ));
        writers.write(store, dice.one_in(2)).await;
        let (acknowledged, found) = found.lock().unwrap().take().unwrap();
        let store = durable::open(&found, &settings).unwrap();
        let board = board_in(&store).await;
        for ((member, answered), acknowledged) in writers.members().zip(acknowledged) {
            let at_most = answered.load(Ordering::SeqCst) + BATCH;
            check(&board, &member, acknowledged, at_most).await;
        }
        board.verify().await;
    }
}
