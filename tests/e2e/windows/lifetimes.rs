//! Members leave the window `all` after the `score_ttl` of their kind, on every store.

use serde_json::{Value, json};
use testkit::clock::{MINUTE_MS, now_ms};
use testkit::redis::RedisServer;
use testkit::{Launch, Server, eventually};

use super::top;

const KINDS: &str = "[kinds.k]\nwindows = [\"all\", \"year\"]\nscore_ttl = \"8s\"\n\
    [kinds.dense]\nwindows = [\"all\"]\nrank = \"dense\"\nscore_ttl = \"8s\"\n";

fn give(server: &Server, board: &str, member: &str, points: i64, at: i64) {
    let item = json!({"board": board, "member": member, "points": points, "at": at});
    assert_eq!(server.contribute(&item).ok()["applied"], 1);
}

fn ranked(server: &Server, board: &str, window: &str) -> Vec<(Value, Value)> {
    let shown = top(server, board, window).ok();
    let entries = shown["entries"].as_array().unwrap().iter();
    let of = |entry: &Value| (entry["member"].clone(), entry["points"].clone());
    entries.map(of).collect()
}

fn test_lifetimes(mut server: Server, kept: bool) {
    let old = now_ms() - MINUTE_MS;
    for board in ["k/a", "dense/a"] {
        give(&server, board, "ann", 5, old);
        give(&server, board, "ben", 1, old);
        give(&server, board, "cyd", 9, old);
    }
    eventually("those who have not contributed have left", || {
        // These two go on.
        for board in ["k/a", "dense/a"] {
            give(&server, board, "ben", 1, now_ms());
            give(&server, board, "dan", 1, now_ms());
        }
        let has_left = |board| {
            let ranked = ranked(&server, board, "all");
            let names: Vec<_> = ranked.iter().map(|(name, _)| name.clone()).collect();
            names == ["ben", "dan"] || names == ["dan", "ben"]
        };
        (has_left("k/a") && has_left("dense/a")).then_some(())
    });
    // Other windows keep what counted in them.
    let year = ranked(&server, "k/a", "year");
    assert!(year.contains(&(json!("cyd"), json!(9))), "{year:?}");
    if kept {
        // What was removed before is durable with this.
        give(&server, "k/a", "dan", 1, now_ms());
        server = server.kill().start();
        let names: Vec<_> = ranked(&server, "k/a", "all");
        assert!(
            names.iter().all(|(name, _)| name != "ann" && name != "cyd"),
            "{names:?}"
        );
    }
    // Who comes back begins again.
    give(&server, "k/a", "cyd", 2, now_ms());
    let all = ranked(&server, "k/a", "all");
    assert!(all.contains(&(json!("cyd"), json!(2))), "{all:?}");
}

#[test]
fn members_leave_in_memory() {
    test_lifetimes(Server::with(KINDS), false);
}

#[test]
fn members_leave_in_a_folder() {
    test_lifetimes(Server::durable(KINDS), true);
}

#[test]
fn members_leave_on_redis() {
    let redis = RedisServer::plain();
    let launch = Launch::on_a_free_port(KINDS).args(&format!("--store {}", redis.url()));
    test_lifetimes(launch.start(), true);
}
