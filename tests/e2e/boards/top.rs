//! `GET .../top`: the best n of the cached global board.

use serde_json::json;
use testkit::Server;

use super::{ladder, on_a};

#[test]
fn top_returns_the_best_n_in_order() {
    let server = ladder(30);
    let top = server.get(on_a("/top?n=3"));
    let expected = [(1, "m01", 100), (2, "m02", 99), (3, "m03", 98)];
    assert_eq!(
        top.ranked(),
        expected.map(|(rank, m, p)| (rank, m.to_owned(), p))
    );
    let entry = &top.entries()[0];
    let names: Vec<&String> = entry.as_object().unwrap().keys().collect();
    assert_eq!(names.len(), 4, "{entry}");
    assert_eq!(top.ok()["members"], 30);
    assert_eq!(server.get(on_a("/top?n=1000")).entries().len(), 30);
    assert_eq!(server.get(on_a("/top")).entries().len(), 30);
}

#[test]
fn n_defaults_to_100_and_is_limited_by_the_kind() {
    let server = Server::with(
        "[kinds.gifts]\nwindows = [\"all\"]\ntop = 120\n[kinds.k]\nwindows = [\"all\"]\ntop = 5\n",
    );
    for kind in ["gifts", "k"] {
        let items: Vec<_> = (0..150)
            .map(|n| json!({"board": format!("{kind}/a"), "member": format!("u{n}"), "points": n}))
            .collect();
        server.contribute(&items.into()).ok();
    }
    let count = |path: &str| server.get(format!("/v1/boards/{path}")).entries().len();
    assert_eq!(count("gifts/a/top"), 100);
    assert_eq!(count("gifts/a/top?n=120"), 120);
    assert_eq!(count("k/a/top"), 5);
    server
        .get("/v1/boards/gifts/a/top?n=121")
        .problem(400, "invalid", &["n", "121", "120"]);
    for n in ["0", "-1", "x", "1.0", "", "+5", "99999999999999999999"] {
        let response = server.get(format!("/v1/boards/gifts/a/top?n={}", testkit::encoded(n)));
        response.problem(400, "invalid", &["n", &format!("{n:?}")]);
    }
}

#[test]
fn a_fresh_read_sees_every_answered_write() {
    let server = Server::with("[kinds.gifts]\nwindows = [\"all\"]\nmax_staleness = \"1h\"\n");
    for points in 1..=300 {
        server.give("gifts/a", &[("u", 1)]);
        let top = server.get("/v1/boards/gifts/a/top?fresh=true").ranked();
        assert_eq!(top, [(1, "u".to_owned(), points)]);
    }
}

#[test]
fn a_cached_board_is_no_older_than_max_staleness() {
    let server = Server::with(
        "[kinds.gifts]\nwindows = [\"all\"]\nmax_staleness = \"0s\"\n\
                               [kinds.slow]\nwindows = [\"all\"]\nmax_staleness = \"1h\"\n",
    );
    for points in 1..=100 {
        server.give("gifts/a", &[("u", 1)]);
        let top = server.get("/v1/boards/gifts/a/top").ranked();
        assert_eq!(top, [(1, "u".to_owned(), points)]);
    }
    // Within the hour the cached top is served, although it is out of date.
    server.give("slow/a", &[("u", 1)]);
    let shown = server.get("/v1/boards/slow/a/top").ok();
    server.give("slow/a", &[("u", 1)]);
    assert_eq!(server.get("/v1/boards/slow/a/top").ok(), shown);
    // A fresh read renews the cached top for all.
    let fresh = server.get("/v1/boards/slow/a/top?fresh=true").ok();
    assert_eq!(fresh["entries"][0]["points"], 2);
    assert_eq!(
        server.get("/v1/boards/slow/a/top").ok()["entries"],
        fresh["entries"]
    );
}

#[test]
fn versions_identify_boards_and_stay_while_nothing_changes() {
    let server = Server::start();
    let version = || server.get(on_a("/top?fresh=true")).ok()["version"].clone();
    let mut seen = vec![version()];
    for points in [1, -1, 0, 5] {
        server.give("gifts/a", &[("u", points)]);
        let now = version();
        assert_eq!(version(), now);
        if points != 0 {
            assert!(!seen.contains(&now), "{points}");
        }
        seen.push(now);
    }
}
