//! Nothing is applied after the deadline of its batch, whatever delayed it.

use std::time::{Duration, Instant};

use board::Window;
use shard_store::{Batch, Deadline, Item, Outcome, StoreError};

use crate::conformance::fixtures::{Board, NOW, OpenStore, gifts, member};

const ALL: Window = Window::ALL_TIME;

async fn apply_until(
    board: &Board,
    items: &[Item],
    until: Option<Instant>,
) -> Result<Vec<Outcome>, StoreError> {
    let batch = Batch {
        kind: &board.kind,
        now: NOW,
        report: false,
        until: until.map(Deadline::from),
        waits_until: None,
        items,
    };
    let shard = board.record.shards.shard_of(items[0].hash);
    board.store.apply(&board.record, shard, batch).await
}

pub async fn a_late_batch_is_not_applied(store: OpenStore) {
    let board = store.fresh(gifts(|_| ()), "room-1").await;
    let u1 = member("u1");
    let items = [board.points(&u1, 1, NOW)];
    let now = Instant::now();
    assert_eq!(
        apply_until(&board, &items, Some(now)).await,
        Err(StoreError::DeadlinePassed)
    );
    assert_eq!(board.members(ALL).await, 0);
    for until in [Some(now + Duration::from_mins(10)), None] {
        let applied = apply_until(&board, &items, until).await.unwrap();
        assert_eq!(applied, [Outcome::Applied(Vec::new())]);
    }
    assert_eq!(board.points_of(ALL, &u1).await, Some(2));
}

/// Many callers write until the deadline. The versions after it do not change any more.
pub async fn nothing_is_applied_after_the_deadline(store: OpenStore) {
    const WRITERS: usize = 8;
    let board = store.fresh(gifts(|spec| spec.shards = 2), "room-1").await;
    let is_remote = !store.clock_tolerance().is_zero();
    for round in 0..store.runs(10, 100) {
        let until = Instant::now() + Duration::from_millis(50 + round);
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let board = board.clone();
                tokio::spawn(async move {
                    let items = [board.points(&member(&format!("u{writer}")), 1, NOW)];
                    loop {
                        if let Err(error) = apply_until(&board, &items, Some(until)).await {
                            return error;
                        }
                    }
                })
            })
            .collect();
        tokio::time::sleep_until((until + store.clock_tolerance()).into()).await;
        let mut seen = Vec::new();
        for shard in board.shards() {
            seen.push(board.version(ALL, shard).await);
        }
        for writer in writers {
            let error = writer.await.unwrap();
            // A reply that a node sends too late is `Unknown`, although the node applied nothing
            // late either. A call that would reach it too late is rejected before.
            let is_of_node = matches!(error, StoreError::Unknown(_) | StoreError::Overloaded(_));
            assert!(
                is_remote && is_of_node || error == StoreError::DeadlinePassed,
                "{error:?}"
            );
        }
        for (shard, seen) in board.shards().zip(seen) {
            assert_eq!(board.version(ALL, shard).await, seen);
        }
    }
}
