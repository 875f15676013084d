//! A server on Redis at its memory limit: contributions are refused, reads and deletions continue.

use serde_json::json;
use testkit::redis::RedisOptions;

use super::fixtures::serve;

#[test]
fn at_the_memory_limit_only_contributions_are_refused() {
    let redis = RedisOptions::new().start();
    let server = serve(&redis.url(), "");
    server.give("gifts/a", &[("u", 1), ("v", 2)]);
    let full = serve(&redis.url(), "[server]\nmemory_limit = \"1MB\"\n");
    let one = json!({"board": "gifts/a", "member": "u", "points": 1});
    let refused = full.contribute(&one);
    refused.problem(503, "unavailable", &["memory limit"]);
    assert_eq!(refused.header("retry-after"), "1");
    assert_eq!(full.get("/readyz").status, 200);
    assert_eq!(full.order("gifts/a", "all"), ["v", "u"]);
    full.delete("/v1/boards/gifts/a/members/u").ok();
    assert_eq!(full.order("gifts/a", "all"), ["v"]);
    assert_eq!(full.delete("/v1/boards/gifts/a").status, 204);
    server.contribute(&one).ok();
}
