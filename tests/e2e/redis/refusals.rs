//! A Redis with an unsuitable configuration, or a full one: refused with the reason.

use serde_json::{Value, json};
use testkit::redis::{RedisOptions, RedisServer};

use super::fixtures::{launch, serve};

/// Asserts that the server refuses to start with all of these words.
fn assert_refused(store: &str, words: &[&str]) {
    let (status, stderr) = launch(store, "").refused();
    assert_eq!(status, Some(1), "{stderr}");
    for word in words {
        assert!(stderr.contains(word), "{word:?} is not in: {stderr}");
    }
}

#[test]
fn a_redis_that_may_evict_keys_is_refused_unless_allowed() {
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
    assert_refused(&redis.url(), &words);
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
        let (status, stderr) = launch(&store, "").refused();
        assert_eq!(status, Some(1), "{stderr}");
        let is_reported = stderr.contains("WRONGPASS") || stderr.contains("NOAUTH");
        assert!(is_reported && stderr.contains(&address), "{stderr}");
        assert!(!stderr.contains("wrong@"), "{stderr}");
    }
    serve(&redis.url(), "").give("gifts/a", &[("u", 1)]);
}

#[test]
fn an_unreachable_redis_is_reported() {
    let redis = RedisServer::plain();
    redis.stop();
    let address = redis.address().to_string();
    assert_refused(&redis.url(), &["cannot be reached", &address]);
}

#[test]
fn a_full_redis_refuses_writes_until_it_has_memory_and_reads_continue() {
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
    // The rejected contribution has left no id.
    assert_eq!(server.contribute(&items.into()).ok()["applied"], 20);
    server.give("gifts/new", &[("u", 1)]);
    let shown = server
        .get("/v1/boards/gifts/a/top?window=all&fresh=true")
        .ranked();
    assert_eq!(shown, [(1, "u".to_owned(), 27)]);
}
