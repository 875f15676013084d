//! Functions lost under load are loaded again when they are needed: no client sees an error.

use testkit::dice::{Dice, runs};
use testkit::redis::{RedisCluster, RedisOptions, RedisServer};

use super::fixtures::{serve, slots_of_boards};
use crate::audit::{KIND, LIGHT, Ledger, Tally, Versions, under_load};

#[test]
fn flushed_functions_are_loaded_again() {
    let redis = RedisServer::plain();
    let server = serve(&redis.url(), KIND);
    let mut dice = Dice::of_this_run();
    let mut ledger = Ledger::begin(&server);
    let tally = Tally::default();
    let work = under_load(&server, (0, LIGHT), &mut dice, &tally, || {
        for _ in 0..runs(20, 1_000) {
            redis.command(&["FUNCTION", "FLUSH"]).ok();
            tally.wait_for_responses(5);
        }
    });
    tally.print();
    tally.assert_nothing_failed();
    Versions::default().add(work.shown);
    ledger.settle(&server, work.sent);
    ledger.assert_all_remembered(&server);
}

#[test]
fn an_empty_node_is_used_once_it_has_slots() {
    let cluster = RedisCluster::start(2, 0, &RedisOptions::new());
    let server = serve(&cluster.url(), KIND);
    let mut dice = Dice::of_this_run();
    let mut ledger = Ledger::begin(&server);
    let tally = Tally::default();
    let work = under_load(&server, (0, LIGHT), &mut dice, &tally, || {
        tally.wait_for_responses(20);
        let first = cluster.nodes();
        let new = cluster.add_primary();
        for node in &first {
            for slot in slots_of_boards(node) {
                cluster.move_slots(slot..=slot, &new);
            }
        }
        assert!(first.iter().all(|node| slots_of_boards(node).is_empty()));
        tally.wait_for_responses(20);
    });
    tally.print();
    tally.assert_nothing_failed();
    Versions::default().add(work.shown);
    ledger.settle(&server, work.sent);
    ledger.assert_all_remembered(&server);
}
