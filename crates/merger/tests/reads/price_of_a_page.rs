//! A page of a million costs at most three round trips and 1,250 entries in the mean, at any position.

use crate::agree::ALL;
use crate::million::{MEMBERS, Million, long, million};
use crate::price::{Price, price};
use crate::random::Random;

/// What pages of one length cost.
#[derive(Debug, Default)]
struct Prices {
    dearest: Price,
    mean_entries: u64,
    pages: usize,
    /// Those that took more than three round trips.
    longer: usize,
}

/// Returns the prices of pages of `len` at random positions and at both ends.
fn prices(million: &Million, style: usize, len: u64) -> Prices {
    let pages = if long() { 10_000 } else { 300 };
    let merger = million.merger();
    let mut random = Random::of_run(100 + len);
    let ends = [1, 2, 300, 600, 601, 1000, MEMBERS - len + 1, MEMBERS - len];
    let past = [MEMBERS, MEMBERS + 1, 2 * MEMBERS, 1000 * MEMBERS];
    let froms: Vec<u64> = ends
        .into_iter()
        .chain(past)
        .chain((0..pages).map(|_| random.within(1, MEMBERS)))
        .collect();
    let mut prices = Prices {
        pages: froms.len(),
        ..Prices::default()
    };
    let mut total = 0;
    for from in &froms {
        let (board, kind) = (&million.stage.board, &million.kinds[style]);
        let page = merger.range(board, kind, ALL, *from, from + len - 1);
        let (price, page) = million.runtime.block_on(price(&merger, page));
        let there = (MEMBERS + 1).saturating_sub(*from).min(len);
        assert_eq!(page.unwrap().value.len() as u64, there, "from {from}");
        prices.dearest = prices.dearest.max(price);
        prices.longer += usize::from(price.round_trips > 3);
        total += price.entries;
    }
    prices.mean_entries = total / froms.len() as u64;
    println!("pages of {len}: {prices:?}");
    prices
}

#[test]
fn a_page_of_a_hundred_takes_three_round_trips_at_most() {
    for style in 0..2 {
        let prices = prices(million(), style, 100);
        assert_eq!(prices.longer, 0, "{prices:?}");
        assert!(prices.mean_entries <= 1250, "{prices:?}");
        assert!(prices.dearest.entries <= 2500, "{prices:?}");
    }
}

#[test]
fn a_page_of_a_store_in_this_process_is_read_in_one_step() {
    let million = million();
    let merger = million.stage.another_merger();
    let mut random = Random::of_run(204);
    for n in 0..200 {
        let from = random.within(1, MEMBERS - 100);
        let (board, kind) = (&million.stage.board, &million.kinds[n % 2]);
        let page = merger.range(board, kind, ALL, from, from + 99);
        let (price, page) = million.runtime.block_on(price(&merger, page));
        assert_eq!(page.unwrap().value.len(), 100);
        let one_step = Price {
            round_trips: 1,
            entries: 100,
        };
        assert_eq!(price, one_step, "from {from}");
    }
}

/// Rarely a shard has more of a page than was fetched, and is read again.
#[test]
fn other_page_lengths_rarely_take_more_round_trips() {
    for (len, mean_entries_max) in [(1, 1150), (10, 1150), (1000, 2500)] {
        let prices = prices(million(), 0, len);
        assert!(prices.longer * 1_000 <= prices.pages, "{prices:?}");
        assert!(prices.dearest.round_trips <= 5, "{prices:?}");
        assert!(prices.mean_entries <= mean_entries_max, "{prices:?}");
        assert!(prices.dearest.entries <= 2 * mean_entries_max, "{prices:?}");
    }
}
