//! A Redis that is not to be used as it is, and one that is full: refused, and told why.

use serde_json::{Value, json};
use testkit::redis::{RedisOptions, RedisServer};

use super::stage::{launch, serve};

/// A start is refused with all of these words.
fn is_refused(store: &str, words: &[&str]) {
    let (status, said) = launch(store, "").refused();
    assert_eq!(status, Some(1), "{said}");
    for word in words {
        assert!(said.contains(word), "{word:?} is not in: {said}");
    }
}

#[test]
fn a_server_that_may_evict_keys_is_refused_unless_that_is_allowed() {
    let options = RedisOptions::new().config("maxmemory-policy allkeys-lru");
    let redis = options.start();
    let address = redis.address().to_string();
    let words = [
        "maxmemory-policy",
        "allkeys-lru",
        "noeviction",
        "allow_eviction",
        &address,
    ];
    is_refused(&redis.url(), &words);
    let server = serve(&redis.url(), "[redis]\nallow_eviction = true\n");
    server.give("gifts/a", &[("u", 1)]);
    let log = server.log();
    let warned = |line: &str| line.contains("WARN") && line.contains("allkeys-lru");
    assert!(log.lines().any(warned), "{log}");
}

#[test]
fn a_wrong_password_and_a_missing_one_are_reported() {
    let redis = RedisOptions::new().password("right").start();
    let address = redis.address().to_string();
    for login in ["", ":wrong@", "nobody:right@"] {
        let store = format!("redis://{login}{address}");
        let (status, said) = launch(&store, "").refused();
        assert_eq!(status, Some(1), "{said}");
        let is_told = said.contains("WRONGPASS") || said.contains("NOAUTH");
        assert!(is_told && said.contains(&address), "{said}");
        assert!(!said.contains("wrong@"), "{said}");
    }
    serve(&redis.url(), "").give("gifts/a", &[("u", 1)]);
}

#[test]
fn an_address_without_a_server_is_reported() {
    let redis = RedisServer::plain();
    redis.stop();
    let address = redis.address().to_string();
    is_refused(&redis.url(), &["cannot be reached", &address]);
}

#[test]
fn a_server_that_is_full_takes_no_write_until_it_has_room_and_is_read_all_the_while() {
    let redis = RedisServer::plain();
    let server = serve(&redis.url(), "");
    server.give("gifts/a", &[("u", 7)]);
    redis.command(&["CONFIG", "SET", "maxmemory", "1"]).ok();
    let item = |id: &str| json!({"board": "gifts/a", "member": "u", "points": 1, "id": id});
    let one = server.contribute(&item("1"));
    let problem = one.problem(503, "unavailable", &["maxmemory"]);
    assert!(one.header("retry-after").parse::<u32>().unwrap() > 0);
    assert_eq!(problem["failed_count"], 1, "{problem}");
    let items: Vec<Value> = (1..=20).map(|id| item(&id.to_string())).collect();
    let many = server.contribute(&items.clone().into());
    many.problem(503, "unavailable", &["maxmemory"]);
    assert_eq!(many.value()["failed_count"], items.len());
    let new = json!({"board": "gifts/new", "member": "u", "points": 1});
    server
        .contribute(&new)
        .problem(503, "unavailable", &["maxmemory"]);
    server
        .put("/v1/kinds/new", &json!({}))
        .problem(503, "unavailable", &["maxmemory"]);
    let shown = server
        .get("/v1/boards/gifts/a/top?window=all&fresh=true")
        .ranked();
    assert_eq!(shown, [(1, "u".to_owned(), 7)]);
    redis.command(&["CONFIG", "SET", "maxmemory", "0"]).ok();
    // What was refused has left no id behind.
    assert_eq!(server.contribute(&items.into()).ok()["applied"], 20);
    server.give("gifts/new", &[("u", 1)]);
    let shown = server
        .get("/v1/boards/gifts/a/top?window=all&fresh=true")
        .ranked();
    assert_eq!(shown, [(1, "u".to_owned(), 27)]);
}
