//! What a snapshot holds was durable in the journal: one that ends before it is damaged.

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use shard_store::{Batch, Item, Revision, ShardStore};

use crate::durability::durable::{self, settings};
use simulated_disk::{Operation, SimDisk, Trap};
use store_conformance::fixtures::{Board, NOW, board_name, gifts, member};

const DEADLINE: Duration = Duration::from_secs(30);

fn batch<'a>(board: &'a Board, items: &'a [Item]) -> Batch<'a> {
    Batch {
        kind: &board.kind,
        now: NOW,
        until: None,
        report: false,
        items,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_journal_that_ends_before_what_a_snapshot_holds_is_refused() {
    let disk = SimDisk::default();
    let store = durable::open(&disk, &settings()).unwrap();
    let kind = store
        .put_kind(
            Arc::new(gifts(|spec| spec.shards = 1)),
            Revision::default(),
            true,
        )
        .await
        .unwrap();
    let record = store
        .create_board(&board_name("gifts", "room"), &kind, None, NOW)
        .await
        .unwrap();
    let board = Board {
        store: store.clone(),
        kind: kind.kind.clone().unwrap(),
        record,
    };
    let (reached, step) = channel();
    let (go, gone) = channel();
    disk.set(Trap::runs(Operation::Write, "snapshot", 0, move || {
        reached.send(true).unwrap();
        let _ = gone.recv_timeout(DEADLINE);
    }));
    let held = store.clone();
    let snapshot = thread::spawn(move || durable::snapshot(&held));
    assert!(step.recv_timeout(DEADLINE).unwrap());
    let items: Vec<Vec<Item>> = (0..10)
        .map(|n| vec![board.points(&member(&format!("a{n}")), 1, NOW)])
        .collect();
    let calls = items
        .iter()
        .map(|items| store.apply(&board.record, 0, batch(&board, items)));
    for told in futures::future::join_all(calls).await {
        told.unwrap();
    }
    go.send(()).unwrap();
    snapshot.join().unwrap().unwrap();
    // No group tells that the last one was durable: the snapshot does.
    let damaged = disk.killed();
    let names: Vec<String> = damaged
        .names()
        .into_iter()
        .filter(|n| n.starts_with("journal"))
        .collect();
    let name = names.last().unwrap();
    let bytes = damaged.bytes_of(name);
    let last = bytes.iter().rposition(|b| *b != 0).unwrap();
    damaged.write_over(name, &[bytes[last] ^ 1], last);
    let refused = durable::open(&damaged, &settings()).unwrap_err();
    assert!(refused.contains(name.as_str()), "{refused}");
    assert!(refused.contains("at byte"), "{refused}");
}
