//! A kind is put, shown, listed, used, deleted.

use serde_json::{Value, json};
use testkit::redis::RedisServer;
use testkit::{Launch, Server};

fn names(server: &Server) -> Vec<String> {
    let kinds = server.get("/v1/kinds").ok();
    let kinds = kinds["kinds"].as_array().unwrap().iter();
    kinds
        .map(|kind| kind["kind"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_kind_is_put_shown_used_and_deleted() {
    let server = Server::start();
    let path = "/v1/kinds/likes";
    server.get(path).problem(404, "unknown-kind", &["likes"]);
    let shape = json!({"windows": ["day", "all"], "shards": 2});
    let made = server.put(path, &shape).is(201);
    assert_eq!(
        (&made["kind"], &made["shards"], &made["top"]),
        (&json!("likes"), &json!(2), &json!(1000))
    );
    assert_eq!(made["keep"], json!({"day": "35d", "all": "forever"}));
    assert_eq!(server.get(path).ok(), made);
    assert_eq!(names(&server), ["gifts", "likes"]);
    // A kind as it is shown can be put.
    assert_eq!(server.put(path, &made).is(200), made);
    server.give("likes/a", &[("u", 1)]);
    assert_eq!(server.get("/v1/boards/likes/a").ok()["shards"], 2);
    server
        .delete(path)
        .problem(409, "kind-has-boards", &["likes"]);
    server.delete("/v1/boards/likes/a").is_empty();
    server.delete(path).is_empty();
    server.get(path).problem(404, "unknown-kind", &["likes"]);
    server.delete(path).problem(404, "unknown-kind", &["likes"]);
    let item = json!({"board": "likes/a", "member": "u", "points": 1});
    server
        .contribute(&item)
        .problem(404, "unknown-kind", &["likes"]);
    assert_eq!(names(&server), ["gifts"]);
    server.put(path, &json!({})).is(201);
    assert_eq!(
        server.get("/v1/boards/likes/a/top?window=all").ok()["members"],
        0
    );
}

#[test]
fn shards_default_by_the_store_and_the_cores() {
    let cores = std::thread::available_parallelism().unwrap().get();
    let redis = RedisServer::plain();
    for (store, expected) in [
        ("memory:", (2 * cores).clamp(4, 16).next_power_of_two()),
        (&redis.url(), 16),
    ] {
        let server = Launch::new()
            .file("megaboard.toml", "[kinds.gifts]\n")
            .args(&format!("--listen 127.0.0.1:0 --store {store}"))
            .start();
        let put = server.put("/v1/kinds/likes", &json!({})).is(201);
        assert_eq!(put["shards"], expected, "{store}");
        assert_eq!(server.get("/v1/kinds/gifts").ok()["shards"], expected);
    }
}

#[test]
fn a_kind_without_boards_can_change_in_any_way() {
    let server = Server::start();
    let shape = json!({"mode": "latest", "windows": ["all"], "time_zone": "Asia/Tokyo",
                       "fields": [{"name": "laps"}], "ties": "member"});
    let changed = server.put("/v1/kinds/gifts", &shape).is(200);
    for (setting, value) in shape.as_object().unwrap() {
        if setting != "fields" {
            assert_eq!(changed[setting], *value, "{setting}");
        }
    }
    let item = json!({"board": "gifts/a", "member": "u", "values": {"laps": 3}});
    assert_eq!(server.contribute(&item).ok()["applied"], 1);
}

#[test]
fn put_replaces_the_whole_kind_and_omitted_settings_are_defaults() {
    let server = Server::start();
    server.put("/v1/kinds/gifts", &json!({"top": 5})).ok();
    let shown = server.put("/v1/kinds/gifts", &json!({"shards": 1})).ok();
    assert_eq!((&shown["top"], &shown["shards"]), (&json!(1000), &json!(1)));
}

#[test]
fn a_deleted_kind_is_not_restored_by_the_configuration_file() {
    let server = Server::with("[kinds.a]\ntop = 1\n[kinds.b]\n");
    server.delete("/v1/kinds/a").is_empty();
    server
        .get("/v1/kinds/a")
        .problem(404, "unknown-kind", &["a"]);
    assert_eq!(names(&server), ["b"]);
    let made = server.put("/v1/kinds/a", &json!({})).is(201);
    assert_eq!(made["top"], 1000);
}

#[test]
fn all_settings_are_returned_as_they_were_put() {
    let server = Server::start();
    let shape = json!({
        "kind": "k", "mode": "accumulate", "rank": "competition", "ties": "latest",
        "fields": [{"name": "a", "order": "asc", "op": "min"}, {"name": "b_2", "order": "desc", "op": "last"},
                   {"name": "c", "order": "desc", "op": "max"}, {"name": "d", "order": "desc", "op": "sum"}],
        "windows": ["month", "hour"], "time_zone": "America/New_York", "shards": 4096, "top": 10000,
        "max_staleness": "0s", "keep": {"hour": "90m", "month": "forever"}, "close": {"hour": "0s"},
        "dedupe": "7d",
    });
    assert_eq!(server.put("/v1/kinds/k", &shape).is(201), shape);
    let listed = server.get("/v1/kinds").ok();
    let kinds: &Vec<Value> = listed["kinds"].as_array().unwrap();
    assert!(kinds.contains(&shape), "{listed}");
}
