//! The round trips of a read of ranks depend on the read, not on the size of the board.

use board::{Member, Timestamp};

use crate::agree::ALL;
use crate::kinds::value;
use crate::million::{MEMBERS, million};
use crate::price::price;
use crate::random::Random;
use crate::stage::NOW_MS;

#[test]
fn the_rank_of_a_member_takes_two_round_trips() {
    let million = million();
    let (merger, board) = (million.merger(), &million.stage.board);
    let mut random = Random::of_run(200);
    for n in 0..200 {
        let kind = &million.kinds[n % 2];
        let member = &million.member(random.within(1, MEMBERS));
        let read = merger.member(board, kind, ALL, member, (1, 1));
        let (price, _) = million.runtime.block_on(price(&merger, read));
        assert_eq!(price.round_trips, 2);
        // A few of each shard: the neighbours may be on any of them.
        assert!(price.entries <= 16 * 4, "{price:?}");
    }
}

#[test]
fn a_lookup_of_a_thousand_takes_two_round_trips() {
    let million = million();
    let (merger, board) = (million.merger(), &million.stage.board);
    let mut random = Random::of_run(201);
    let members: Vec<Member> = (0..1000)
        .map(|_| million.member(random.within(1, MEMBERS)))
        .collect();
    let read = merger.lookup(board, &million.kinds[0], ALL, &members);
    let (price, _) = million.runtime.block_on(price(&merger, read));
    assert_eq!(price.round_trips, 2);
    // Each one and the one above it.
    assert!(price.entries <= 2000, "{price:?}");
}

#[test]
fn counts_and_positions_take_one_round_trip_and_no_entry() {
    let million = million();
    let (merger, board) = (million.merger(), &million.stage.board);
    let kind = &million.kinds[1];
    let ends = (Some(value(10)), Some(value(30)));
    let count = merger.count(board, kind, ALL, ends);
    let (counting, count) = million.runtime.block_on(price(&merger, count));
    assert!(count.unwrap().value > MEMBERS / 4);
    assert_eq!((counting.round_trips, counting.entries), (1, 0));

    let (values, at) = (value(25).into(), Timestamp::from_millis(NOW_MS));
    let position = merger.position(board, kind, ALL, &values, at);
    let (price, position) = million.runtime.block_on(price(&merger, position));
    assert!(position.unwrap().value.unwrap().position > MEMBERS / 4);
    assert_eq!((price.round_trips, price.entries), (1, 0));
}
