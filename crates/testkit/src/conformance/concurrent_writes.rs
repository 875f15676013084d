//! Concurrent callers: no contribution is lost, and reads are consistent.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use board::{Period, Window};
use shard_store::{Anchor, ShardReading};

use crate::conformance::fixtures::writers::{check_sums, members_named, start_writers};
use crate::conformance::fixtures::{DAY, NOW, OpenStore, gifts, kept, whole, window};
use crate::dice::{Dice, runs};

const ALL: Window = Window::ALL_TIME;

pub async fn no_contribution_is_lost_on_one_shard(store: OpenStore) {
    let board = store.fresh(gifts(|spec| spec.shards = 1), "room-1").await;
    let members = members_named(500);
    let writers = start_writers(&board, &members, runs(200, 5000));
    check_sums(&board, &members, writers).await;
}

pub async fn no_contribution_is_lost_while_a_board_grows(store: OpenStore) {
    let kind = gifts(|spec| {
        spec.shards = 16;
        spec.windows.push(kept(Period::Day, DAY));
    });
    let kind = store.kind(kind).await;
    let members = members_named(400);
    // A board soon stops growing, so many boards grow.
    for number in 0..runs(20, 500) {
        let board = store.created(&kind, &format!("room-{number}"), NOW).await;
        let writers = start_writers(&board, &members, 20);
        check_sums(&board, &members, writers).await;
    }
}

/// Checks one reading: ranks without gaps, no member twice, strictly best first.
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
    assert_eq!(members.len(), entries.len(), "a member is ranked twice");
}

pub async fn reads_are_consistent_during_writes(store: OpenStore) {
    let kind = gifts(|spec| {
        spec.shards = 4;
        spec.windows.push(kept(Period::Day, DAY));
    });
    let board = store.fresh(kind, "room-1").await;
    let members = members_named(1200);
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
    let writers = start_writers(&board, &members, runs(150, 2_500));
    check_sums(&board, &members, writers).await;
    stop.store(true, Ordering::Release);
    for reader in readers {
        assert!(reader.await.unwrap() > 0);
    }
}
