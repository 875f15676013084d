//! Redis is away, killed or silent: what is cached is shown as stale at once, other requests fail at once, and a write
//! waits for it only if its client asks for that.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::redis::{FaultProxy, Fsync, Matching, RedisOptions, RedisServer};
use testkit::{Response, Server, eventually};

use super::fixtures::serve;

const KIND: &str = "[kinds.k]\nwindows = [\"all\"]\nmax_staleness = \"0s\"\n";

/// Far less than the deadlines of reads and writes.
const SOON: Duration = Duration::from_millis(2_500);

/// Rounds of requests: if only one request of each waited for its deadline, they would take more than `SOON`.
const ROUNDS: usize = 10;

/// The headers of a write that waits.
const WAITING: [(&str, &str); 2] = [
    ("content-type", "application/json"),
    ("prefer", "respond-async, wait=15"),
];

fn item(board: &str) -> Value {
    json!({"board": board, "member": "u", "points": 1})
}

fn contribute_waiting(server: &Server, board: &str) -> Response {
    server.send(
        "POST",
        "/v1/contributions",
        &WAITING,
        item(board).to_string(),
    )
}

fn serve_with_boards(store: &str) -> Server {
    let server = serve(store, KIND);
    server.give("k/a", &[("u", 1)]);
    server.give("k/uncached", &[("u", 1)]);
    server.get("/v1/boards/k/a/top").ok();
    server
}

#[track_caller]
fn assert_unavailable(response: &Response) {
    response.problem(503, "unavailable", &[]);
    let problem = response.value();
    let (title, detail) = (problem["title"].as_str(), problem["detail"].as_str());
    assert!(!detail.unwrap().contains(title.unwrap()), "{problem}");
    assert!(response.header("retry-after").parse::<u32>().unwrap() > 0);
}

/// Sends each kind of request, none of which can be answered by Redis.
fn send_all(server: &Server) {
    let shown = server.get("/v1/boards/k/a/top").ok();
    assert_eq!(shown["stale"], json!(true), "{shown}");
    assert_eq!(shown["entries"][0]["points"], 1, "{shown}");
    for path in [
        "/v1/boards/k/a/top?fresh=true",
        "/v1/boards/k/uncached/top",
        "/v1/boards/k/unknown/top",
        "/v1/boards/k/a/members/u",
        "/v1/boards/k/a/range?from=1&to=2",
        "/v1/boards?kind=k",
    ] {
        assert_unavailable(&server.get(path));
    }
    for board in ["k/a", "k/unknown"] {
        let response = server.contribute(&item(board));
        assert_eq!(response.value()["failed_count"], 1, "{response:?}");
        assert_unavailable(&response);
    }
}

#[test]
fn while_redis_is_gone_tops_are_stale_and_other_requests_fail_at_once() {
    let redis = RedisOptions::new().append_only(Fsync::Always).start();
    let server = serve_with_boards(&redis.url());
    redis.kill();
    // The first write finds out, and waits for a second.
    let began = Instant::now();
    assert_unavailable(&server.contribute(&item("k/a")));
    assert!(began.elapsed() < 2 * SOON, "{:?}", began.elapsed());
    let began = Instant::now();
    (0..ROUNDS).for_each(|_| send_all(&server));
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    redis.start();
    eventually("the top is no longer stale", || {
        let shown = server.get("/v1/boards/k/a/top").ok();
        shown.get("stale").is_none().then_some(())
    });
}

#[test]
fn while_redis_is_silent_a_top_is_stale_before_the_connection_ends() {
    let redis = RedisServer::plain();
    let server = serve_with_boards(&redis.url());
    redis.pause();
    let began = Instant::now();
    let shown = server.get("/v1/boards/k/a/top").ok();
    assert_eq!(shown["stale"], json!(true), "{shown}");
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    eventually("the server is not ready", || {
        (server.get("/readyz").status == 503).then_some(())
    });
    // Since then it has been known; a write waits for another connection for a second.
    assert_unavailable(&server.contribute(&item("k/a")));
    let began = Instant::now();
    (0..ROUNDS).for_each(|_| send_all(&server));
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    redis.resume();
    eventually("the top is no longer stale", || {
        let shown = server.get("/v1/boards/k/a/top").ok();
        shown.get("stale").is_none().then_some(())
    });
}

#[test]
fn a_redis_that_replies_slowly_makes_no_top_stale() {
    let redis = RedisServer::shared();
    let proxy = FaultProxy::before(&redis);
    let server = serve_with_boards(proxy.url());
    // Less than a silence.
    proxy.delay_replies_of(&Matching::any(), Duration::from_millis(200));
    for _ in 0..5 {
        let shown = server.get("/v1/boards/k/a/top").ok();
        assert!(shown.get("stale").is_none(), "{shown}");
    }
}

#[test]
fn a_write_that_waits_is_applied_once_when_redis_is_back() {
    let redis = RedisOptions::new().append_only(Fsync::Always).start();
    let server = serve_with_boards(&redis.url());
    redis.kill();
    eventually("a write fails", || {
        (server.contribute(&item("k/a")).status == 503).then_some(())
    });
    thread::scope(|scope| {
        let server = &server;
        let others =
            ["k/a", "k/new"].map(|board| scope.spawn(move || contribute_waiting(server, board)));
        let set = scope.spawn(move || {
            let path = "/v1/boards/k/b/members/u";
            server.send("PUT", path, &WAITING, json!({"points": 7}).to_string())
        });
        // They do not hold up those that do not wait.
        let began = Instant::now();
        for _ in 0..ROUNDS {
            assert_unavailable(&server.contribute(&item("k/a")));
        }
        assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
        redis.start();
        for other in others.into_iter().chain([set]) {
            assert_eq!(other.join().unwrap().ok()["applied"], 1);
        }
    });
    for (board, points) in [("k/a", 2), ("k/new", 1), ("k/b", 7)] {
        let shown = server
            .get(format!("/v1/boards/{board}/top?fresh=true"))
            .ok();
        assert_eq!(shown["entries"][0]["points"], points, "{shown}");
    }
}

#[test]
fn a_new_board_fails_as_fast_as_a_known_one_while_a_node_is_away() {
    let nodes = [RedisServer::plain(), RedisServer::plain()];
    let addresses = nodes.each_ref().map(|node| node.address().to_string());
    let server = serve(&format!("redis://{}", addresses.join(",")), KIND);
    server.give("k/a", &[("u", 1)]);
    nodes[1].kill();
    eventually("the server is not ready", || {
        (server.get("/readyz").status == 503).then_some(())
    });
    // Known for longer than a write waits for it.
    thread::sleep(Duration::from_millis(1_100));
    let began = Instant::now();
    let write = |board: usize| server.contribute(&item(&format!("k/new-{board}"))).status;
    let statuses: Vec<_> = (0..2 * ROUNDS).map(write).collect();
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    let failed = statuses.iter().filter(|status| **status == 503).count();
    let applied = statuses.iter().filter(|status| **status == 200).count();
    assert!(
        failed > 0 && failed + applied == statuses.len(),
        "{statuses:?}"
    );
    // Nor does a deletion wait until its deadline.
    let began = Instant::now();
    let deleted = server.send("DELETE", "/v1/boards/k/a", &[], String::new());
    deleted.problem(503, "unknown", &["not yet on all shards"]);
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
}

#[test]
fn writes_that_wait_leave_permits_to_other_requests() {
    let redis = RedisServer::plain();
    let limits = "[server.limits]\nrequests = 16\n";
    let server = serve(&redis.url(), &format!("{limits}{KIND}"));
    server.give("k/a", &[("u", 1)]);
    server.get("/v1/boards/k/a/top").ok();
    redis.kill();
    eventually("a write fails", || {
        (server.contribute(&item("k/a")).status == 503).then_some(())
    });
    thread::scope(|scope| {
        let write = || contribute_waiting(&server, "k/a");
        let writes: Vec<_> = (0..15).map(|_| scope.spawn(write)).collect();
        // Those of the second half fail at once.
        let failed = eventually("some writes have failed", || {
            let ended = writes.iter().filter(|write| write.is_finished()).count();
            (ended >= 7).then_some(ended)
        });
        assert_eq!(failed, 7);
        let shown = server.get("/v1/boards/k/a/top").ok();
        assert_eq!(shown["stale"], json!(true), "{shown}");
        redis.start();
        let statuses = writes.into_iter().map(|write| write.join().unwrap().status);
        let mut statuses: Vec<_> = statuses.collect();
        statuses.sort_unstable();
        assert_eq!(statuses, [vec![200; 8], vec![503; 7]].concat());
    });
}

#[test]
fn a_write_that_the_store_rejects_does_not_wait() {
    let redis = RedisServer::plain();
    let server = serve(&redis.url(), KIND);
    server.give("k/a", &[("u", 1)]);
    redis.command(&["CONFIG", "SET", "maxmemory", "1"]);
    let began = Instant::now();
    for _ in 0..ROUNDS {
        assert_unavailable(&contribute_waiting(&server, "k/a"));
    }
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
}
