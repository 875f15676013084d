//! `publish` is a setting of a kind, also of one with boards.

use serde_json::{Value, json};
use testkit::redis::RedisServer;
use testkit::{Server, eventually};

use super::fixtures::{set, targets};

fn shown(redis: &RedisServer, key: &str) {
    eventually(key, || {
        (set(redis, key) == [("u".to_owned(), 3)]).then_some(())
    });
}

#[test]
fn publish_settings_of_a_kind_with_boards_can_be_added_changed_and_removed() {
    let (here, there) = (RedisServer::plain(), RedisServer::plain());
    let both = targets(&[("here", &here.url()), ("there", &there.url())]);
    let server = Server::with(&format!("[kinds.k]\nwindows = [\"all\"]\n{both}"));
    for subject in ["a", "b"] {
        server.give(&format!("k/{subject}"), &[("u", 3)]);
    }
    let put = |publish: &Value| {
        let kind = json!({"windows": ["all"], "publish": publish});
        server.put("/v1/kinds/k", &kind).ok()
    };
    let plain = put(&json!({"target": "here", "key": "{kind}:{subject}"}));
    assert_eq!(
        plain["publish"],
        json!({"target": "here", "key": "{kind}:{subject}", "encoding": "plain", "every": "1s"})
    );
    shown(&here, "k:a");
    shown(&here, "k:b");
    // Settings as they are shown can be put again.
    assert_eq!(server.put("/v1/kinds/k", &plain).ok(), plain);
    put(&json!({"target": "there", "key": "other:{subject}"}));
    shown(&there, "other:a");
    shown(&there, "other:b");
    put(&Value::Null);
    server.give("k/a", &[("u", 1)]);
    // The address of a target may be used instead of its name.
    let third = put(&json!({"store": there.url(), "key": "third:{subject}"}));
    assert_eq!(third["publish"]["target"], "there");
    eventually("the current board is published", || {
        (set(&there, "third:a") == [("u".to_owned(), 4)]).then_some(())
    });
    shown(&there, "other:a");
    shown(&here, "k:a");
}

#[test]
fn a_change_of_period_replaces_a_later_window() {
    let redis = RedisServer::plain();
    let target = targets(&[("readers", &redis.url())]);
    let server = Server::with(&format!("[kinds.gifts]\n{target}"));
    let put = |windows: &[&str]| {
        let publish = json!({"target": "readers", "key": "lb:{subject}", "windows": windows});
        let kind = json!({"windows": ["day", "all"], "publish": publish});
        server.put("/v1/kinds/k", &kind).is(200)
    };
    server
        .put("/v1/kinds/k", &json!({"windows": ["day", "all"]}))
        .is(201);
    let window = |window: &str| {
        eventually(window, || {
            let json = super::fixtures::json(&redis, "lb:a")?;
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
fn invalid_publish_settings_are_reported() {
    let both = targets(&[("readers", "redis://a"), ("cache", "memcached://a")]);
    let server = Server::with(&format!("[kinds.gifts]\n{both}"));
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
        let mut publish = json!({"target": "readers", "key": "lb:{subject}:{window}"});
        publish[name] = value;
        publish
    };
    for (name, value, parts) in [
        (
            "target",
            json!("redis"),
            ["publish.target", "configured are cache, readers"],
        ),
        ("target", json!("A"), ["publish.target", "\"A\""]),
        ("target", Value::Null, ["publish", "null"]),
        (
            "target",
            json!("redis://a"),
            ["publish.target", "redis://a"],
        ),
        (
            "key",
            json!("megaboard:{subject}:{window}"),
            ["publish.key", "begins with megaboard:"],
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
    let memcached = json!({"target": "cache", "key": "{subject}:{window}", "encoding": "plain"});
    refuse(memcached, Value::Null, &["publish.encoding", "memcached"]);
    let fields = json!({"fields": [{"name": "a"}, {"name": "b"}]});
    refuse(
        with("top", json!(1)),
        fields,
        &["publish.encoding", "\"none\""],
    );
    let array = json!({"publish": ["readers"]});
    let refused = server.put("/v1/kinds/k", &array);
    refused.problem(400, "invalid", &["publish"]);
}
