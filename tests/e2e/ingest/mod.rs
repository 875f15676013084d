//! `megaboard ingest`: contributions from Redis Streams, each counted once, whatever fails in
//! between.

mod entries;
mod order;
mod outages;
mod takeover;

testkit::calls!(entries);

use std::collections::HashMap;

use serde_json::{Value, json};
use testkit::cli::Running;
use testkit::redis::RedisServer;
use testkit::{Server, eventually};

/// The names of the streams before their number.
const PREFIX: &str = "q/gifts";
const GROUP: &str = "boards";
const PARTITIONS: u64 = 16;

/// The kind of the boards.
const KIND: &str = "[kinds.k]\nwindows = [\"all\"]\nshards = 4\ndedupe = \"1h\"\n";

/// Starts an `ingest` from this Redis to a server.
fn ingest(redis: &RedisServer, server_url: &str, further: &[&str]) -> Running {
    let partitions = PARTITIONS.to_string();
    let from = format!("{}/{PREFIX}", redis.url());
    let mut arguments = vec!["ingest", "--from", &from, "--partitions", &partitions];
    arguments.extend(["--group", GROUP, "--server", server_url]);
    arguments.extend(further);
    Running::start(&arguments)
}

fn stream(partition: u64) -> String {
    format!("{PREFIX}:{partition}")
}

/// Returns the partition of a member, as a producer would choose it.
fn partition_of(member: u64) -> u64 {
    member % PARTITIONS
}

/// Adds a point for each of these members, in one write.
fn produce(redis: &RedisServer, members: &[u64]) {
    let adds: Vec<(String, String)> = members
        .iter()
        .map(|member| (stream(partition_of(*member)), format!("m{member}")))
        .collect();
    let commands: Vec<Vec<&str>> = adds
        .iter()
        .map(|(stream, member)| {
            let fields = ["board", "k/a", "member", member, "points", "1"];
            [&["XADD", stream, "*"][..], &fields].concat()
        })
        .collect();
    let commands: Vec<&[&str]> = commands.iter().map(Vec::as_slice).collect();
    let mut wire = redis.connect();
    wire.send_all(&commands).unwrap();
    for _ in &commands {
        assert!(wire.reply().unwrap().text().contains('-'));
    }
}

/// Returns points by member, of a board with at most 1,000 members.
fn points(server: &Server) -> HashMap<String, i64> {
    let page = server.get("/v1/boards/k/a/range?from=1&to=1000");
    let entries = page.ranked().into_iter();
    entries
        .map(|(_, member, points)| (member, points))
        .collect()
}

/// Returns the sum of all points.
fn total(server: &Server) -> i64 {
    points(server).values().sum()
}

/// Waits until the board has this sum.
#[track_caller]
fn reaches(server: &Server, points: i64) {
    eventually("points", || (total(server) >= points).then_some(()));
}

/// Waits until no entry is pending or unread in any partition.
#[track_caller]
fn settled(redis: &RedisServer) {
    eventually("no entry is pending", || {
        (0..PARTITIONS)
            .all(|partition| has_none_pending(redis, partition))
            .then_some(())
    });
}

/// Returns whether no entry is pending. A group that was lost is created again first.
fn has_none_pending(redis: &RedisServer, partition: u64) -> bool {
    let pending = redis.command(&["XPENDING", &stream(partition), GROUP]);
    !pending.is_error("NOGROUP") && pending.items()[0].integer() == 0
}

/// Compares the board with how often each member was produced.
#[track_caller]
fn audit(server: &Server, produced: &[u64]) {
    let mut expected: HashMap<String, i64> = HashMap::new();
    for member in produced {
        *expected.entry(format!("m{member}")).or_default() += 1;
    }
    assert_eq!(points(server), expected);
}

/// Ends it like a service manager, with SIGTERM.
#[track_caller]
fn ends_well(mut ingest: Running) -> String {
    ingest.signal("TERM");
    assert_eq!(ingest.ended().code(), Some(0), "{}", ingest.stderr());
    ingest.stdout()
}

/// Adds a contribution as the only field of an entry.
fn add_json(redis: &RedisServer, partition: u64, item: &Value) {
    let text = item.to_string();
    redis.command(&["XADD", &stream(partition), "*", "json", &text]);
}

/// Returns a contribution to the board of these tests.
fn item(member: &str, points: i64) -> Value {
    json!({"board": "k/a", "member": member, "points": points})
}
