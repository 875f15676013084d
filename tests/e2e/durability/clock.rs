//! A clock that jumps under a server with an embedded store: nothing is lost, counted twice or
//! final too early, and readiness reports why writes are refused.

use serde_json::{Value, json};
use testkit::clock::{HOUR_MS, WrongClock, date, now_ms, rfc3339};
use testkit::{Exposition, Launch, Server, eventually};

/// Ids are remembered for a short time, so that a clock ahead by days would forget them, and
/// windows close at their end.
const KIND: &str =
    "[kinds.gifts]\nwindows = [\"hour\", \"all\"]\ndedupe = \"10m\"\nclose = { hour = \"0s\" }\n";

/// The number of sweeps to wait for. One runs every ten seconds.
const SWEPT: f64 = 2.0;

fn gift(id: &str) -> Value {
    json!({"board": "gifts/a", "member": "u", "points": 1, "id": id})
}

fn points(server: &Server, window: &str) -> Vec<(u64, String, i64)> {
    let path = format!("/v1/boards/gifts/a/top?fresh=true&window={window}");
    server.get(path).ranked()
}

fn one(points: i64) -> [(u64, String, i64); 1] {
    [(1, "u".to_owned(), points)]
}

/// Returns the current hour's name, and whether it lasts some minutes more.
fn hour() -> (String, bool) {
    let now = now_ms();
    let name = format!("hour:{}T{:02}Z", date(now), now / HOUR_MS % 24);
    (name, HOUR_MS - now % HOUR_MS > 180_000)
}

fn assert_refuses_writes(server: &Server) {
    let why = ["clock", "jumped", "clock_pause"];
    let refused = server.contribute(&gift("late"));
    refused.problem(503, "unavailable", &why);
    // With an uncertain clock nothing is rejected as too early or too late.
    let ahead = rfc3339(now_ms() + 3 * 24 * HOUR_MS);
    let timed = json!({"board": "gifts/a", "member": "u", "points": 1, "at": ahead});
    let refused = server.contribute(&timed);
    refused.problem(503, "unavailable", &why);
    assert_eq!(refused.value()["rejected_count"], 0);
    let settings = json!({"ends_at": "2100-01-01T00:00:00Z"});
    let refused = server.put("/v1/boards/gifts/timed", &settings);
    refused.problem(503, "unavailable", &why);
    let erased = server.delete("/v1/boards/gifts/a/members/u");
    erased.problem(503, "unavailable", &why);
    server.get("/readyz").problem(503, "unavailable", &why);
}

fn assert_ready(server: &Server) {
    assert_eq!(server.get("/readyz").status, 200);
}

fn sweeps(server: &Server) -> f64 {
    let calls = [("call", "expire")];
    Exposition::of(server).sum("megaboard_store_call_duration_seconds_count", &calls)
}

fn test_jump(launch: Launch, is_kept: bool) {
    let clock = WrongClock::off_by("+0");
    let mut server = clock.apply_to(launch).start();
    let (name, is_long) = hour();
    server.contribute(&gift("1")).ok();
    for offset in ["+3d", "-10m", "+90s"] {
        clock.set(offset);
        assert_refuses_writes(&server);
        // Reads use the right time.
        assert_eq!(points(&server, "all"), one(1));
        if is_long {
            assert_eq!(points(&server, &name), one(1), "{offset}");
            let top = server.get(format!("/v1/boards/gifts/a/top?window={name}"));
            assert!(!top.body.contains("\"final\""), "{offset}: {top:?}");
        }
        clock.set("+0");
        assert_ready(&server);
        assert_eq!(server.contribute(&gift("1")).ok()["duplicates"], 1);
    }
    clock.set("+3d");
    let before = sweeps(&server);
    eventually("sweeps under the wrong clock", || {
        (sweeps(&server) >= before + SWEPT).then_some(())
    });
    clock.set("+0");
    if is_kept {
        // The server starts under a wrong clock, which it can only compare with the folder: it
        // drops nothing.
        clock.set("+3d");
        server = server.kill().start();
        eventually("a sweep has run", || (sweeps(&server) >= 1.0).then_some(()));
        clock.set("+0");
        // Correcting the clock is another jump to this server, until the clock has passed the
        // earlier time.
        server = server.kill().start();
        assert_ready(&server);
    }
    assert_eq!(server.contribute(&gift("1")).ok()["duplicates"], 1);
    assert_eq!(server.contribute(&gift("2")).ok()["applied"], 1);
    assert_eq!(points(&server, "all"), one(2));
    if is_long {
        assert_eq!(points(&server, &name), one(2));
    }
    let warned = |line: &str| line.contains("WARN") && line.contains("jumped");
    assert!(server.log().lines().any(warned), "{}", server.log());
}

#[test]
fn a_jump_does_no_harm_in_a_folder() {
    test_jump(Launch::on_a_free_port(KIND), true);
}

#[test]
fn a_jump_does_no_harm_in_memory() {
    testkit::sampled!(a_jump_does_no_harm_in_memory);
    test_jump(Launch::on_a_free_port(KIND).args("--store memory:"), false);
}

#[test]
fn a_clock_that_stays_ahead_is_trusted_after_the_pause() {
    let config = format!("{KIND}[embedded]\nclock_pause = \"2s\"\n");
    let clock = WrongClock::off_by("+0");
    let server = clock.apply_to(Launch::on_a_free_port(&config)).start();
    server.contribute(&gift("1")).ok();
    for (offset, wrong_for) in [("+3d", 3 * 24 * HOUR_MS), ("+2d", 2 * 24 * HOUR_MS)] {
        clock.set(offset);
        assert_eq!(server.get("/readyz").status, 503);
        eventually("the clock is trusted", || {
            (server.get("/readyz").status == 200).then_some(())
        });
        let now = json!({
            "board": "gifts/a", "member": "v", "points": 1, "at": rfc3339(now_ms() + wrong_for),
        });
        assert_eq!(server.contribute(&now).ok()["applied"], 1, "{offset}");
    }
    assert_eq!(points(&server, "all").len(), 2);
}
