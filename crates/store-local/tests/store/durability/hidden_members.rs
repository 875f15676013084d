//! Kinds that hide as many members as possible, with the longest names. Each time a member is hidden, the
//! whole kind is written to the journal, and the boards continue.

use std::sync::Arc;

use board::limits::{HIDDEN_MAX, NAME_BYTES_MAX};
use board::{Hidden, Kind, Member, Window};
use shard_store::{KindRecord, Outcome, Revision, ShardStore};

use crate::durability::durable::{self, settings};
use disk::fixtures::SimDisk;
use testkit::conformance::fixtures::{Board, NOW, board_name, gifts, member};

/// Hidden one by one. From the 59th on a kind is longer than 8 KiB.
const ONE_BY_ONE: usize = 150;

fn longest_name(number: usize) -> Member {
    member(&format!("{number:04}{}", "\"".repeat(NAME_BYTES_MAX - 4)))
}

async fn hide(store: &dyn ShardStore, held: &KindRecord, count: usize) -> KindRecord {
    let hidden = Hidden::new((0..count).map(longest_name)).unwrap();
    let kind = Kind::clone(held.kind.as_ref().unwrap()).hiding(hidden);
    let written = store.put_kind(Arc::new(kind), held.revision, false).await;
    written.unwrap()
}

/// Creates a board, and adds a point for a member.
async fn give(store: &Arc<impl ShardStore>, kind: &KindRecord, number: usize) {
    let name = board_name("gifts", &format!("room-{number}"));
    let board = Board {
        store: store.clone(),
        kind: kind.kind.clone().unwrap(),
        record: store.create_board(&name, kind, None, NOW).await.unwrap(),
    };
    let point = board.points(&longest_name(number), 1, NOW);
    let outcomes = board.apply(&[point], NOW).await;
    assert!(matches!(outcomes[..], [Outcome::Applied(_)]));
}

async fn holds(disk: &SimDisk, boards: usize) {
    let store = durable::open(disk, &settings()).unwrap();
    let kinds = store.kinds().await.unwrap();
    assert_eq!(kinds[0].kind.as_ref().unwrap().hidden().len(), HIDDEN_MAX);
    let there = store
        .boards(&kinds[0].name, "", None, boards + 1)
        .await
        .unwrap();
    assert_eq!(there.len(), boards);
    for number in 0..boards {
        let name = board_name("gifts", &format!("room-{number}"));
        let board = durable::found(&store, &name).await;
        let points = board
            .points_of(Window::ALL_TIME, &longest_name(number))
            .await;
        assert_eq!(points, Some(1), "{name}");
    }
}

#[tokio::test]
async fn every_write_is_kept_however_many_members_a_kind_hides() {
    let disk = SimDisk::default();
    let settings = settings();
    let store = durable::open(&disk, &settings).unwrap();
    let kind = store.put_kind(Arc::new(gifts(|_| ())), Revision::default(), true);
    let mut kind = kind.await.unwrap();
    for number in 0..ONE_BY_ONE {
        kind = hide(&*store, &kind, number + 1).await;
        give(&store, &kind, number).await;
    }
    // Far more than the capacity of the journal.
    for number in ONE_BY_ONE..2 * ONE_BY_ONE {
        kind = hide(&*store, &kind, HIDDEN_MAX - number % 2).await;
        give(&store, &kind, number).await;
    }
    kind = hide(&*store, &kind, HIDDEN_MAX).await;
    for disk in [disk.killed(), disk.crash(1), disk.crash(2)] {
        holds(&disk, 2 * ONE_BY_ONE).await;
    }
    durable::snapshot(&store).unwrap();
    let names = disk.names();
    let snapshot = names
        .iter()
        .find(|name| name.starts_with("snapshot-"))
        .unwrap();
    // The kind as it is, once: all its versions are one to the boards.
    let snapshot_bytes = disk.bytes_of(snapshot).len();
    assert!(snapshot_bytes < 500_000, "{snapshot_bytes} bytes");
    give(&store, &kind, 2 * ONE_BY_ONE).await;
    for disk in [disk.killed(), disk.crash(3), disk.crash(4)] {
        holds(&disk, 2 * ONE_BY_ONE + 1).await;
    }
    durable::stop(&store).await.unwrap();
    holds(&disk, 2 * ONE_BY_ONE + 1).await;
}
