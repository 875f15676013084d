//! A Redis with an unsuitable configuration is refused with the reason.

use testkit::redis::RedisOptions;

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
