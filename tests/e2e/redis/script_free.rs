//! A Redis without scripts: everything works as with functions, and nothing is lost.

use testkit::dice::Dice;
use testkit::redis::{RedisCluster, RedisOptions, RedisServer};

use super::fixtures::{SCRIPT_FREE, launch, serve};
use super::lost_replies::no_client_sees_the_losses;
use super::migrations::slots_move_and_return;
use super::names::every_response_belongs_to_its_request;
use super::one_service::two_are_one_service;
use super::rights;
use crate::audit::{KIND, LIGHT, Ledger, Tally, Versions, under_load};

fn config() -> String {
    format!("[redis]\n{SCRIPT_FREE}")
}

fn without_scripts() -> RedisServer {
    RedisOptions::new()
        .user("board", "secret", &rights::script_free())
        .start()
}

#[test]
fn a_user_without_script_rights_is_sufficient() {
    let redis = without_scripts();
    let refused = launch(&redis.url(), "").refused();
    assert!(refused.1.contains("NOPERM"), "{refused:?}");
    every_response_belongs_to_its_request(&redis.url(), &config());
}

#[test]
fn two_servers_without_scripts_are_one_service() {
    let redis = without_scripts();
    two_are_one_service(&redis.url(), [&config(); 2]);
}

#[test]
fn servers_with_and_without_functions_are_one_service() {
    let cluster = RedisCluster::start(3, 0, &RedisOptions::new());
    two_are_one_service(&cluster.url(), [&config(), ""]);
}

#[test]
fn every_contribution_counts_beside_a_server_with_functions() {
    let redis = RedisServer::plain();
    let servers =
        [config(), String::new()].map(|config| serve(&redis.url(), &format!("{config}{KIND}")));
    let [without, with] = &servers;
    let mut dice = Dice::of_this_run();
    let mut ledger = Ledger::begin(without);
    let tally = Tally::default();
    let mut other_dice = dice.split();
    let mut beside = None;
    let work = under_load(without, (0, LIGHT), &mut dice, &tally, || {
        let tally_beside = Tally::default();
        let work = under_load(with, (1, LIGHT), &mut other_dice, &tally_beside, || {
            tally_beside.wait_for_responses(200);
        });
        tally_beside.assert_nothing_failed();
        beside = Some(work);
        // Functions are atomic, so calls without functions may only pass when these are done.
        tally.wait_for_responses(50);
    });
    let beside = beside.unwrap();
    tally.print();
    tally.assert_nothing_unknown();
    let mut versions = Versions::default();
    versions.add(work.shown);
    versions.add(beside.shown);
    let sent = work.sent.into_iter().chain(beside.sent);
    ledger.settle(without, sent.collect());
    ledger.assert_all_remembered(with);
}

#[test]
fn lost_requests_and_replies_cause_no_client_errors() {
    no_client_sees_the_losses(SCRIPT_FREE);
}

#[test]
fn nothing_is_lost_while_slots_move_to_another_node_and_back() {
    slots_move_and_return(SCRIPT_FREE);
}
