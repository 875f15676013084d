//! The top of a board takes two round trips at most, and few more entries than it shows.

use std::sync::Arc;

use board::{Kind, Member, Timestamp};
use tokio::runtime::Builder;

use crate::agree::ALL;
use crate::kinds::{kind, points, value};
use crate::million::million;
use crate::price::price;
use crate::random::Random;
use crate::stage::{NOW_MS, Stage};
use crate::twin::Row;

#[test]
fn a_top_of_a_thousand_over_64_shards_takes_two_and_a_half_entries_for_one() {
    const BOARDS: u64 = 12;
    const MEMBERS: u64 = 100_000;
    let runtime = Builder::new_current_thread().build().unwrap();
    let mut random = Random::of_run(300);
    let mut total = 0;
    for board in 0..BOARDS {
        let stage = runtime.block_on(Stage::remote(kind(points(64))));
        let rows: Vec<Row> = (0..MEMBERS).map(|n| row(board, n, &mut random)).collect();
        runtime.block_on(stage.set(&stage.board, &rows));
        let merger = stage.another_merger();
        let top = merger.top(&stage.board, &stage.kind, ALL, false);
        let (price, top) = runtime.block_on(price(&merger, top));
        assert_eq!(top.unwrap().snapshot.rendered.ends.len(), 1000);
        println!("board {board}: {price:?}");
        assert!(price.round_trips <= 2, "{price:?}");
        assert!(price.entries <= 2500, "{price:?}");
        total += price.entries;
    }
    let mean = total / BOARDS;
    println!("{mean} entries in the mean");
    assert!(mean <= 2200, "{mean}");
}

#[test]
fn a_top_of_a_million_takes_two_round_trips() {
    let million = million();
    for top in [1, 10, 100, 1000, 10_000] {
        let mut spec = points(16);
        spec.top = top;
        let kind: Arc<Kind> = Arc::new(kind(spec));
        let merger = million.merger();
        let read = merger.top(&million.stage.board, &kind, ALL, false);
        let (price, read) = million.runtime.block_on(price(&merger, read));
        assert_eq!(read.unwrap().snapshot.rendered.ends.len() as u64, top);
        println!("top {top}: {price:?}");
        assert!(price.round_trips <= 2, "{price:?}");
        // Shares of few entries vary more.
        assert!(price.entries <= top * 2 + 128, "{price:?}");
    }
}

/// Points of few values, members of many names.
fn row(board: u64, n: u64, random: &mut Random) -> Row {
    Row {
        member: Member::new(&format!("{board}/{n}")).unwrap(),
        values: value(i64::try_from(random.below(1000)).unwrap()).into(),
        at: Timestamp::from_millis(NOW_MS),
    }
}
