//! Frozen copies compared with the live shard, and restored shards compared with their origin.

mod board_shards;
mod workload;

use board_shards::{BoardShards, assert_same, contents};
use testkit::dice::{Dice, Seed, runs};
use workload::{Step, Workload};

/// Maximum steps before a shard is frozen, and after that.
const STEPS_MAX: usize = 30;

fn each_workload(sampled: u64, check: impl Fn(Workload, &mut Dice)) {
    let seed = Seed::of_this_run();
    let mut dice = Dice::new(seed.0);
    for _ in 0..runs(sampled, 20 * sampled) {
        let workload = Workload::begin(Dice::new(dice.word()));
        check(workload, &mut dice);
    }
}

fn some_steps(workload: &mut Workload, dice: &mut Dice, incarnations: &mut [&mut BoardShards]) {
    for _ in 0..=dice.below(STEPS_MAX) {
        let step = workload.step();
        for incarnation in &mut *incarnations {
            incarnation.play(workload, &step);
        }
    }
}

#[test]
fn a_frozen_copy_keeps_its_contents() {
    each_workload(40, |mut workload, dice| {
        let mut incarnation = BoardShards::new(&workload);
        some_steps(&mut workload, dice, &mut [&mut incarnation]);
        let before = incarnation.contents(&workload);
        let frozen = incarnation.freeze();
        some_steps(&mut workload, dice, &mut [&mut incarnation]);
        assert_eq!(contents(&frozen), before);
    });
}

#[test]
fn a_restored_shard_reads_like_its_origin() {
    each_workload(40, |mut workload, dice| {
        let mut incarnation = BoardShards::new(&workload);
        some_steps(&mut workload, dice, &mut [&mut incarnation]);
        let (before, then) = (incarnation.read_all(&workload), workload.clone());
        let frozen = incarnation.freeze();
        some_steps(&mut workload, dice, &mut [&mut incarnation]);
        let mut again = BoardShards::restored(&frozen, &then, dice);
        again.build_order(&then);
        assert_same(&again.read_all(&then), &before);
    });
}

#[test]
fn writes_without_an_order_have_the_same_result() {
    each_workload(40, |mut workload, dice| {
        let mut incarnation = BoardShards::new(&workload);
        some_steps(&mut workload, dice, &mut [&mut incarnation]);
        let frozen = incarnation.freeze();
        let mut again = BoardShards::restored(&frozen, &workload, dice);
        some_steps(&mut workload, dice, &mut [&mut incarnation, &mut again]);
        again.build_order(&workload);
        assert_same(&again.read_all(&workload), &incarnation.read_all(&workload));
        // And with an order from there on.
        some_steps(&mut workload, dice, &mut [&mut incarnation, &mut again]);
        assert_same(&again.read_all(&workload), &incarnation.read_all(&workload));
    });
}

fn outgrown_while_recovered(whole: bool) -> (Workload, BoardShards) {
    let mut workload = Workload::of_shards(4);
    let mut incarnation = BoardShards::new(&workload);
    if !whole {
        incarnation.split(&workload);
    }
    let mut incarnation =
        BoardShards::restored(&incarnation.freeze(), &workload, &mut Dice::new(1));
    for _ in 0..2 {
        let many = Step::Apply(workload.many_members());
        incarnation.play(&workload, &many);
    }
    (workload, incarnation)
}

#[test]
#[should_panic(expected = "a ranking is not read before it is ordered")]
fn a_ranking_that_grows_large_while_recovered_has_no_order() {
    let (workload, incarnation) = outgrown_while_recovered(false);
    incarnation.read_all(&workload);
}

#[test]
#[should_panic(expected = "a ranking is not read before it is ordered")]
fn a_small_board_that_is_split_while_recovered_has_no_order() {
    let (workload, incarnation) = outgrown_while_recovered(true);
    incarnation.read_all(&workload);
}
