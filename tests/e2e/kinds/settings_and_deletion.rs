//! A kind is put, shown, listed, used, deleted.

use serde_json::json;
use testkit::Launch;
use testkit::redis::RedisServer;

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
