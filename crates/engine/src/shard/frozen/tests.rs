//! Frozen copies against what was there, and what is made again of them against what they came of.

mod existence;
mod story;

use existence::{Existence, assert_same, contents};
use story::{Step, Story};
use testkit::dice::{Dice, Seed, runs};

/// Most steps before a shard is frozen, and behind that.
const STEPS_MAX: usize = 30;

fn each_story(sampled: u64, check: impl Fn(Story, &mut Dice)) {
    let seed = Seed::of_this_run();
    let mut dice = Dice::new(seed.0);
    for _ in 0..runs(sampled, 20 * sampled) {
        let story = Story::begin(Dice::new(dice.word()));
        check(story, &mut dice);
    }
}

fn some_steps(story: &mut Story, dice: &mut Dice, incarnations: &mut [&mut Existence]) {
    for _ in 0..=dice.below(STEPS_MAX) {
        let step = story.step();
        for incarnation in &mut *incarnations {
            incarnation.play(story, &step);
        }
    }
}

#[test]
fn a_frozen_copy_stays_what_was_there() {
    each_story(40, |mut story, dice| {
        let mut incarnation = Existence::new(&story);
        some_steps(&mut story, dice, &mut [&mut incarnation]);
        let before = incarnation.contents(&story);
        let frozen = incarnation.freeze();
        some_steps(&mut story, dice, &mut [&mut incarnation]);
        assert_eq!(contents(&frozen), before);
    });
}

#[test]
fn what_is_made_of_a_frozen_copy_answers_as_was_answered_then() {
    each_story(40, |mut story, dice| {
        let mut incarnation = Existence::new(&story);
        some_steps(&mut story, dice, &mut [&mut incarnation]);
        let (before, then) = (incarnation.answers(&story), story.clone());
        let frozen = incarnation.freeze();
        some_steps(&mut story, dice, &mut [&mut incarnation]);
        let mut again = Existence::restored(&frozen, &then, dice);
        again.put_in_order(&then);
        assert_same(&again.answers(&then), &before);
    });
}

#[test]
fn writes_without_order_come_to_the_same_as_in_order() {
    each_story(40, |mut story, dice| {
        let mut incarnation = Existence::new(&story);
        some_steps(&mut story, dice, &mut [&mut incarnation]);
        let frozen = incarnation.freeze();
        let mut again = Existence::restored(&frozen, &story, dice);
        some_steps(&mut story, dice, &mut [&mut incarnation, &mut again]);
        again.put_in_order(&story);
        assert_same(&again.answers(&story), &incarnation.answers(&story));
        // And in order from there on.
        some_steps(&mut story, dice, &mut [&mut incarnation, &mut again]);
        assert_same(&again.answers(&story), &incarnation.answers(&story));
    });
}

fn crowded_while_recovered(whole: bool) -> (Story, Existence) {
    let mut story = Story::of_shards(4);
    let mut incarnation = Existence::new(&story);
    if !whole {
        incarnation.split(&story);
    }
    let mut incarnation = Existence::restored(&incarnation.freeze(), &story, &mut Dice::new(1));
    for _ in 0..2 {
        let crowd = Step::Apply(story.a_crowd());
        incarnation.play(&story, &crowd);
    }
    (story, incarnation)
}

#[test]
#[should_panic(expected = "a ranking is not read before it is in order")]
fn a_ranking_that_grows_large_while_recovered_has_no_order() {
    let (story, incarnation) = crowded_while_recovered(false);
    incarnation.answers(&story);
}

#[test]
#[should_panic(expected = "a ranking is not read before it is in order")]
fn a_small_board_that_is_split_while_recovered_has_no_order() {
    let (story, incarnation) = crowded_while_recovered(true);
    incarnation.answers(&story);
}
