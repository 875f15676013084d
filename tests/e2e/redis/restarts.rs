//! Redis is restarted: with its log everything is there, under versions of another epoch; without one
//! nothing is, and that is told.

use serde_json::json;
use testkit::dice::{Dice, runs};
use testkit::redis::{Fsync, RedisOptions, RedisServer};
use testkit::{Server, eventually};

use super::stage::{launch, serve};
use crate::audit::{KIND, LIGHT, Ledger, Tally, Versions, look, under_load};

/// What is shown now, when no write is under way.
fn note(versions: &mut Versions, server: &Server) {
    let (tally, mut shown) = (Tally::default(), Vec::new());
    look(server, &tally, &mut shown).unwrap();
    tally.nothing_failed();
    versions.note(shown);
}

fn is_ready(server: &Server) {
    eventually("a server that is ready", || {
        (server.get("/readyz").status == 200).then_some(())
    });
}

/// Redis is killed and started under load; what is there afterwards, and under which versions.
fn is_killed_and_keeps(options: &RedisOptions, rounds: usize, end: impl Fn(&RedisServer)) {
    let redis = options.start();
    let server = serve(&redis.url(), KIND);
    let mut dice = Dice::of_this_run();
    let mut ledger = Ledger::begin(&server);
    let mut versions = Versions::default();
    for round in 0..rounds {
        let tally = Tally::default();
        let work = under_load(&server, (round, LIGHT), &mut dice, &tally, || {
            tally.wait_for_answers(20);
            end(&redis);
            redis.start();
            tally.wait_for_answers(20);
        });
        tally.print();
        versions.note(work.shown);
        ledger.settle(&server, work.sent);
        note(&mut versions, &server);
        end(&redis);
        redis.start();
        versions.are_past();
        is_ready(&server);
        note(&mut versions, &server);
        ledger.holds(&server);
    }
    ledger.all_are_remembered(&server);
}

#[test]
fn a_log_keeps_everything_that_was_answered_and_the_epoch_is_another() {
    let options = RedisOptions::new().append_only(Fsync::Always);
    is_killed_and_keeps(&options, runs(2, 30), RedisServer::kill);
}

#[test]
fn a_snapshot_at_the_stop_keeps_everything_and_the_epoch_is_another() {
    let options = RedisOptions::new().snapshots();
    is_killed_and_keeps(&options, runs(1, 10), RedisServer::stop);
}

#[test]
fn a_server_that_comes_back_empty_begins_anew_and_the_log_says_so() {
    let redis = RedisServer::plain();
    let server = serve(&redis.url(), KIND);
    let mut ledger = Ledger::begin(&server);
    let mut versions = Versions::default();
    note(&mut versions, &server);
    server.get("/v1/boards/k/a/top?window=all").ok();
    redis.kill();
    redis.start();
    versions.are_past();
    is_ready(&server);
    let shown = server.get("/v1/boards/k/a/top?window=all&fresh=true").ok();
    assert_eq!(shown["members"], json!(0), "{shown}");
    // What was cached of the dead board is not shown again either.
    let shown = server.get("/v1/boards/k/a/top?window=all").ok();
    assert_eq!(shown["members"], json!(0), "{shown}");
    eventually("a word about it", || {
        let log = server.log();
        let mut lines = log.lines().filter(|line| line.contains("ERROR"));
        lines
            .any(|line| {
                line.contains("has lost its data") && line.contains(&redis.address().to_string())
            })
            .then_some(())
    });
    // Ids, too, are forgotten: everything counts anew.
    assert_eq!(ledger.settle_losses(&server, Vec::new()), 3);
    note(&mut versions, &server);
    let tally = Tally::default();
    let work = under_load(
        &server,
        (0, LIGHT),
        &mut Dice::of_this_run(),
        &tally,
        || {
            tally.wait_for_answers(20);
        },
    );
    tally.nothing_failed();
    versions.note(work.shown);
    ledger.settle(&server, work.sent);
}

#[test]
fn contributions_whose_kind_redis_cannot_say_have_failed_and_are_not_rejected() {
    let redis = RedisServer::plain();
    let server = serve(&redis.url(), "");
    redis.kill();
    let item = |board: &str| json!({"board": board, "member": "u", "points": 1});
    let one = server.contribute(&item("nope/a"));
    let both = server.contribute(&json!([item("nope/a"), item("nada/b")]));
    for (answer, count) in [(one, 1), (both, 2)] {
        assert_eq!(answer.status, 503, "{}", answer.body);
        let receipt = answer.value();
        assert_eq!(
            (&receipt["rejected_count"], &receipt["failed_count"]),
            (&json!(0), &json!(count)),
            "{receipt}"
        );
        // Nothing was sent, so that it is known.
        let word = receipt["failed"][0]["type"].as_str().unwrap();
        assert!(["unavailable", "overloaded"].contains(&word), "{receipt}");
        assert_eq!(receipt["failed"][0]["board"], "nope/a");
    }
}

#[test]
fn an_independent_server_that_comes_back_empty_is_refused_until_it_is_accepted() {
    let nodes = [(); 3].map(|()| RedisServer::plain());
    let addresses = nodes.each_ref().map(|node| node.address().to_string());
    let store = format!("redis://{}", addresses.join(","));
    let server = serve(&store, KIND);
    let mut ledger = Ledger::begin(&server);
    let lost = &nodes[2];
    lost.kill();
    lost.start();
    eventually("a server that is refused", || {
        let ready = server.get("/readyz");
        let is_told = ready.status == 503
            && ready.body.contains(&addresses[2])
            && ready.body.contains("has lost its data");
        is_told.then_some(())
    });
    let fresh = server.get("/v1/boards/k/a/top?fresh=true&window=all");
    fresh.problem(503, "unavailable", &[]);
    let mut stopped = server.stop();
    let (status, said) = stopped.refused();
    assert_eq!(status, Some(1), "{said}");
    assert!(
        said.contains(&addresses[2]) && said.contains("accept_empty"),
        "{said}"
    );
    let accepting = format!("[redis]\naccept_empty = [\"{}\"]\n{KIND}", addresses[2]);
    let server = launch(&store, &accepting).start();
    server.get("/readyz").ok();
    let lost = ledger.settle_losses(&server, Vec::new());
    println!("{lost} contributions were lost with the server");
    assert!(server.log().contains("replaces server"), "{}", server.log());
    drop(server);
    // It has a name again.
    let server = serve(&store, KIND);
    ledger.all_are_remembered(&server);
}
