//! Windows are published once more when they close; under a shared key only the current one is.

use serde_json::json;
use testkit::clock::{DAY_MS, date, now_ms};
use testkit::redis::RedisServer;
use testkit::{Server, eventually};

use super::fixtures::{self, published, set};

/// How long the window stays open after it was seen open.
const LEFT_MS: i64 = 3_000;

#[test]
fn a_window_that_closes_is_published_as_final() {
    let redis = RedisServer::plain();
    let now = now_ms();
    let yesterday = now - DAY_MS;
    let its_end = yesterday - yesterday.rem_euclid(DAY_MS) + DAY_MS;
    let kind = "windows = [\"day\"]\nclose = { day = \"3d\" }";
    let server = Server::with(&published(kind, &redis.url(), "lb:{subject}:{window}", ""));
    let late = json!({"board": "k/a", "member": "u", "points": 3, "at": yesterday});
    assert_eq!(server.contribute(&late).ok()["applied"], 1);
    let key = format!("lb:a:day:{}", date(yesterday));
    let open = eventually("the open day is published", || fixtures::json(&redis, &key));
    assert_eq!(open.get("final"), None);
    let mut kind = server.get("/v1/kinds/k").ok();
    kind["close"]["day"] = json!(format!("{}ms", now_ms() - its_end + LEFT_MS));
    server.put("/v1/kinds/k", &kind).ok();
    let closed = eventually("the closed day is published", || {
        let json = fixtures::json(&redis, &key)?;
        (json["final"] == true).then_some(json)
    });
    assert_eq!(closed["entries"], open["entries"]);
    assert_eq!(set(&redis, &key), [("u".to_owned(), 3)]);
}
