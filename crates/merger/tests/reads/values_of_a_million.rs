//! Ranges, counts and positions by value, on a board where a fiftieth of a million members have the same value.

use board::Timestamp;

use crate::kinds::value;
use crate::million::million;
use crate::random::Random;
use crate::stage::NOW_MS;

#[test]
fn ranges_and_counts_by_value_are_those_of_the_sorted_board() {
    let million = million();
    let mut random = Random::of_run(5);
    let mut end = || {
        let points = i64::try_from(random.below(56)).unwrap() - 3;
        (points % 7 != 0).then(|| value(points))
    };
    for n in 0..40 {
        let ends = (end(), end());
        let limit = [1, 10, 100, 1000][n % 4];
        let agree = million.agree(n);
        million.runtime.block_on(agree.between(ends, limit));
    }
}

#[test]
fn a_value_has_the_position_after_all_ties() {
    let million = million();
    let mut random = Random::of_run(6);
    for n in 0..40 {
        let points = i64::try_from(random.below(54)).unwrap() - 2;
        let age = i64::try_from(random.below(12)).unwrap();
        let at = Timestamp::from_millis(NOW_MS + 1 - age);
        let (agree, values) = (million.agree(n), value(points).into());
        million.runtime.block_on(agree.position(&values, at));
    }
}
