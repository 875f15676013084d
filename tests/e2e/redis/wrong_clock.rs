//! A server with a wrong clock, on a store shared with others: it does no harm, reports it, and
//! continues when its clock is right again.

use serde_json::{Value, json};
use testkit::clock::{WrongClock, now_ms, rfc3339, zone_in_mid_hour};
use testkit::redis::RedisServer;
use testkit::{Exposition, Server, eventually};

use super::fixtures::{keys, launch, serve};

/// A kind whose data would be dropped by a clock days ahead.
fn kind() -> String {
    format!(
        "[kinds.gifts]\nwindows = [\"hour\", \"all\"]\ndedupe = \"1h\"\ntime_zone = \"{}\"\n",
        zone_in_mid_hour()
    )
}

fn gift(id: &str) -> Value {
    json!({"board": "gifts/a", "member": "u", "points": 1, "id": id})
}

fn points(server: &Server, window: &str) -> Vec<(u64, String, i64)> {
    let path = format!("/v1/boards/gifts/a/top?fresh=true&window={window}");
    server.get(path).ranked()
}

/// Returns the number of refused sweeps.
fn sweeps_refused(server: &Server) -> f64 {
    Exposition::of(server).sum(
        "megaboard_store_call_failures_total",
        &[("call", "expire"), ("outcome", "unavailable")],
    )
}

/// Asserts that no write is applied, and that all report the reason.
fn assert_refuses_writes(server: &Server, id: &str) {
    let refused = server.contribute(&gift(id));
    refused.problem(503, "unavailable", &["clock"]);
    assert_eq!(refused.value()["failed_count"], 1);
    let new = json!({"board": "gifts/new", "member": "u", "points": 1});
    let refused = server.contribute(&new);
    refused.problem(503, "unavailable", &["clock", "clock_skew_max"]);
    // With an uncertain clock nothing is rejected as too early or too late.
    let timed = json!({"board": "gifts/a", "member": "u", "points": 1, "at": rfc3339(now_ms())});
    let refused = server.contribute(&timed);
    refused.problem(503, "unavailable", &["clock"]);
    assert_eq!(refused.value()["rejected_count"], 0);
    let settings = json!({"ends_at": "2100-01-01T00:00:00Z"});
    let refused = server.put("/v1/boards/gifts/timed", &settings);
    refused.problem(503, "unavailable", &["clock"]);
    let zone = zone_in_mid_hour();
    let window = json!({"windows": ["hour", "day", "all"], "dedupe": "1h", "time_zone": zone});
    let refused = server.put("/v1/kinds/gifts", &window);
    refused.problem(503, "unavailable", &["clock"]);
    let erased = server.delete("/v1/boards/gifts/a/members/u");
    erased.problem(503, "unavailable", &["clock"]);
    let ready = server.get("/readyz");
    ready.problem(503, "unavailable", &["clock", "clock_skew_max"]);
}

fn wait_until_ready(server: &Server) {
    eventually("the server is ready again", || {
        (server.get("/readyz").status == 200).then_some(())
    });
}

#[test]
fn a_server_with_a_wrong_clock_drops_and_writes_nothing() {
    let redis = RedisServer::plain();
    let kind = kind();
    let right = serve(&redis.url(), &kind);
    right.contribute(&gift("1")).ok();
    let before = keys(&redis, "gifts/a");
    let clock = WrongClock::off_by("+3d");
    let wrong = clock.apply_to(launch(&redis.url(), &kind)).start();
    assert_refuses_writes(&wrong, "2");
    eventually("a sweep is refused", || {
        (sweeps_refused(&wrong) >= 1.0).then_some(())
    });
    assert_eq!(keys(&redis, "gifts/a"), before);
    // The current hour is shared by all servers and has not ended.
    let one = [(1, "u".to_owned(), 1)];
    for server in [&right, &wrong] {
        let top = server.get("/v1/boards/gifts/a/top?fresh=true&window=hour");
        assert_eq!(top.ranked(), one);
        assert!(!top.body.contains("\"final\""), "{top:?}");
    }
    assert_eq!(right.contribute(&gift("1")).ok()["duplicates"], 1);
    assert_eq!(right.contribute(&gift("2")).ok()["applied"], 1);
    assert_eq!(points(&right, "hour"), [(1, "u".to_owned(), 2)]);
    let warned = |line: &str| line.contains("WARN") && line.contains("ahead");
    assert!(wrong.log().lines().any(warned), "{}", wrong.log());
    let node = redis.address().to_string();
    let skew = |server: &Server| {
        Exposition::of(server).sum("megaboard_redis_clock_skew_seconds", &[("node", &node)])
    };
    assert!((skew(&wrong) - 3.0 * 86_400.0).abs() < 60.0);
    assert!(skew(&right).abs() < 60.0);
    clock.set("+0");
    wait_until_ready(&wrong);
    assert_eq!(wrong.contribute(&gift("1")).ok()["duplicates"], 1);
    assert_eq!(wrong.contribute(&gift("3")).ok()["applied"], 1);
    // The clock jumps while the server runs: no write is applied after that.
    for offset in ["+3d", "-10m"] {
        clock.set(offset);
        assert_refuses_writes(&wrong, "4");
        clock.set("+0");
        wait_until_ready(&wrong);
    }
    for server in [&right, &wrong] {
        assert_eq!(points(server, "hour"), [(1, "u".to_owned(), 3)]);
        assert_eq!(points(server, "all"), [(1, "u".to_owned(), 3)]);
    }
}

#[test]
fn a_clock_within_the_limit_is_accepted() {
    let redis = RedisServer::plain();
    let clock = WrongClock::off_by("+3d");
    let config = format!("{}[redis]\nclock_skew_max = \"1d\"\n", kind());
    let server = clock.apply_to(launch(&redis.url(), &config)).start();
    let refused = server.contribute(&gift("1"));
    refused.problem(503, "unavailable", &["clock", "86400.0 s"]);
    clock.set("+23h");
    wait_until_ready(&server);
    server.contribute(&gift("1")).ok();
}

#[test]
fn within_the_limit_all_servers_use_the_time_of_the_store() {
    let redis = RedisServer::plain();
    for offset in ["+40", "-40"] {
        let clock = WrongClock::off_by(offset);
        let server = clock.apply_to(launch(&redis.url(), &kind())).start();
        let before = rfc3339(now_ms() - 1_000);
        let gift = json!({"board": "gifts/a", "member": offset, "points": 1});
        server.contribute(&gift).ok();
        let after = rfc3339(now_ms() + 1_000);
        let path = format!("/v1/boards/gifts/a/members/{offset}?window=all&fresh=true");
        let standing = server.get(path).ok();
        let at = standing["reached_at"].as_str().unwrap();
        let seconds = |time: &str| time[..19].to_owned();
        let taken = seconds(&before)..=seconds(&after);
        assert!(
            taken.contains(&seconds(at)),
            "{offset}: {at}, not in {taken:?}"
        );
    }
}
