//! Publication is a setting of a kind, also of one that has boards.

use end_to_end::redis::RedisServer;
use end_to_end::{Server, eventually};
use serde_json::{Value, json};

use super::stage::set;

fn shown(redis: &RedisServer, key: &str) {
    eventually(key, || {
        (set(redis, key) == [("u".to_owned(), 3)]).then_some(())
    });
}

#[test]
fn a_kind_with_boards_comes_to_be_published_and_otherwise_and_no_longer() {
    let (here, there) = (RedisServer::plain(), RedisServer::plain());
    let server = Server::with("[kinds.k]\nwindows = [\"all\"]\n");
    for subject in ["a", "b"] {
        server.give(&format!("k/{subject}"), &[("u", 3)]);
    }
    let put = |publish: &Value| {
        let kind = json!({"windows": ["all"], "publish": publish});
        server.put("/v1/kinds/k", &kind).ok()
    };
    let plain = put(&json!({"store": here.url(), "key": "{kind}:{subject}"}));
    assert_eq!(
        plain["publish"],
        json!({"store": here.url(), "key": "{kind}:{subject}", "encoding": "plain", "every": "1s"})
    );
    shown(&here, "k:a");
    shown(&here, "k:b");
    // What an answer shows can be put again.
    assert_eq!(server.put("/v1/kinds/k", &plain).ok(), plain);
    put(&json!({"store": there.url(), "key": "other:{subject}"}));
    shown(&there, "other:a");
    shown(&there, "other:b");
    put(&Value::Null);
    server.give("k/a", &[("u", 1)]);
    put(&json!({"store": there.url(), "key": "third:{subject}"}));
    eventually("the board as it is", || {
        (set(&there, "third:a") == [("u".to_owned(), 4)]).then_some(())
    });
    shown(&there, "other:a");
    shown(&here, "k:a");
}

#[test]
fn another_period_takes_the_place_of_one_that_began_later() {
    let redis = RedisServer::plain();
    let server = Server::start();
    let put = |windows: &[&str]| {
        let publish = json!({"store": redis.url(), "key": "lb:{subject}", "windows": windows});
        let kind = json!({"windows": ["day", "all"], "publish": publish});
        server.put("/v1/kinds/k", &kind).is(200)
    };
    server
        .put("/v1/kinds/k", &json!({"windows": ["day", "all"]}))
        .is(201);
    let window = |window: &str| {
        eventually(window, || {
            let json = super::stage::json(&redis, "lb:a")?;
            let name = json["window"].as_str().unwrap();
            name.starts_with(window).then_some(())
        });
    };
    server.give("k/a", &[("u", 3)]);
    put(&["day"]);
    window("day:");
    put(&["all"]);
    window("all");
    put(&["day"]);
    window("day:");
}

#[test]
fn what_is_wrong_with_a_publication_is_told() {
    let server = Server::start();
    let refuse = |publish: Value, more: Value, parts: &[&str]| {
        let mut kind = json!({"publish": publish});
        if let Some(more) = more.as_object() {
            kind.as_object_mut().unwrap().extend(more.clone());
        }
        let refused = server.put("/v1/kinds/k", &kind);
        refused.problem(400, "invalid", parts);
        assert!(!refused.body.contains("s3cret"), "{refused:?}");
    };
    let with = |name: &str, value: Value| {
        let mut publish = json!({"store": "redis://a", "key": "lb:{subject}:{window}"});
        publish[name] = value;
        publish
    };
    for (name, value, parts) in [
        (
            "store",
            json!("redis://u:s3cret@a:1"),
            ["publish.store", "[publish.targets]"],
        ),
        (
            "store",
            json!("http://a"),
            ["publish.store", "memcached://"],
        ),
        ("key", json!("lb:{window}"), ["publish.key", "{subject}"]),
        ("key", json!("lb:{subject}"), ["publish.key", "{period}"]),
        ("key", json!("lb:{room}"), ["publish.key", "{room}"]),
        ("windows", json!(["year"]), ["publish.windows", "year"]),
        (
            "windows",
            json!(["day", "day"]),
            ["publish.windows", "twice"],
        ),
        (
            "encoding",
            json!("plainest"),
            ["publish.encoding", "plainest"],
        ),
        (
            "encoding",
            json!("bits(22/22/20)"),
            ["publish.encoding", "3 fields"],
        ),
        ("top", json!(1_001), ["publish.top", "1000"]),
        ("top", json!(0), ["publish.top", "0"]),
        ("every", json!("10ms"), ["publish.every", "100ms"]),
        ("every", json!("soon"), ["publish.every", "soon"]),
    ] {
        refuse(with(name, value), Value::Null, &parts);
    }
    refuse(
        with("windows", json!(["day"])),
        json!({"windows": ["all"]}),
        &["publish.windows", "day"],
    );
    let memcached =
        json!({"store": "memcached://a", "key": "{subject}:{window}", "encoding": "plain"});
    refuse(memcached, Value::Null, &["publish.encoding", "memcached"]);
    let fields = json!({"fields": [{"name": "a"}, {"name": "b"}]});
    refuse(
        with("top", json!(1)),
        fields,
        &["publish.encoding", "\"none\""],
    );
    let array = json!({"publish": ["redis://a"]});
    let refused = server.put("/v1/kinds/k", &array);
    refused.problem(400, "invalid", &["publish"]);
}
