//! A million boards of ten members fit into two gigabytes of the memory store.
//!
//! By default a twentieth of the boards is created, with `MEGABOARD_TEST_LONG=1` all of them.

use shard_store::{KindRecord, Outcome};
use store_local::LocalStore;
use testkit::conformance::fixtures::{NOW, OpenStore, gifts, member};
use testkit::dice::runs;

use crate::own_process::{in_own_process, resident_bytes};

const MEMBERS: usize = 10;
const MILLION_BYTES_MAX: usize = 2 << 30;

/// Creates a board of ten members with ten characters each, whose contributions come one by one.
async fn fill(store: &OpenStore, kind: &KindRecord, number: usize) {
    let board = store.created(kind, &format!("room-{number}"), NOW).await;
    for index in 0..MEMBERS {
        let member = member(&format!("u{:09}", number * MEMBERS + index));
        let points = i64::try_from(1 + index * 7 % 10).unwrap();
        let applied = board
            .apply(&[board.points(&member, points, NOW)], NOW)
            .await;
        assert_eq!(applied, [Outcome::Applied(Vec::new())]);
    }
}

#[test]
fn a_million_boards_of_ten_members_fit_into_two_gigabytes() {
    let test = concat!(
        module_path!(),
        "::a_million_boards_of_ten_members_fit_into_two_gigabytes"
    );
    in_own_process(test, || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        runtime.unwrap().block_on(measure(runs(50_000, 1_000_000)));
    });
}

async fn measure(boards: usize) {
    let store = OpenStore::new(LocalStore::in_memory().unwrap(), ());
    let kind = store.kind(gifts(|kind| kind.shards = 16)).await;
    let before = resident_bytes();
    for number in 0..boards {
        fill(&store, &kind, number).await;
    }
    let per_board = (resident_bytes() - before) / boards;
    println!("{per_board} bytes a board of {MEMBERS} members, {boards} boards");
    assert!(
        per_board * 1_000_000 <= MILLION_BYTES_MAX,
        "{per_board} bytes a board, at most {} wanted",
        MILLION_BYTES_MAX / 1_000_000
    );
    let listed = store.boards(&kind.name, "", None, boards).await.unwrap();
    assert_eq!(listed.len(), boards, "all of it was there to be measured");
}
