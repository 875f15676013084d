//! Slots of boards that go to another node and back under load, step by step, half of their keys there
//! for a while: nothing is lost, nothing wrong is shown.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use testkit::dice::{Dice, runs};
use testkit::redis::{RedisCluster, RedisOptions, RedisServer};

use super::stage::{serve, slots_of_boards};
use crate::audit::{KIND, LIGHT, Ledger, Tally, Versions, under_load};

/// Calls that need keys on both sides wait so long until they are given up.
const DEADLINES: &str = "[redis]\nwrite_deadline = \"1s\"\nread_deadline = \"1s\"\n";

/// Slots that are held between their nodes until writers have had answers.
const SLOTS_HELD: usize = 2;

/// Answers to writers while a slot is held between its nodes.
const ANSWERS_BETWEEN: usize = 3;

/// The longest that other slots are, in microseconds.
const PAUSE_MAX_US: usize = 20_000;

/// Moves everything to one node.
fn move_all(cluster: &RedisCluster, to: &Arc<RedisServer>, tally: &Tally, dice: &mut Dice) {
    let sources = cluster.nodes();
    for from in sources.iter().filter(|from| from.port() != to.port()) {
        for (place, slot) in slots_of_boards(from).into_iter().enumerate() {
            let migration = cluster.begin_migration(slot, to);
            migration.move_keys(1 + dice.below(6));
            if place < SLOTS_HELD {
                tally.wait_for_answers(ANSWERS_BETWEEN);
            } else {
                let pause = u64::try_from(dice.below(PAUSE_MAX_US)).unwrap();
                thread::sleep(Duration::from_micros(pause));
            }
            while migration.move_keys(10) > 0 {}
            migration.end();
        }
    }
    cluster.wait_until_settled();
}

#[test]
fn slots_that_go_and_come_back_lose_nothing_and_show_nothing_wrong() {
    slots_go_and_come_back("");
}

/// With this in `[redis]`.
pub(super) fn slots_go_and_come_back(setting: &str) {
    let cluster = RedisCluster::start(2, 0, &RedisOptions::new());
    let server = serve(&cluster.url(), &format!("{DEADLINES}{setting}{KIND}"));
    let mut dice = Dice::of_this_run();
    let mut ledger = Ledger::begin(&server);
    let mut versions = Versions::default();
    let tally = Tally::default();
    for round in 0..runs(1, 10) {
        let mut ways = dice.split();
        let work = under_load(&server, (round, LIGHT), &mut dice, &tally, || {
            tally.wait_for_answers(20);
            for node in cluster.nodes() {
                move_all(&cluster, &node, &tally, &mut ways);
            }
        });
        tally.print();
        versions.note(work.shown);
        ledger.settle(&server, work.sent);
    }
    ledger.all_are_remembered(&server);
}
