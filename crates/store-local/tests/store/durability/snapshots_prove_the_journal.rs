//! The contents of a snapshot were durable in the journal: a journal that ends before them is damaged.

use disk::fixtures::{Operation, SimDisk};
use shard_store::Item;
use testkit::conformance::fixtures::{NOW, gifts, member};

use crate::durability::durable::{self, StoppedSnapshot, settings};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_journal_that_ends_before_what_a_snapshot_holds_is_refused() {
    let disk = SimDisk::default();
    let store = durable::open(&disk, &settings()).unwrap();
    let kind = gifts(|spec| spec.shards = 1);
    let board = durable::board(&store, kind, "room", NOW).await;
    let snapshot = StoppedSnapshot::start(&disk, &store, Operation::Write, 0);
    assert!(snapshot.is_stopped);
    let items: Vec<[Item; 1]> = (0..10)
        .map(|n| [board.points(&member(&format!("a{n}")), 1, NOW)])
        .collect();
    let calls = items.iter().map(|items| board.apply(items, NOW));
    futures::future::join_all(calls).await;
    snapshot.finish();
    // No group proves that the last one was durable, but the snapshot does.
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
