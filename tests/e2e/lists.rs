//! A top list on Redis: shards keep few members beyond it.

use serde_json::{Value, json};
use testkit::redis::RedisServer;

use crate::redis::serve;

#[test]
fn shards_are_trimmed() {
    let redis = RedisServer::plain();
    let kind = "[kinds.gifts]\nwindows = [\"all\"]\nshards = 4\n\
                retain = { keep = 20, trim_at = 25, approximate = true }\n";
    let server = serve(&redis.url(), kind);
    let item = |n: i64| json!({"board": "gifts/a", "member": format!("m{n}"), "points": n});
    for first in (1..=500).step_by(100) {
        let items: Vec<Value> = (first..first + 100).map(item).collect();
        server.contribute(&items.into()).ok();
    }
    // Each has its best 20 and at most the members of one request.
    let keys = redis.command(&["KEYS", "megaboard:*:all:rank"]);
    assert_eq!(keys.items().len(), 4);
    for key in keys.items() {
        assert!(redis.command(&["ZCARD", key.text()]).integer() <= 20 + 100);
    }
}
