//! Every member of a million is found at its position, among its neighbours, alone or with others.

use merger::MemberStanding;

use crate::million::{MEMBERS, WAYS, long, million};
use crate::random::Random;

#[test]
fn members_have_the_positions_of_the_sorted_board() {
    let million = million();
    let mut random = Random::of_run(3);
    let count = if long() { 20_000 } else { 400 };
    for n in 0..count {
        let position = match n {
            0..10 => n + 1,
            10..20 => MEMBERS - (n - 10),
            _ => random.within(1, MEMBERS),
        };
        let around = [(1, 1), (0, 0), (5, 5), (0, 20), (50, 0)];
        let around = around[usize::try_from(random.below(5)).unwrap()];
        let target = (n % 8 == 0).then(|| random.within(1, MEMBERS));
        let agree = million.agree(usize::try_from(n).unwrap());
        let read = agree.member(position, around, target);
        million.runtime.block_on(read);
    }
}

#[test]
fn a_lookup_is_in_the_order_of_the_request() {
    let million = million();
    let mut random = Random::of_run(4);
    for len in [1, 2, 100, 1000] {
        for way in 0..WAYS {
            // 0 is an unknown member; some members are requested twice.
            let mut positions: Vec<u64> = (0..len).map(|_| random.within(0, MEMBERS)).collect();
            positions[usize::try_from(len / 2).unwrap()] = positions[0];
            positions[usize::try_from(len - 1).unwrap()] = 0;
            million
                .runtime
                .block_on(million.agree(way).lookup(&positions));
        }
    }
}

#[test]
fn an_unknown_member_has_no_standing() {
    let million = million();
    let nobody = board::Member::new("nobody").unwrap();
    let stage = &million.stage;
    let read = stage.merger.member(
        &stage.board,
        &stage.kind,
        crate::agree::ALL,
        &nobody,
        (1, 1),
    );
    let answer = million.runtime.block_on(read).unwrap();
    assert_eq!(answer.value, MemberStanding::NoStanding);
}
