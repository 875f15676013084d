//! A Redis that is overloaded, but not unavailable: what would be late is refused at once,
//! everything else works, and all works again when the load is gone.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::json;
use testkit::redis::{RedisOptions, RedisServer};
use testkit::{Exposition, Server, eventually, ndjson};

use super::fixtures::serve;

/// One lane of calls, and a short deadline.
const CONFIG: &str = "[redis]\nwrite_deadline = \"1s\"\n\n\
    [kinds.gifts]\nwindows = [\"all\"]\nshards = 1\ndedupe = \"1h\"\n";

/// How long the node is blocked by each `DEBUG SLEEP`, in seconds.
const SLEEP_SECONDS: &str = "0.3";

/// More writers than the node can serve within the deadline.
const WRITERS: usize = 18;

/// Contributions of a request, the maximum of one call.
const LINES: usize = 1000;

/// Members of each writer; those of all writers fit into one page.
const MEMBERS: usize = 4;

/// The number of requests that must succeed, and that must be refused.
const REQUESTS_MIN: u64 = 10;

/// The number of fresh reads that must succeed meanwhile.
const READS_MIN: u64 = 5;

#[derive(Default)]
struct Tally {
    has_ended: AtomicBool,
    /// Applied contributions, and requests with applied contributions.
    applied: AtomicU64,
    taken: AtomicU64,
    /// Requests that were refused completely.
    overloaded: AtomicU64,
    reads: AtomicU64,
}

impl Tally {
    fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Relaxed)
    }

    fn is_enough(&self) -> bool {
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        count(&self.taken) >= REQUESTS_MIN
            && count(&self.overloaded) >= REQUESTS_MIN
            && count(&self.reads) >= READS_MIN
    }
}

fn lines(writer: usize, round: usize) -> String {
    let line = |line: usize| {
        json!({
            "board": "gifts/a",
            "member": format!("w{writer}-{}", line % MEMBERS),
            "points": 1,
            "id": format!("{writer}-{round}-{line}"),
        })
    };
    ndjson(&(0..LINES).map(line).collect::<Vec<_>>())
}

fn write(server: &Server, writer: usize, tally: &Tally) {
    for turn in 0.. {
        if tally.has_ended() {
            return;
        }
        let headers = [("content-type", "application/x-ndjson")];
        let body = lines(writer, turn);
        let response = server.send("POST", "/v1/contributions", &headers, body);
        let receipt = response.value();
        let applied = receipt["applied"].as_u64().unwrap();
        assert_eq!(receipt["duplicates"], 0, "{receipt}");
        assert_eq!(receipt["rejected_count"], 0, "{receipt}");
        let failed = receipt["failed"].as_array().unwrap();
        for item in failed {
            assert_eq!(item["type"], "overloaded", "{item}");
        }
        assert_eq!(applied + failed.len() as u64, LINES as u64);
        tally.applied.fetch_add(applied, Ordering::Relaxed);
        if applied > 0 {
            assert_eq!(response.status, 200);
            tally.taken.fetch_add(1, Ordering::Relaxed);
        } else {
            response.problem(503, "overloaded", &["work for", "waiting"]);
            assert!(response.header("retry-after").parse::<u64>().unwrap() >= 1);
            tally.overloaded.fetch_add(1, Ordering::Relaxed);
            thread::sleep(Duration::from_millis(100));
        }
    }
}

fn read(server: &Server, tally: &Tally) {
    while !tally.has_ended() {
        server.get("/v1/boards/gifts/a/top?fresh=true").ok();
        tally.reads.fetch_add(1, Ordering::Relaxed);
    }
}

fn keep_busy(redis: &RedisServer, tally: &Tally) {
    while !tally.has_ended() {
        redis.command(&["DEBUG", "SLEEP", SLEEP_SECONDS]).ok();
    }
}

/// Adds a point. On a slow machine the deadline may pass; then it was definitely not applied.
fn add_one(server: &Server, member: &str) {
    let one = json!({"board": "gifts/a", "member": member, "points": 1, "id": member});
    eventually("a contribution is applied", || {
        (server.contribute(&one).status == 200).then_some(())
    });
}

/// Returns the points of all members.
fn points(server: &Server) -> u64 {
    let top = server.get("/v1/boards/gifts/a/top?fresh=true&n=100");
    let points = top.ranked().into_iter().map(|(_, _, points)| points);
    u64::try_from(points.sum::<i64>()).unwrap()
}

fn of_node(server: &Server, metric: &str) -> f64 {
    Exposition::of(server).sum(metric, &[])
}

#[test]
fn requests_beyond_the_capacity_of_a_node_are_refused_and_nothing_is_lost() {
    let redis = RedisOptions::new()
        .config("enable-debug-command yes")
        .start();
    let server = serve(&redis.url(), CONFIG);
    add_one(&server, "first");
    let connections = of_node(&server, "megaboard_redis_connections_total");
    let tally = Tally::default();
    thread::scope(|scope| {
        scope.spawn(|| keep_busy(&redis, &tally));
        let (server, tally) = (&server, &tally);
        for writer in 0..WRITERS {
            scope.spawn(move || write(server, writer, tally));
        }
        scope.spawn(|| read(server, tally));
        let enough = std::panic::catch_unwind(|| {
            eventually("enough requests of each outcome", || {
                tally.is_enough().then_some(())
            });
        });
        tally.has_ended.store(true, Ordering::Relaxed);
        enough.unwrap();
    });
    // Contributions are applied again.
    add_one(&server, "last");
    assert_eq!(points(&server), tally.applied.into_inner() + 2);
    // A write is waited for until its connection ends, so none was lost unless a connection was
    // reopened. Reads may be abandoned at their deadline, which does not affect the connection.
    let made = of_node(&server, "megaboard_redis_connections_total");
    assert!((made - connections).abs() < 0.5, "{made} connections");
}
