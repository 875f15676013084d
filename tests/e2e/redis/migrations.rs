//! Slots move to another node and back under load, step by step, with their keys on both nodes for
//! a while: nothing is lost, and nothing wrong is shown.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use testkit::dice::{Dice, runs};
use testkit::redis::{RedisCluster, RedisOptions, RedisServer};

use super::fixtures::{serve, slots_of_boards};
use crate::audit::{KIND, LIGHT, Ledger, Tally, Versions, under_load};

/// Calls that need keys on both nodes are given up after this time.
const DEADLINES: &str = "[redis]\nwrite_deadline = \"1s\"\nread_deadline = \"1s\"\n";

/// Slots that stay between their nodes until writers have had responses.
const SLOTS_HELD: usize = 2;

/// Responses to writers while a slot is between its nodes.
const RESPONSES_BETWEEN: usize = 3;

/// The maximum time that other slots are, in microseconds.
const PAUSE_MAX_US: usize = 20_000;

/// Moves all slots of boards to one node.
fn move_all(cluster: &RedisCluster, to: &Arc<RedisServer>, tally: &Tally, dice: &mut Dice) {
    let sources = cluster.nodes();
    for from in sources.iter().filter(|from| from.port() != to.port()) {
        for (index, slot) in slots_of_boards(from).into_iter().enumerate() {
            let migration = cluster.begin_migration(slot, to);
            migration.move_keys(1 + dice.below(6));
            if index < SLOTS_HELD {
                tally.wait_for_responses(RESPONSES_BETWEEN);
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
fn nothing_is_lost_while_slots_move_to_another_node_and_back() {
    slots_move_and_return("");
}

/// With this additional configuration in `[redis]`.
pub(super) fn slots_move_and_return(setting: &str) {
    let cluster = RedisCluster::start(2, 0, &RedisOptions::new());
    let server = serve(&cluster.url(), &format!("{DEADLINES}{setting}{KIND}"));
    let mut dice = Dice::of_this_run();
    let mut ledger = Ledger::begin(&server);
    let mut versions = Versions::default();
    let tally = Tally::default();
    for round in 0..runs(1, 10) {
        let mut ways = dice.split();
        let work = under_load(&server, (round, LIGHT), &mut dice, &tally, || {
            tally.wait_for_responses(20);
            for node in cluster.nodes() {
                move_all(&cluster, &node, &tally, &mut ways);
            }
        });
        tally.print();
        versions.add(work.shown);
        ledger.settle(&server, work.sent);
    }
    ledger.assert_all_remembered(&server);
}
