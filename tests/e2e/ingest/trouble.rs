//! The server or Redis goes away in the middle, and comes back.

use std::net::TcpListener;

use testkit::dice::Dice;
use testkit::redis::{Fsync, RedisOptions, RedisServer};
use testkit::{Launch, Server, eventually};

use super::{
    GROUP, KIND, PARTITIONS, add_json, audit, ends_well, ingest, item, pending, produce, reaches,
    settled, stream,
};

const MEMBERS: usize = 500;

fn drawn(dice: &mut Dice, count: usize) -> Vec<u64> {
    (0..count).map(|_| dice.below(MEMBERS) as u64).collect()
}

/// A durable server on a port that it has again after a restart.
fn server_that_comes_back() -> Server {
    let port = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = port.local_addr().unwrap();
    drop(port);
    let config = format!("[server]\nlisten = \"{address}\"\n{KIND}");
    Launch::new().file("megaboard.toml", &config).start()
}

#[test]
fn a_server_that_is_killed_and_comes_back_has_counted_all_once() {
    let mut dice = Dice::of_this_run();
    let redis = RedisServer::plain();
    let mut server = server_that_comes_back();
    let ingest = ingest(&redis, server.url(), &[]);
    let mut produced = Vec::new();
    for round in 0..3 {
        let batch = drawn(&mut dice, 20_000);
        produce(&redis, &batch);
        produced.extend(batch);
        reaches(&server, 20_000 * round + 1);
        let launch = server.kill();
        server = launch.start();
    }
    reaches(&server, i64::try_from(produced.len()).unwrap());
    settled(&redis);
    audit(&server, &produced);
    let said = ingest.stderr();
    assert!(said.contains("trying again"), "{said}");
    assert!(said.contains("accepts contributions again"), "{said}");
    ends_well(ingest);
}

#[test]
fn a_redis_that_is_killed_and_comes_back_loses_nothing_it_has_kept() {
    let mut dice = Dice::of_this_run();
    let redis = RedisOptions::new().append_only(Fsync::Always).start();
    let server = Server::with(KIND);
    let ingest = ingest(&redis, server.url(), &[]);
    let mut produced = Vec::new();
    for round in 0..3 {
        let batch = drawn(&mut dice, 5_000);
        produce(&redis, &batch);
        produced.extend(batch);
        reaches(&server, 5_000 * round + 1);
        redis.kill();
        redis.start();
    }
    reaches(&server, i64::try_from(produced.len()).unwrap());
    settled(&redis);
    audit(&server, &produced);
    ends_well(ingest);
}

#[test]
fn a_redis_that_forgot_its_groups_gets_them_again() {
    let redis = RedisServer::plain();
    let server = Server::with(KIND);
    let ingest = ingest(&redis, server.url(), &[]);
    produce(&redis, &[1, 2, 3]);
    reaches(&server, 3);
    redis.command(&["FLUSHALL"]).ok();
    produce(&redis, &[1, 2, 3]);
    reaches(&server, 6);
    ends_well(ingest);
}

#[test]
fn a_group_that_is_lost_goes_on_behind_what_was_decided() {
    let redis = RedisServer::plain();
    let server = Server::with(KIND);
    let ingest = ingest(&redis, server.url(), &[]);
    produce(&redis, &[1, 2, 3, 17, 18, 19]);
    reaches(&server, 6);
    settled(&redis);
    eventually("it waits for more", || {
        let clients = redis.command(&["CLIENT", "LIST"]);
        clients.text().contains("flags=b").then_some(())
    });
    for partition in 0..PARTITIONS {
        let destroyed = redis.command(&["XGROUP", "DESTROY", &stream(partition), GROUP]);
        assert_eq!(destroyed.integer(), 1);
    }
    produce(&redis, &[1, 4]);
    let expected = [1, 2, 3, 17, 18, 19, 1, 4];
    reaches(&server, 8);
    let told = format!("{}: group {GROUP} was lost; continuing after", stream(1));
    eventually("it is told", || {
        ingest.stderr().contains(&told).then_some(())
    });
    settled(&redis);
    audit(&server, &expected);
    // Nothing was even sent again: ids that the board has forgotten would have counted twice.
    let summary = ends_well(ingest);
    assert!(summary.contains("duplicates 0"), "{summary}");
}

#[test]
fn entries_that_are_trimmed_off_while_pending_are_counted_and_reported() {
    let redis = RedisServer::plain();
    let server = Server::with(KIND);
    let name = stream(0);
    add_json(&redis, 0, &item("gone", 1));
    add_json(&redis, 0, &item("gone", 1));
    redis.command(&["XGROUP", "CREATE", &name, GROUP, "0"]).ok();
    let read = ["XREADGROUP", "GROUP", GROUP, "dead", "STREAMS", &name, ">"];
    redis.command(&read);
    redis.command(&["XTRIM", &name, "MAXLEN", "0"]);
    add_json(&redis, 0, &item("there", 1));
    let ingest = ingest(&redis, server.url(), &[]);
    reaches(&server, 1);
    eventually("nothing pending", || {
        (pending(&redis, 0) == 0).then_some(())
    });
    let told = format!("{name}: 2 entries were trimmed before they were acknowledged");
    assert!(ingest.stderr().contains(&told), "{}", ingest.stderr());
    let summary = ends_well(ingest);
    let counts = "applied 1, duplicates 0, rejected 0; 2 were trimmed";
    assert!(summary.starts_with(counts), "{summary}");
}

#[test]
fn a_consumer_without_rights_ends_with_an_error() {
    let options = RedisOptions::new().password("secret");
    let redis = options.start();
    let server = Server::with(KIND);
    let wrong = format!("redis://:wrong@127.0.0.1:{}/q", redis.port());
    let arguments = [
        "ingest",
        "--from",
        &wrong,
        "--partitions",
        "1",
        "--group",
        "g",
    ];
    let mut arguments = arguments.to_vec();
    arguments.extend(["--server", server.url()]);
    let run = testkit::cli::run(&arguments, b"");
    assert_eq!(run.status, Some(1), "{run:?}");
    assert!(run.stderr.contains("WRONGPASS"), "{run:?}");
    assert!(!run.stderr.contains("wrong@"), "{run:?}");
    // With the password it goes.
    let ingest = ingest(&redis, server.url(), &[]);
    produce(&redis, &[7]);
    reaches(&server, 1);
    eventually("a name", || {
        ingest.stderr().contains("partitions").then_some(())
    });
    ends_well(ingest);
}

#[test]
fn a_key_that_is_no_stream_is_named() {
    let redis = RedisServer::plain();
    let server = Server::with(KIND);
    redis.command(&["SET", &stream(3), "text"]);
    let mut ingest = ingest(&redis, server.url(), &[]);
    assert_eq!(ingest.ended().code(), Some(1), "{}", ingest.stderr());
    let named = format!("wrong kind of value ({})", stream(3));
    assert!(ingest.stderr().contains(&named), "{}", ingest.stderr());
}
