//! A Redis that has more to do than it can: it is not taken for one that is away. What comes too late is
//! refused at once, everything else is as ever, and when it has time again so is all.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::json;
use testkit::redis::{RedisOptions, RedisServer};
use testkit::{Exposition, Server, eventually, ndjson};

use super::serve;

/// One lane of calls, and little time.
const CONFIG: &str = "[redis]\nwrite_deadline = \"1s\"\n\n\
    [kinds.gifts]\nwindows = [\"all\"]\nshards = 1\ndedupe = \"1h\"\n";

/// For so long the node does nothing else, in seconds, each time that it is asked.
const ASLEEP: &str = "0.3";

/// More than what the node does within the deadline.
const WRITERS: usize = 18;

/// Contributions of a request: one call takes no more.
const LINES: usize = 1000;

/// Members of each writer: what all have is one page of a top.
const MEMBERS: usize = 4;

/// Requests that are to end so, each way.
const ENOUGH: u64 = 10;

/// Fresh reads meanwhile.
const READS_ENOUGH: u64 = 5;

#[derive(Default)]
struct Tally {
    has_ended: AtomicBool,
    /// Contributions, and requests of which some were applied.
    applied: AtomicU64,
    taken: AtomicU64,
    /// Requests that were refused whole.
    overloaded: AtomicU64,
    reads: AtomicU64,
}

impl Tally {
    fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Relaxed)
    }

    fn is_enough(&self) -> bool {
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        count(&self.taken) >= ENOUGH
            && count(&self.overloaded) >= ENOUGH
            && count(&self.reads) >= READS_ENOUGH
    }
}

fn lines(writer: usize, turn: usize) -> String {
    let line = |line: usize| {
        json!({
            "board": "gifts/a",
            "member": format!("w{writer}-{}", line % MEMBERS),
            "points": 1,
            "id": format!("{writer}-{turn}-{line}"),
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
        let answer = server.send("POST", "/v1/contributions", &headers, body);
        let receipt = answer.value();
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
            assert_eq!(answer.status, 200);
            tally.taken.fetch_add(1, Ordering::Relaxed);
        } else {
            answer.problem(503, "overloaded", &["work for", "waiting"]);
            assert!(answer.header("retry-after").parse::<u64>().unwrap() >= 1);
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
        redis.command(&["DEBUG", "SLEEP", ASLEEP]).ok();
    }
}

/// Adds a point. Where the machine is slow, its deadline may pass: then it was definitely not applied.
fn add_one(server: &Server, member: &str) {
    let one = json!({"board": "gifts/a", "member": member, "points": 1, "id": member});
    eventually("a contribution is applied", || {
        (server.contribute(&one).status == 200).then_some(())
    });
}

/// What all members have.
fn points(server: &Server) -> u64 {
    let top = server.get("/v1/boards/gifts/a/top?fresh=true&n=100");
    let points = top.ranked().into_iter().map(|(_, _, points)| points);
    u64::try_from(points.sum::<i64>()).unwrap()
}

fn of_node(server: &Server, metric: &str) -> f64 {
    Exposition::of(server).sum(metric, &[])
}

#[test]
fn what_a_busy_node_has_no_time_for_is_refused_and_nothing_is_lost() {
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
            eventually("enough of each", || tally.is_enough().then_some(()));
        });
        tally.has_ended.store(true, Ordering::Relaxed);
        enough.unwrap();
    });
    // Contributions are applied again.
    add_one(&server, "last");
    assert_eq!(points(&server), tally.applied.into_inner() + 2);
    // A write is waited for until its connection ends, so none was lost while none had to be made anew. Calls that
    // read may be given up at their deadline, which says nothing of the connection.
    let made = of_node(&server, "megaboard_redis_connections_total");
    assert!((made - connections).abs() < 0.5, "{made} connections");
}
