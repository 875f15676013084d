//! Many callers at once: no contribution is lost, and what is read is whole.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use board::{Member, Period, Window};
use shard_store::{KindRecord, Outcome, Reading, StoreError};
use tokio::task::JoinHandle;

use crate::dice::{Dice, runs};
use crate::given::{Board, DAY, Given, NOW, gifts, idle, kept, member, whole, window};

const ALL: Window = Window::ALL_TIME;
const WRITERS: u64 = 4;

/// Writers of one point a contribution, each for random members out of `members`.
fn writers(board: &Board, members: &[Member], batches: u64) -> Vec<JoinHandle<Vec<i64>>> {
    let write = |writer: u64| {
        let (board, members) = (board.clone(), members.to_vec());
        tokio::spawn(async move {
            let mut dice = Dice::new(writer);
            let mut given = vec![0; members.len()];
            for _ in 0..batches {
                let chosen: Vec<usize> = (0..20).map(|_| dice.below(members.len())).collect();
                let items = chosen
                    .iter()
                    .map(|who| board.points(&members[*who], 1, NOW));
                let outcomes = board.apply(&items.collect::<Vec<_>>(), NOW).await;
                assert_eq!(outcomes, vec![Outcome::Applied(Vec::new()); 20]);
                chosen.iter().for_each(|who| given[*who] += 1);
                tokio::task::yield_now().await;
            }
            given
        })
    };
    (0..WRITERS).map(write).collect()
}

/// Holds the board against what the writers gave.
async fn settle_up(board: &Board, members: &[Member], writers: Vec<JoinHandle<Vec<i64>>>) {
    let mut given = vec![0; members.len()];
    for writer in writers {
        let by_one = writer.await.unwrap();
        given
            .iter_mut()
            .zip(by_one)
            .for_each(|(sum, points)| *sum += points);
    }
    let rules = board.kind.rules();
    for window in board.kind.admit(NOW, NOW).unwrap().iter() {
        let mut held = vec![0; members.len()];
        for shard in board.shards() {
            for entry in board.entries(*window, shard).await {
                let who = members
                    .iter()
                    .position(|member| *member == entry.key.member);
                let points = rules.values_of(&entry.key.words).get(0).unwrap();
                if let Some(who) = who {
                    held[who] = points.get();
                }
            }
        }
        assert_eq!(held, given, "{window:?}");
    }
    board.verify().await;
}

fn named(count: usize) -> Vec<Member> {
    (0..count)
        .map(|number| member(&format!("u{number}")))
        .collect()
}

pub(crate) async fn none_is_lost_on_one_shard(given: Given) {
    let board = given.fresh(gifts(|spec| spec.shards = 1), "room-1").await;
    let members = named(500);
    let writers = writers(&board, &members, runs(200, 5000));
    settle_up(&board, &members, writers).await;
}

pub(crate) async fn none_is_lost_while_a_board_grows(given: Given) {
    let kind = gifts(|spec| {
        spec.shards = 16;
        spec.windows.push(kept(Period::Day, DAY));
    });
    let kind = given.kind(kind).await;
    let members = named(400);
    // Growth is soon over: many boards grow.
    for number in 0..runs(20, 500) {
        let board = given.born(&kind, &format!("room-{number}"), NOW).await;
        let writers = writers(&board, &members, 20);
        settle_up(&board, &members, writers).await;
    }
}

/// Sweeps without a pause while a task is under way.
fn sweeper(given: &Given, stop: &Arc<AtomicBool>) -> JoinHandle<u64> {
    let (store, stop) = (given.store.clone(), stop.clone());
    tokio::spawn(async move {
        let mut sweeps = 0;
        while !stop.load(Ordering::Acquire) {
            store.expire(NOW).await.unwrap();
            sweeps += 1;
            tokio::task::yield_now().await;
        }
        sweeps
    })
}

pub(crate) async fn none_is_lost_to_the_sweep(given: Given) {
    let kind = gifts(|spec| spec.windows = vec![idle(DAY), kept(Period::Day, DAY * 3)]);
    let kind = given.kind(kind).await;
    let members = named(300);
    for number in 0..runs(20, 500) {
        let room = format!("room-{number}");
        // Idle for a week, and large in windows past their time, when the writers come back.
        let then = NOW.minus(DAY * 8);
        let board = given.born(&kind, &room, then).await;
        let old = (0..3000).map(|number| member(&format!("old-{number}")));
        let old: Vec<_> = old.map(|member| board.points(&member, 1, then)).collect();
        board.apply(&old, then).await;
        let stop = Arc::new(AtomicBool::new(false));
        let sweeper = sweeper(&given, &stop);
        // The first contribution may find a board that has just gone. From then on it is there.
        let first = board.points(&member("first"), 1, NOW);
        let board = match board.try_apply(&[first], NOW, false).await {
            Ok(_) => board,
            Err(StoreError::Dead) => reborn(&given, &kind, &room).await,
            Err(error) => panic!("{error}"),
        };
        let writers = writers(&board, &members, 50);
        settle_up(&board, &members, writers).await;
        stop.store(true, Ordering::Release);
        assert!(sweeper.await.unwrap() > 0);
    }
}

/// A board with a contribution of today: one that nobody has contributed to yet may go again.
async fn reborn(given: &Given, kind: &KindRecord, room: &str) -> Board {
    loop {
        let board = given.born(kind, room, NOW).await;
        let first = board.points(&member("first"), 1, NOW);
        if board.try_apply(&[first], NOW, false).await.is_ok() {
            return board;
        }
    }
}

/// Each reading by itself: ranks without gaps, nobody twice, strictly best first.
fn assert_whole(reading: &Reading) {
    let parts = reading.parts.as_ref().unwrap();
    let (top, rest) = (&parts[0], &parts[1]);
    assert_eq!(
        top.entries.len() as u64 + rest.entries.len() as u64,
        reading.members
    );
    assert_eq!((top.start, rest.start), (0, top.entries.len() as u64));
    let entries: Vec<_> = top.entries.iter().chain(&rest.entries).collect();
    assert!(entries.windows(2).all(|pair| pair[0].key > pair[1].key));
    let members: HashSet<_> = entries.iter().map(|entry| &entry.key.member).collect();
    assert_eq!(members.len(), entries.len(), "nobody stands twice");
}

pub(crate) async fn readings_are_whole_while_others_write(given: Given) {
    let kind = gifts(|spec| {
        spec.shards = 4;
        spec.windows.push(kept(Period::Day, DAY));
    });
    let board = given.fresh(kind, "room-1").await;
    let members = named(1200);
    let stop = Arc::new(AtomicBool::new(false));
    let read = |reader: u64| {
        let (board, stop) = (board.clone(), stop.clone());
        tokio::spawn(async move {
            let mut dice = Dice::new(reader);
            let mut latest = vec![0; 4];
            let mut readings = 0;
            while !stop.load(Ordering::Acquire) {
                let shard = u16::try_from(dice.below(4)).unwrap();
                let window = *dice.pick(&[ALL, window(Period::Day, NOW)]);
                let mut query = whole(window);
                let half = dice.below(200);
                let mut rest = query.asks[0].clone();
                rest.anchor = shard_store::Anchor::Rank(half as u64);
                query.asks[0].after = half;
                query.asks.push(rest);
                let reading = board.read(shard, &query).await;
                assert_whole(&reading);
                if window == ALL {
                    let latest = &mut latest[usize::from(shard)];
                    assert!(*latest <= reading.version.counter);
                    *latest = reading.version.counter;
                }
                readings += 1;
                tokio::task::yield_now().await;
            }
            readings
        })
    };
    let readers: Vec<_> = (0..2).map(read).collect();
    let writers = writers(&board, &members, runs(150, 5000));
    settle_up(&board, &members, writers).await;
    stop.store(true, Ordering::Release);
    for reader in readers {
        assert!(reader.await.unwrap() > 0);
    }
}
