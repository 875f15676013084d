//! Writes, duplicates, and waits for what was read return when it is durable.

use std::sync::mpsc::channel;

use board::Window;
use futures::FutureExt;
use shard_store::{Batch, Outcome};

use crate::durability::durable::{self, DEADLINE, settings};
use disk::fixtures::{Operation, SimDisk, Trap};
use testkit::conformance::fixtures::{NOW, gifts, member};

#[tokio::test]
async fn replies_that_depend_on_a_write_wait_until_it_is_durable() {
    let disk = SimDisk::default();
    let store = durable::open(&disk, &settings()).unwrap();
    let board = durable::board(&store, gifts(|_| ()), "room", NOW).await;
    // The next sync of the journal waits for `go`.
    let (reached, at_sync) = channel();
    let (go, gone) = channel();
    disk.set(Trap::runs(Operation::Sync, "journal", 0, move || {
        reached.send(()).unwrap();
        gone.recv_timeout(DEADLINE).unwrap();
    }));
    let u1 = member("u1");
    let item = [board.points_by_id(&u1, 1, "evt-1", NOW)];
    let batch = Batch {
        kind: &board.kind,
        now: NOW,
        until: None,
        waits_until: None,
        report: false,
        items: &item,
    };
    let shard = board.shard_of(&u1);
    let mut first = board.store.apply(&board.record, shard, batch.clone());
    assert_eq!((&mut first).now_or_never(), None);
    at_sync.recv_timeout(DEADLINE).unwrap();
    let mut again = board.store.apply(&board.record, shard, batch);
    assert_eq!(
        (&mut again).now_or_never(),
        None,
        "nothing of it is durable yet"
    );
    // A read shows it already; only after a wait is it known to be durable.
    assert_eq!(board.points_of(Window::ALL_TIME, &u1).await, Some(1));
    let mut durable = board.store.durable();
    assert_eq!((&mut durable).now_or_never(), None);
    go.send(()).unwrap();
    assert_eq!(first.await, Ok(vec![Outcome::Applied(Vec::new())]));
    assert_eq!(again.await, Ok(vec![Outcome::Duplicate(Vec::new())]));
    assert_eq!(durable.await, Ok(()));
}
