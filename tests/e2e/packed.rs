//! Packed kinds: values and times within a declared range are accepted and others rejected, on
//! every store; on Redis both are in one number.

use serde_json::{Value, json};
use testkit::redis::RedisServer;
use testkit::{Server, clock};

use crate::redis::{SCRIPT_FREE, serve};

const KINDS: &str = r#"
[kinds.gifts]
windows = ["all", "day"]
keep = { day = "forever" }
shards = 1
packed = { most = 1000, unit = "1s", from = "2026-01-01T00:00:00Z", until = "2027-01-01T00:00:00Z" }

[kinds.laps]
mode = "best"
fields = [{ name = "ms", order = "asc" }]
windows = ["all"]
packed = { most = 60000, unit = "100ms", from = "2026-01-01T00:00:00Z", until = "2026-04-01T00:00:00Z" }
"#;

#[test]
fn in_memory() {
    a_packed_kind_keeps_to_its_range(&Server::with(KINDS));
}

#[test]
fn in_a_folder() {
    let server = Server::durable(KINDS);
    a_packed_kind_keeps_to_its_range(&server);
    let server = server.kill().start();
    assert_eq!(
        order(&server, "gifts/a"),
        ["early", "b", "a", "late", "none"]
    );
}

#[test]
fn on_redis() {
    let redis = RedisServer::plain();
    let server = serve(&redis.url(), KINDS);
    a_packed_kind_keeps_to_its_range(&server);
    one_sorted_set_has_bare_names(&redis);
}

#[test]
fn on_redis_without_scripts() {
    let redis = RedisServer::plain();
    let server = serve(&redis.url(), &format!("[redis]\n{SCRIPT_FREE}{KINDS}"));
    a_packed_kind_keeps_to_its_range(&server);
    one_sorted_set_has_bare_names(&redis);
}

fn give(server: &Server, member: &str, points: i64, at: &str) -> Value {
    let item = json!({"board": "gifts/a", "member": member, "points": points, "at": at});
    let response = server.contribute(&json!([item]));
    match response.status {
        422 => response.rejected(),
        _ => response.ok(),
    }
}

fn order(server: &Server, board: &str) -> Vec<String> {
    let response = server
        .get(format!("/v1/boards/{board}/top?fresh=true"))
        .ok();
    let entries = response["entries"].as_array().unwrap().iter();
    entries
        .map(|entry| entry["member"].as_str().unwrap().to_owned())
        .collect()
}

fn a_packed_kind_keeps_to_its_range(server: &Server) {
    for (member, points, at) in [
        ("late", 600, "2026-03-01T12:00:02.999000Z"),
        ("a", 600, "2026-03-01T12:00:01.900000Z"),
        ("b", 600, "2026-03-01T12:00:01.100000Z"),
        ("early", 600, "2026-02-28T23:59:59Z"),
        ("none", 0, "2026-03-01T12:00:00Z"),
    ] {
        assert_eq!(give(server, member, points, at)["applied"], 1, "{member}");
    }
    // Within a second the greater name is first, as in all ties.
    assert_eq!(
        order(server, "gifts/a"),
        ["early", "b", "a", "late", "none"]
    );
    let shown = server.get("/v1/boards/gifts/a/members/b").ok();
    assert_eq!(shown["reached_at"], "2026-03-01T12:00:01.000000Z");
    sums_stay_in_range(server);
    times_stay_in_range(server);
    attempts_stay_in_range(server);
    boards_start_and_end_to_the_millisecond(server);
    let day = server
        .get("/v1/boards/gifts/a/top?window=day:2026-03-01")
        .ok();
    assert_eq!(day["members"], 4);
    let kind = server.get("/v1/kinds/gifts").ok();
    let packed = json!({"most": 1000, "unit": "1s", "from": "2026-01-01T00:00:00.000000Z",
        "until": "2027-01-01T00:00:00.000000Z"});
    assert_eq!(kind["packed"], packed);
}

fn sums_stay_in_range(server: &Server) {
    let at = "2026-03-01T12:00:03Z";
    for (points, words) in [
        (401, "points: 600 + 401 would leave the range of 0 to 1000"),
        (
            -601,
            "points: 600 + -601 would leave the range of 0 to 1000",
        ),
    ] {
        let response = give(server, "early", points, at);
        assert_eq!(response["rejected_count"], 1, "{response}");
        let problem = &response["rejected"][0];
        assert!(problem.to_string().contains("out-of-range"), "{response}");
        assert!(problem.to_string().contains(words), "{response}");
    }
    let outright = json!({"points": 1001, "at": at});
    server
        .put("/v1/boards/gifts/a/members/early", &outright)
        .problem(422, "out-of-range", &["points", "1001", "1000"]);
    // The rejected contributions changed nothing.
    let shown = server.get("/v1/boards/gifts/a/members/early").ok();
    assert_eq!(shown["points"], 600);
    let up_and_down = [("late", 400), ("late", -1000), ("late", 600)];
    for (member, points) in up_and_down {
        let response = give(server, member, points, "2026-03-01T12:00:02Z");
        assert_eq!(response["applied"], 1, "{response}");
    }
}

fn times_stay_in_range(server: &Server) {
    let lap = json!({"board": "laps/monza", "member": "u1", "values": {"ms": 1}, "at": "2026-04-01T00:00:00Z"});
    let early = json!({"board": "gifts/a", "member": "early", "points": 1, "at": "2025-12-31T23:59:59.999000Z"});
    for (item, span) in [
        (
            early,
            "2026-01-01T00:00:00.000000Z to 2027-01-01T00:00:00.000000Z",
        ),
        (
            lap,
            "2026-01-01T00:00:00.000000Z to 2026-04-01T00:00:00.000000Z",
        ),
    ] {
        let response = server.contribute(&json!([item])).rejected();
        assert_eq!(response["rejected_count"], 1, "{response}");
        let text = response.to_string();
        assert!(
            text.contains("out-of-range") && text.contains(span),
            "{text}"
        );
    }
}

fn boards_start_and_end_to_the_millisecond(server: &Server) {
    let start = clock::now_ms() / 1000 * 1000 - 10_000 + 555;
    let spans = json!({"starts_at": clock::rfc3339(start)});
    server.put("/v1/boards/gifts/started", &spans).ok();
    for (at, applied) in [(start - 1, 0), (start, 1), (start + 444, 1)] {
        let item = json!({"board": "gifts/started", "member": "a", "points": 1, "at": at});
        let response = server.contribute(&json!([item]));
        assert_eq!(
            response.value()["applied"],
            applied,
            "{at}: {}",
            response.body
        );
    }
    let shown = server
        .get("/v1/boards/gifts/started/members/a?fresh=true")
        .ok();
    assert_eq!(shown["points"], 2);
    assert_eq!(shown["reached_at"], clock::rfc3339(start - 555));
}

fn attempts_stay_in_range(server: &Server) {
    let lap = |member: &str, ms: i64, at: &str| {
        let values = json!({"ms": ms});
        json!({"board": "laps/monza", "member": member, "values": values, "at": at})
    };
    let laps = [
        lap("u1", 58_321, "2026-03-01T12:00:00.150000Z"),
        lap("u2", 58_321, "2026-03-01T12:00:00.050000Z"),
        lap("u3", 60_000, "2026-03-01T12:00:00Z"),
        lap("u4", 0, "2026-03-02T12:00:00Z"),
        lap("u4", 1, "2026-03-01T12:00:00Z"),
    ];
    assert_eq!(server.contribute(&json!(laps)).ok()["applied"], 5);
    assert_eq!(order(server, "laps/monza"), ["u4", "u2", "u1", "u3"]);
    for ms in [60_001, -1] {
        let response = server.contribute(&json!([lap("u1", ms, "2026-03-01T12:00:00Z")]));
        let response = response.rejected();
        assert_eq!(response["rejected_count"], 1, "{response}");
        assert!(
            response.to_string().contains("outside 0 to 60000"),
            "{response}"
        );
    }
    let range = server.get("/v1/boards/laps/monza/range?max=58321").ok();
    assert_eq!(range["entries"].as_array().unwrap().len(), 3);
}

/// The layout in `docs/methods.md`: 10 bits of points, 43 of seconds.
fn one_sorted_set_has_bare_names(redis: &RedisServer) {
    let keys = redis.command(&["KEYS", "megaboard:*gifts/a*:scores"]);
    assert!(keys.items().is_empty(), "{keys:?}");
    let keys = redis.command(&["KEYS", "megaboard:*gifts/a*:all:rank"]);
    let key = keys.items()[0].text().to_owned();
    let score: i64 = redis
        .command(&["ZSCORE", &key, "b"])
        .text()
        .parse()
        .unwrap();
    let seconds = 5_140_801;
    assert_eq!(score, (600 << 43) + (1 << 43) - 1 - seconds);
}
