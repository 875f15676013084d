//! A peer that sends what no Redis or memcached sends: the error names it and the limit, the process lives, and its
//! memory is bounded.

use std::fmt::Write as _;
use std::thread;

use testkit::cli::{self, Running};
use testkit::redis::RedisServer;
use testkit::{HostileBytes, HostilePeer, Launch, Server, eventually};

use super::fixtures::{launch, serve};

/// What a process may take beyond the limit of one reply: its buffer is twice as large while it grows.
const SLACK_BYTES: u64 = 96 << 20;

/// What is sent, and what the error says.
fn cases() -> [(HostileBytes, &'static str); 6] {
    let sends = |first: String, is_endless| HostileBytes { first, is_endless };
    let deep = "a reply is nested more than 16 levels deep";
    [
        (sends("*1\r\n".repeat(1_000), false), deep),
        (sends("%1\r\n+k\r\n".repeat(1_000), false), deep),
        (sends("|1\r\n".repeat(1_000), false), "is not a Redis"),
        (
            sends("$2147483648\r\n".to_owned(), true),
            "a reply is longer than 67108864 bytes",
        ),
        (
            sends("*1000000000\r\n".to_owned(), true),
            "a reply has more than 500000 elements",
        ),
        (
            sends("+".to_owned(), true),
            "a line of a reply is longer than 16384 bytes",
        ),
    ]
}

#[test]
fn every_command_reports_a_hostile_redis() {
    let server = Server::start();
    let url = server.url();
    thread::scope(|scope| {
        for (bytes, why) in cases() {
            scope.spawn(move || {
                let peer = HostilePeer::sending(bytes);
                let store = format!("redis://{}", peer.address());
                let says = |stderr: &str| {
                    stderr.contains(why) && stderr.contains(&peer.address().to_string())
                };
                let adopt = [
                    "adopt",
                    "--from",
                    &store,
                    "--sorted-set",
                    "s",
                    "--board",
                    "gifts/x",
                    "--server",
                    url,
                ];
                for arguments in [&adopt[..], &["verify", "--store", &store]] {
                    let run = cli::run(arguments, b"");
                    assert!(run.status == Some(1) && says(&run.stderr), "{run:?}");
                }
                let (status, stderr) = launch(&store, "").refused();
                assert!(status == Some(1) && says(&stderr), "{stderr}");
                let from = format!("{store}/q/gifts");
                let ingest = [
                    "ingest",
                    "--from",
                    &from,
                    "--partitions",
                    "1",
                    "--group",
                    "g",
                    "--server",
                    url,
                ];
                let mut ingest = Running::start(&ingest);
                eventually("ingest reports it", || {
                    ingest.stderr().contains(why).then_some(())
                });
                ingest.signal("TERM");
                ingest.ended();
            });
        }
    });
}

#[test]
fn a_server_outlives_a_store_that_becomes_hostile() {
    let redis = RedisServer::plain();
    let server = serve(&redis.url(), "");
    server.give("gifts/a", &[("u", 1)]);
    redis.stop();
    for (bytes, why) in cases() {
        let before = server.resident_bytes();
        let peer = HostilePeer::at(redis.address(), bytes);
        let reported =
            |line: &str| line.contains(why) && line.contains(&peer.address().to_string());
        eventually("the log names the limit", || {
            server.log().lines().any(reported).then_some(())
        });
        let grown = server.peak_resident_bytes().saturating_sub(before);
        assert!(grown < SLACK_BYTES, "{why}: {grown} bytes");
    }
    redis.start();
    eventually("the store is back", || {
        (server.get("/readyz").status == 200).then_some(())
    });
    server.give("gifts/a", &[("u", 2)]);
}

#[test]
fn a_server_outlives_targets_that_are_hostile() {
    let line = cases()[5].clone();
    let value = HostileBytes {
        first: "VA 2147483648\r\n".to_owned(),
        is_endless: true,
    };
    let redis = cases().map(|case| ("redis", case)).into_iter();
    let all: Vec<_> = redis
        .chain([("memcached", line), ("memcached", (value, "VA 2147483648"))])
        .collect();
    let mut peers = Vec::new();
    let mut config = String::new();
    for (index, (scheme, (bytes, _))) in all.iter().enumerate() {
        let peer = HostilePeer::sending(bytes.clone());
        let address = peer.address();
        write!(
            config,
            "[kinds.k{index}]\nwindows = [\"all\"]\n[kinds.k{index}.publish]\ntarget = \"t{index}\"\n\
             key = \"k{index}:{{subject}}\"\n[publish.targets.t{index}]\nurl = \"{scheme}://{address}\"\n",
        )
        .unwrap();
        peers.push(peer);
    }
    let mut launch = Launch::on_a_free_port(&config).args("--store memory:");
    for start in ["first", "second"] {
        let server = launch.start();
        let before = server.resident_bytes();
        for (index, (_, (_, why))) in all.iter().enumerate() {
            server.give(&format!("k{index}/a"), &[("u", 1)]);
            let target = format!("t{index}");
            let reported = |line: &str| line.contains(&target) && line.contains(why);
            eventually("the log names the limit", || {
                server.log().lines().any(reported).then_some(())
            });
        }
        let grown = server.peak_resident_bytes().saturating_sub(before);
        assert!(grown < SLACK_BYTES, "at the {start} start: {grown} bytes");
        launch = server.stop();
    }
}
