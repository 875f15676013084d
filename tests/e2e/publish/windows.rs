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

#[test]
fn a_key_shared_by_windows_has_the_current_one() {
    let redis = RedisServer::plain();
    let server = Server::with(&published(
        "",
        &redis.url(),
        "lb:{subject}:{period}",
        "windows = [\"month\", \"all\"]",
    ));
    let late = json!({"board": "k/a", "member": "late", "points": 7, "at": now_ms() - 40 * DAY_MS});
    server.contribute(&late).ok();
    server.give("k/a", &[("u", 3)]);
    eventually("both", || {
        (set(&redis, "lb:a:all").len() == 2).then_some(())
    });
    eventually("the month is published", || {
        (set(&redis, "lb:a:month") == [("u".to_owned(), 3)]).then_some(())
    });
    // A further write does not bring the previous month back.
    server.contribute(&late).ok();
    eventually("the late contribution is applied", || {
        (set(&redis, "lb:a:all")[0] == ("late".to_owned(), 14)).then_some(())
    });
    assert_eq!(set(&redis, "lb:a:month"), [("u".to_owned(), 3)]);
    let keys = redis.command(&["KEYS", "lb:a:*"]);
    assert_eq!(keys.items().len(), 6, "{keys:?}");
}
