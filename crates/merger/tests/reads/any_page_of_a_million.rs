//! Any range of a million positions equals the sorted board, at any depth, with ties.

use board::RankStyle;

use crate::million::{MEMBERS, WAYS, long, million};
use crate::random::Random;

const PAGE: u64 = 1000;

#[test]
fn pages_at_random_positions_are_those_of_the_sorted_board() {
    let million = million();
    let mut random = Random::of_run(1);
    for n in 0..150 {
        let from = random.within(1, MEMBERS);
        let len = [1, 10, 100, PAGE][n % 4];
        let agree = million.agree(n / 3);
        million.runtime.block_on(agree.range(from, from + len - 1));
    }
}

#[test]
fn pages_at_the_ends_are_those_of_the_sorted_board() {
    let million = million();
    let ends = [
        (1, 1),
        (1, PAGE),
        (MEMBERS, MEMBERS),
        (MEMBERS - PAGE + 1, MEMBERS),
        (MEMBERS - 5, MEMBERS + 5),
        (MEMBERS, MEMBERS + PAGE - 1),
        (MEMBERS + 1, MEMBERS + PAGE),
        (10 * MEMBERS, 10 * MEMBERS + PAGE - 1),
    ];
    for (from, to) in ends {
        for way in 0..WAYS {
            let agree = million.agree(way);
            million.runtime.block_on(agree.range(from, to));
            million.runtime.block_on(agree.range_from_worst(from, to));
        }
    }
}

#[test]
fn pages_that_begin_inside_a_group_have_its_rank() {
    let million = million();
    let mut random = Random::of_run(2);
    for n in 0..50 {
        // At most a twentieth of a million: every group is on every shard.
        let position = random.within(1, MEMBERS);
        let group = million.twin.at(RankStyle::Competition, position).rank;
        let agree = million.agree(1 + 2 * n);
        for from in [group, group + 1, position, group.saturating_sub(3).max(1)] {
            million.runtime.block_on(agree.range(from, from + 9));
        }
    }
}

#[test]
fn every_page_is_that_of_the_sorted_board() {
    let million = million();
    let step = if long() { PAGE } else { 40 * PAGE };
    for from in (1..=MEMBERS).step_by(usize::try_from(step).unwrap()) {
        let agree = million.agree(usize::try_from(from / step).unwrap());
        million.runtime.block_on(agree.range(from, from + PAGE - 1));
    }
}

#[test]
fn the_top_is_that_of_the_sorted_board() {
    let million = million();
    for way in 0..WAYS {
        million.runtime.block_on(million.agree(way).top());
    }
}
