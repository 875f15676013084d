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
    put(&json!({"target": "there", "key": "third:{subject}"}));
    eventually("the current board is published", || {
        (set(&there, "third:a") == [("u".to_owned(), 4)]).then_some(())
    });
    shown(&there, "other:a");
    shown(&here, "k:a");
}
