//! Many callers at once: no contribution is lost, and what is read is whole.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use board::{Member, Period, Window};
use shard_store::{Anchor, Outcome, ShardReading};
use tokio::task::JoinHandle;

use crate::fixtures::{Board, DAY, NOW, OpenStore, gifts, kept, member, whole, window};
use testkit::dice::{Dice, runs};

const ALL: Window = Window::ALL_TIME;
const WRITERS: u64 = 4;

/// Writers of one point a contribution, each for random members out of `members`.
#[must_use]
pub fn writers(board: &Board, members: &[Member], batches: u64) -> Vec<JoinHandle<Vec<i64>>> {
    let write = |writer: u64| {
        let (board, members) = (board.clone(), members.to_vec());
        tokio::spawn(async move {
            let mut dice = Dice::new(writer);
            let mut added = vec![0; members.len()];
            for _ in 0..batches {
                let chosen: Vec<usize> = (0..20).map(|_| dice.below(members.len())).collect();
                let items = chosen
                    .iter()
                    .map(|who| board.points(&members[*who], 1, NOW));
                let outcomes = board.apply(&items.collect::<Vec<_>>(), NOW).await;
                assert_eq!(outcomes, vec![Outcome::Applied(Vec::new()); 20]);
                for who in chosen {
                    added[who] += 1;
                }
                tokio::task::yield_now().await;
            }
            added
        })
    };
    (0..WRITERS).map(write).collect()
}

/// Compares the board with what the writers added.
pub async fn settle_up(board: &Board, members: &[Member], writers: Vec<JoinHandle<Vec<i64>>>) {
    let mut added = vec![0; members.len()];
    for writer in writers {
        let by_one = writer.await.unwrap();
        added
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
        assert_eq!(held, added, "{window:?}");
    }
    board.verify().await;
}

#[must_use]
pub fn named(count: usize) -> Vec<Member> {
    (0..count)
        .map(|number| member(&format!("u{number}")))
        .collect()
}

pub async fn none_is_lost_on_one_shard(store: OpenStore) {
    let board = store.fresh(gifts(|spec| spec.shards = 1), "room-1").await;
    let members = named(500);
    let writers = writers(&board, &members, runs(200, 5000));
    settle_up(&board, &members, writers).await;
}

pub async fn none_is_lost_while_a_board_grows(store: OpenStore) {
    let kind = gifts(|spec| {
        spec.shards = 16;
        spec.windows.push(kept(Period::Day, DAY));
    });
    let kind = store.kind(kind).await;
    let members = named(400);
    // Growth is soon over: many boards grow.
    for number in 0..runs(20, 500) {
        let board = store.created(&kind, &format!("room-{number}"), NOW).await;
        let writers = writers(&board, &members, 20);
        settle_up(&board, &members, writers).await;
    }
}

/// Each reading by itself: ranks without gaps, nobody twice, strictly best first.
fn assert_whole(reading: &ShardReading) {
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

pub async fn readings_are_whole_while_others_write(store: OpenStore) {
    let kind = gifts(|spec| {
        spec.shards = 4;
        spec.windows.push(kept(Period::Day, DAY));
    });
    let board = store.fresh(kind, "room-1").await;
    let members = named(1200);
    let stop = Arc::new(AtomicBool::new(false));
    let read = |reader: u64| {
        let (board, stop) = (board.clone(), stop.clone());
        tokio::spawn(async move {
            let mut dice = Dice::new(reader);
            let mut latest = [0; 4];
            let mut readings = 0;
            while !stop.load(Ordering::Acquire) {
                let shard = u16::try_from(dice.below(4)).unwrap();
                let window = *dice.pick(&[ALL, window(Period::Day, NOW)]);
                let mut query = whole(window);
                let half = dice.below(200);
                let mut first = query.ranges[0].clone();
                let mut rest = first.clone();
                first.after = half;
                rest.anchor = Anchor::Rank(half as u64);
                query.ranges = [first, rest].into();
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
    let writers = writers(&board, &members, runs(150, 2_500));
    settle_up(&board, &members, writers).await;
    stop.store(true, Ordering::Release);
    for reader in readers {
        assert!(reader.await.unwrap() > 0);
    }
}
