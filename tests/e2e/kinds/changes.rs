//! The changes of a kind with boards that are allowed, and those that are 409.

use serde_json::{Value, json};
use testkit::clock::now_ms;
use testkit::{Server, eventually};

use super::with;

fn used() -> Server {
    let server = Server::with("[kinds.k]\nwindows = [\"day\", \"all\"]\nshards = 2\n");
    let item = |member: &str, at: i64| json!({"board": "k/a", "member": member, "points": 5, "at": now_ms() - at});
    server.contribute(&json!([item("u", 2), item("v", 1)])).ok();
    server
}

#[test]
fn allowed_changes_are_applied() {
    let server = used();
    for (setting, value) in [
        ("top", json!(1)),
        ("max_staleness", json!("5s")),
        ("keep", json!({"day": "3d", "all": {"idle": "7d"}})),
        ("close", json!({"day": "10m"})),
        ("dedupe", json!("2h")),
        ("rank", json!("competition")),
        ("shards", json!(8)),
    ] {
        let shape = with(&server, "k", setting, value.clone());
        let changed = server.put("/v1/kinds/k", &shape).is(200);
        assert_eq!(changed[setting], value);
        assert_eq!(server.get("/v1/kinds/k").ok(), changed);
    }
    // The new rank style and maximum depth apply; existing boards keep their shards.
    let range = server
        .get("/v1/boards/k/a/range?from=1&to=2&window=all")
        .ranked();
    assert_eq!(range, [(1, "u".to_owned(), 5), (1, "v".to_owned(), 5)]);
    let top = server
        .get("/v1/boards/k/a/top?window=all&fresh=true")
        .ranked();
    assert_eq!(top.len(), 1);
    server
        .get("/v1/boards/k/a/top?n=2")
        .problem(400, "invalid", &["n", "\"2\"", "1"]);
    assert_eq!(server.get("/v1/boards/k/a").ok()["shards"], 2);
    server.give("k/b", &[("u", 1)]);
    assert_eq!(server.get("/v1/boards/k/b").ok()["shards"], 8);
}

#[test]
fn a_change_of_rank_style_applies_to_the_cached_board() {
    let server = used();
    let ranks = || {
        let top = server.get("/v1/boards/k/a/top?window=all").ranked();
        top.into_iter().map(|(rank, _, _)| rank).collect::<Vec<_>>()
    };
    assert_eq!(ranks(), [1, 2]);
    let shape = with(&server, "k", "rank", json!("competition"));
    server.put("/v1/kinds/k", &shape).ok();
    eventually("the new ranks are shown", || {
        (ranks() == [1, 1]).then_some(())
    });
}

#[test]
fn other_changes_are_409_with_the_reason() {
    let server = used();
    let before = server.get("/v1/kinds/k").ok();
    let version = server.versions("k/a");
    for (setting, value) in [
        ("mode", json!("best")),
        ("mode", json!("latest")),
        ("ties", json!("latest")),
        ("time_zone", json!("Asia/Tokyo")),
        ("fields", json!([{"name": "other"}])),
        ("fields", json!([{"name": "points", "order": "asc"}])),
        ("fields", json!([{"name": "points", "op": "max"}])),
        ("fields", json!([{"name": "points"}, {"name": "more"}])),
    ] {
        let mut shape = with(&server, "k", setting, value.clone());
        if setting == "mode" {
            shape["fields"] = json!([{"name": "points"}]);
        }
        let response = server.put("/v1/kinds/k", &shape);
        response.problem(409, "kind-has-boards", &[setting]);
    }
    for windows in [json!(["day"]), json!(["all"])] {
        let mut shape = with(&server, "k", "windows", windows);
        shape["keep"] = json!({});
        let response = server.put("/v1/kinds/k", &shape);
        response.problem(409, "kind-has-boards", &["windows"]);
    }
    assert_eq!(server.get("/v1/kinds/k").ok(), before);
    assert_eq!(server.versions("k/a"), version);
}

#[test]
fn the_window_all_cannot_be_added() {
    let server = Server::with("[kinds.k]\nwindows = [\"day\"]\n");
    server.give("k/a", &[("u", 1)]);
    let shape = with(&server, "k", "windows", json!(["day", "all"]));
    server
        .put("/v1/kinds/k", &shape)
        .problem(409, "kind-has-boards", &["windows", "all"]);
}

#[test]
fn an_added_window_begins_at_its_next_start() {
    let server = used();
    let shape = with(&server, "k", "windows", json!(["day", "month", "all"]));
    let changed = server.put("/v1/kinds/k", &shape).is(200);
    assert_eq!(changed["windows"], json!(["day", "month", "all"]));
    // This month had already started.
    server.give("k/a", &[("u", 1)]);
    server
        .get("/v1/boards/k/a/top?window=month")
        .problem(404, "unknown-window", &["month:20"]);
    let board = server.get("/v1/boards/k/a?window=all&fresh=true").ok();
    let windows = board["windows"].as_array().unwrap();
    let month = |window: &Value| window["window"].as_str().unwrap().starts_with("month:");
    assert!(!windows.iter().any(month), "{board}");
    // Putting the kind back as it is shown does not change the start.
    let shown = server.get("/v1/kinds/k").ok();
    assert_eq!(server.put("/v1/kinds/k", &shown).is(200), shown);
}
