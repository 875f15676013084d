//! A million boards of ten members fit into two gigabytes of the memory store.
//!
//! Measured by the memory that the system reports for a separate process, since other tests run in
//! this one. By default a twentieth of the boards is created, with `MEGABOARD_TEST_LONG=1` all of
//! them.

use std::process::Command;
use std::{env, fs};

use shard_store::{KindRecord, Outcome};
use store_conformance::fixtures::{NOW, OpenStore, gifts, member};
use store_local::LocalStore;
use testkit::dice::runs;

const MEMBERS: usize = 10;
const MILLION_BYTES_MAX: usize = 2 << 30;

/// Set in the process that measures.
const MEASURES: &str = "MEGABOARD_TEST_MEASURES_MEMORY";

fn resident_bytes() -> usize {
    const PAGE_BYTES: usize = 4096;
    let pages = fs::read_to_string("/proc/self/statm").unwrap();
    let resident = pages.split(' ').nth(1).unwrap();
    resident.parse::<usize>().unwrap() * PAGE_BYTES
}

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
    if env::var_os(MEASURES).is_some() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        return runtime.unwrap().block_on(measure(runs(50_000, 1_000_000)));
    }
    let name = module_path!().split_once("::").unwrap().1;
    let test = format!("{name}::a_million_boards_of_ten_members_fit_into_two_gigabytes");
    let status = Command::new(env::current_exe().unwrap())
        .args(["--exact", &test, "--nocapture"])
        .env(MEASURES, "1")
        .status();
    assert!(status.unwrap().success(), "see its output above");
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
