//! Restarts of Redis: with an append-only file all data is there, in another epoch; without
//! persistence it is lost, which is logged.

use serde_json::json;
use testkit::dice::{Dice, runs};
use testkit::redis::{Fsync, RedisOptions, RedisServer};
use testkit::{Server, eventually};

use super::fixtures::{launch, serve};
use crate::audit::{KIND, LIGHT, Ledger, Tally, Versions, read_tops, under_load};

/// Adds the current versions, while no write is under way.
fn add_versions(versions: &mut Versions, server: &Server) {
    let (tally, mut shown) = (Tally::default(), Vec::new());
    read_tops(server, &tally, &mut shown).unwrap();
    tally.assert_nothing_failed();
    versions.add(shown);
}

fn wait_until_ready(server: &Server) {
    eventually("the server is ready", || {
        (server.get("/readyz").status == 200).then_some(())
    });
}

/// Kills and restarts Redis under load, and checks data and versions.
fn test_restart(options: &RedisOptions, rounds: usize, end: impl Fn(&RedisServer)) {
    let redis = options.start();
    let server = serve(&redis.url(), KIND);
    let mut dice = Dice::of_this_run();
    let mut ledger = Ledger::begin(&server);
    let mut versions = Versions::default();
    for round in 0..rounds {
        let tally = Tally::default();
        let work = under_load(&server, (round, LIGHT), &mut dice, &tally, || {
            tally.wait_for_responses(20);
            end(&redis);
            redis.start();
            tally.wait_for_responses(20);
        });
        tally.print();
        versions.add(work.shown);
        ledger.settle(&server, work.sent);
        add_versions(&mut versions, &server);
        end(&redis);
        redis.start();
        versions.end_epoch();
        wait_until_ready(&server);
        add_versions(&mut versions, &server);
        ledger.assert_matches(&server);
    }
    ledger.assert_all_remembered(&server);
}

#[test]
fn an_append_only_file_keeps_all_answered_writes_in_another_epoch() {
    let options = RedisOptions::new().append_only(Fsync::Always);
    test_restart(&options, runs(2, 30), RedisServer::kill);
}

#[test]
fn a_snapshot_at_the_stop_keeps_everything_in_another_epoch() {
    let options = RedisOptions::new().snapshots();
    test_restart(&options, runs(1, 10), RedisServer::stop);
}

#[test]
fn a_redis_that_restarts_empty_is_used_and_the_loss_is_logged() {
    let redis = RedisServer::plain();
    let server = serve(&redis.url(), KIND);
    let mut ledger = Ledger::begin(&server);
    let mut versions = Versions::default();
    add_versions(&mut versions, &server);
    server.get("/v1/boards/k/a/top?window=all").ok();
    redis.kill();
    redis.start();
    versions.end_epoch();
    wait_until_ready(&server);
    let shown = server.get("/v1/boards/k/a/top?window=all&fresh=true").ok();
    assert_eq!(shown["members"], json!(0), "{shown}");
    // The cached top of the lost board is not shown any more.
    let shown = server.get("/v1/boards/k/a/top?window=all").ok();
    assert_eq!(shown["members"], json!(0), "{shown}");
    eventually("the loss is logged", || {
        let log = server.log();
        let mut lines = log.lines().filter(|line| line.contains("ERROR"));
        lines
            .any(|line| {
                line.contains("has lost its data") && line.contains(&redis.address().to_string())
            })
            .then_some(())
    });
    // Ids are lost too, so everything counts again.
    assert_eq!(ledger.settle_losses(&server, Vec::new()), 3);
    add_versions(&mut versions, &server);
    let tally = Tally::default();
    let work = under_load(
        &server,
        (0, LIGHT),
        &mut Dice::of_this_run(),
        &tally,
        || {
            tally.wait_for_responses(20);
        },
    );
    tally.assert_nothing_failed();
    versions.add(work.shown);
    ledger.settle(&server, work.sent);
}

#[test]
fn an_independent_server_that_restarts_empty_is_refused_until_accepted() {
    let nodes = [(); 3].map(|()| RedisServer::plain());
    let addresses = nodes.each_ref().map(|node| node.address().to_string());
    let store = format!("redis://{}", addresses.join(","));
    let server = serve(&store, KIND);
    let mut ledger = Ledger::begin(&server);
    let lost = &nodes[2];
    lost.kill();
    lost.start();
    eventually("the server is refused", || {
        let ready = server.get("/readyz");
        let is_refused = ready.status == 503
            && ready.body.contains(&addresses[2])
            && ready.body.contains("has lost its data");
        is_refused.then_some(())
    });
    let fresh = server.get("/v1/boards/k/a/top?fresh=true&window=all");
    fresh.problem(503, "unavailable", &[]);
    let mut stopped = server.stop();
    let (status, stderr) = stopped.refused();
    assert_eq!(status, Some(1), "{stderr}");
    assert!(
        stderr.contains(&addresses[2]) && stderr.contains("accept_empty"),
        "{stderr}"
    );
    let accepting = format!("[redis]\naccept_empty = [\"{}\"]\n{KIND}", addresses[2]);
    let server = launch(&store, &accepting).start();
    server.get("/readyz").ok();
    let lost = ledger.settle_losses(&server, Vec::new());
    println!("{lost} contributions were lost with the server");
    assert!(server.log().contains("replaces server"), "{}", server.log());
    drop(server);
    // The server has an identity again.
    let server = serve(&store, KIND);
    ledger.assert_all_remembered(&server);
}
