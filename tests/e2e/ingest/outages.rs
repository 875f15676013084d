//! The server or Redis fails, and comes back.

use std::net::TcpListener;

use testkit::dice::Dice;
use testkit::redis::{Fsync, RedisOptions, RedisServer};
use testkit::{Launch, Server, eventually};

use super::{
    GROUP, KIND, PARTITIONS, add_json, audit, ends_well, has_none_pending, ingest, item, produce,
    reaches, settled, stream,
};

const MEMBERS: usize = 500;

fn drawn(dice: &mut Dice, count: usize) -> Vec<u64> {
    (0..count).map(|_| dice.below(MEMBERS) as u64).collect()
}

/// Starts a durable server on a port that it keeps after a restart.
fn restartable_server() -> Server {
    let port = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = port.local_addr().unwrap();
    drop(port);
    let config = format!("[server]\nlisten = \"{address}\"\n{KIND}");
    Launch::new().file("megaboard.toml", &config).start()
}

#[test]
fn everything_counts_once_if_the_server_is_killed_and_restarted() {
    let mut dice = Dice::of_this_run();
    let redis = RedisServer::plain();
    let mut server = restartable_server();
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
    let stderr = ingest.stderr();
    assert!(stderr.contains("trying again"), "{stderr}");
    assert!(stderr.contains("accepts contributions again"), "{stderr}");
    ends_well(ingest);
}

#[test]
fn everything_counts_once_if_redis_is_killed_and_restarted() {
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
fn groups_that_redis_lost_are_created_again() {
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
fn a_lost_group_continues_after_the_decided_entries() {
    let redis = RedisServer::plain();
    let server = Server::with(KIND);
    let ingest = ingest(&redis, server.url(), &[]);
    produce(&redis, &[1, 2, 3, 17, 18, 19]);
    reaches(&server, 6);
    settled(&redis);
    eventually("all entries are acknowledged", || {
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
    let message = format!("{}: group {GROUP} was lost; continuing after", stream(1));
    eventually("the lost group is reported", || {
        ingest.stderr().contains(&message).then_some(())
    });
    settled(&redis);
    audit(&server, &expected);
    // Nothing was even sent again: ids that the board has forgotten would have counted twice.
    let summary = ends_well(ingest);
    assert!(summary.contains("duplicates 0"), "{summary}");
}

#[test]
fn entries_trimmed_while_pending_are_counted_and_reported() {
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
    eventually("no entry is pending", || {
        has_none_pending(&redis, 0).then_some(())
    });
    let message = format!("{name}: 2 entries were trimmed before they were acknowledged");
    assert!(ingest.stderr().contains(&message), "{}", ingest.stderr());
    let summary = ends_well(ingest);
    let counts = "applied 1, duplicates 0, rejected 0; 2 were trimmed";
    assert!(summary.starts_with(counts), "{summary}");
}

#[test]
fn a_consumer_without_rights_exits_with_an_error() {
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
    // With the password it runs.
    let ingest = ingest(&redis, server.url(), &[]);
    produce(&redis, &[7]);
    reaches(&server, 1);
    eventually("the consumer has registered", || {
        ingest.stderr().contains("partitions").then_some(())
    });
    ends_well(ingest);
}

#[test]
fn a_key_that_is_not_a_stream_is_reported() {
    let redis = RedisServer::plain();
    let server = Server::with(KIND);
    redis.command(&["SET", &stream(3), "text"]);
    let mut ingest = ingest(&redis, server.url(), &[]);
    assert_eq!(ingest.ended().code(), Some(1), "{}", ingest.stderr());
    let named = format!("wrong kind of value ({})", stream(3));
    assert!(ingest.stderr().contains(&named), "{}", ingest.stderr());
}
