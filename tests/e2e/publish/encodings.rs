//! Scores are written in an encoding that the readers know, or not at all.

use serde_json::json;
use testkit::redis::{RedisServer, Reply};
use testkit::{Server, eventually};

use super::fixtures::{self, published, set};

#[test]
fn the_time_is_in_the_fraction() {
    let redis = RedisServer::plain();
    let more = "encoding = \"fraction(base=317242022400)\"";
    let server = Server::with(&published(
        "windows = [\"all\"]",
        &redis.url(),
        "lb:{subject}",
        more,
    ));
    let at = "2025-01-01T00:00:00Z";
    let items = json!([
        {"board": "k/a", "member": "player:1", "points": 2500, "at": at},
        {"board": "k/a", "member": "player:2", "points": 2500, "at": "2025-01-01T00:00:01Z"},
    ]);
    server.contribute(&items).ok();
    let shown = eventually("both", || {
        let shown = redis.command(&["ZREVRANGE", "lb:a", "0", "-1", "WITHSCORES"]);
        (shown.items().len() == 4).then_some(shown)
    });
    let texts: Vec<&str> = shown.items().iter().map(Reply::text).collect();
    // The first is ranked first. 1735689600 is that midnight.
    assert_eq!([texts[0], texts[2]], ["player:1", "player:2"]);
    let score: f64 = texts[1].parse().unwrap();
    let expected = 2_500.0 + (317_242_022_400.0 - 1_735_689_600.0) / 317_242_022_400.0;
    assert!((score - expected).abs() < 1e-12, "{score} {expected}");
}

#[test]
fn entries_that_do_not_fit_are_left_out_and_logged_once() {
    let redis = RedisServer::plain();
    let more = "encoding = \"decimal\"\nevery = \"100ms\"";
    let server = Server::with(&published(
        "windows = [\"all\"]",
        &redis.url(),
        "lb:{subject}",
        more,
    ));
    server.give("k/a", &[("u", 900_718), ("v", 5)]);
    eventually("both", || {
        let count = redis.command(&["ZCARD", "lb:a"]);
        (count.integer() == 2).then_some(())
    });
    server.give("k/a", &[("u", 1)]);
    eventually("the set is removed", || {
        let there = redis.command(&["EXISTS", "lb:a"]);
        (there.integer() == 0).then_some(())
    });
    let json = fixtures::json(&redis, "lb:a").unwrap();
    assert_eq!(json["entries"][0]["points"], 900_719);
    server.give("k/a", &[("v", 1)]);
    eventually("the next board is published", || {
        let json = fixtures::json(&redis, "lb:a")?;
        (json["entries"][1]["points"] == 6).then_some(())
    });
    let log = server.log();
    assert_eq!(log.matches("published as JSON only").count(), 1, "{log}");
    for part in ["\\\"u\\\" with [900719]", "900718", "k/a"] {
        assert!(log.contains(part), "{part}: {log}");
    }
    server
        .put("/v1/boards/k/a/members/u", &json!({"points": 8}))
        .ok();
    eventually("the set is published again", || {
        let count = redis.command(&["ZCARD", "lb:a"]);
        (count.integer() == 2).then_some(())
    });
}

#[test]
fn an_ascending_set_has_the_order_of_its_json() {
    let redis = RedisServer::plain();
    let kind =
        "windows = [\"all\"]\nties = \"member\"\nfields = [{ name = \"points\", order = \"asc\" }]";
    let server = Server::with(&published(kind, &redis.url(), "lb:{subject}", ""));
    server.give(
        "k/a",
        &[("b", 61), ("a", 61), ("ab", 61), ("z", 58), ("d", 90)],
    );
    let json = fixtures::caught_up(&server, &redis, "all", "lb:a");
    let of_json: Vec<String> = fixtures::points(&json).into_iter().map(|it| it.0).collect();
    let set = redis.command(&["ZRANGE", "lb:a", "0", "-1"]);
    let of_set: Vec<&str> = set.items().iter().map(Reply::text).collect();
    assert_eq!(of_set, of_json);
    assert_eq!(of_set, ["z", "a", "ab", "b", "d"]);
}

#[test]
fn kinds_with_several_fields_can_be_published_as_json_only() {
    let redis = RedisServer::plain();
    let kind = "windows = [\"all\"]\nfields = [{ name = \"agree\" }, { name = \"comments\" }]";
    let server = Server::with(&published(
        kind,
        &redis.url(),
        "lb:{subject}",
        "encoding = \"none\"",
    ));
    let item = json!({"board": "k/a", "member": "u", "values": {"agree": 3, "comments": 1}});
    server.contribute(&item).ok();
    let json = eventually("the JSON", || fixtures::json(&redis, "lb:a"));
    assert_eq!(
        json["entries"][0]["values"],
        json!({"agree": 3, "comments": 1})
    );
    assert!(set(&redis, "lb:a").is_empty());
}
