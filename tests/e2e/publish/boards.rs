//! Each window of a board is published as its top, until the board is gone.

use serde_json::{Value, json};
use testkit::clock::DAY_MS;
use testkit::dice::Dice;
use testkit::redis::{RedisOptions, RedisServer, Reply};
use testkit::{Exposition, Server, encoded, eventually, ndjson};

use super::fixtures::{caught_up, points, published, set};

const KEY: &str = "lb:{subject}:{window}";

/// The rights that the docs list for a user at the target.
const RIGHTS: &str = "~lb:* +watch +unwatch +multi +exec +get +set +zadd +unlink +pexpire +select \
                      +exists +ping +info +client|id +hello";

#[test]
fn each_window_is_published_as_a_sorted_set_and_as_json() {
    let redis = RedisServer::plain();
    let config = published("ties = \"member\"\ntop = 500", &redis.url(), KEY, "");
    let server = Server::with(&config);
    let mut dice = Dice::of_this_run();
    let item =
        |number| json!({"board": "k/a", "member": format!("m{number}"), "points": dice.below(300)});
    let items: Vec<Value> = (0..1_200).map(item).collect();
    server.lines(&ndjson(&items)).ok();
    let windows = server.versions("k/a");
    assert_eq!(windows.len(), 5);
    for (window, version) in windows {
        let key = format!("lb:a:{window}");
        let json = caught_up(&server, &redis, &encoded(&window), &key);
        assert_eq!(json["version"], version);
        let path = format!(
            "/v1/boards/k/a/top?fresh=true&n=500&window={}",
            encoded(&window)
        );
        let mut top = server.get(path).ok();
        // The merge that it is from may have begun later.
        top["as_of"] = json["as_of"].clone();
        assert_eq!(json, top);
        assert_eq!(set(&redis, &key), points(&top));
        let lasts = ["", ":json", ":version"].map(|end| {
            let key = format!("{key}{end}");
            redis.command(&["PTTL", &key]).integer()
        });
        if window == "all" {
            assert_eq!(lasts, [-1; 3]);
        } else {
            // Hours are kept for two days, and keys never expire earlier.
            assert!(lasts.iter().all(|ms| *ms > DAY_MS), "{window}: {lasts:?}");
        }
    }
}

#[test]
fn a_deletion_overtakes_a_pending_publication() {
    let redis = RedisServer::plain();
    let config = published(
        "windows = [\"all\"]",
        &redis.url(),
        KEY,
        "every = \"100ms\"",
    );
    let server = Server::with(&config);
    server.give("k/a", &[("u", 3)]);
    let all = "lb:a:all";
    caught_up(&server, &redis, "all", all);
    // As if it was not published yet, and another server was about to publish it.
    let version = format!("{all}:version");
    let json = format!("{all}:json");
    redis.command(&["UNLINK", all, &json, &version]).integer();
    let mut other = redis.connect();
    other.command(&["WATCH", &version]).ok();
    let tries = || {
        let labels = [("result", "published")];
        Exposition::of(&server).sum("megaboard_publish_tries_total", &labels)
    };
    let before = tries();
    server.delete("/v1/boards/k/a").is_empty();
    eventually("the deletion is published", || {
        (tries() > before).then_some(())
    });
    other.command(&["MULTI"]).ok();
    other.command(&["SET", &version, "dead"]);
    let executed = other.command(&["EXEC"]);
    assert_eq!(executed, Reply::Nil);
    assert!(redis.command(&["KEYS", "*"]).items().is_empty());
}

#[test]
fn a_target_with_a_login_is_published_to() {
    let redis = RedisOptions::new()
        .user("megaboard", "s3cret", RIGHTS)
        .start();
    let store = format!("redis://{}/3", redis.address());
    let config = published("windows = [\"all\"]", &store, "lb:{subject}", "");
    let config = format!("{config}user = \"megaboard\"\npassword = \"s3cret\"\n");
    let server = Server::with(&config);
    server.give("k/a", &[("u", 3)]);
    let mut wire = redis.connect();
    wire.command(&["SELECT", "3"]).ok();
    eventually("the board is published in that database", || {
        let count = wire.command(&["ZCARD", "lb:a"]).integer();
        (count == 1).then_some(())
    });
    let address = redis.address().to_string();
    for path in ["/v1/kinds/k", "/v1/kinds", "/metrics"] {
        let shown = server.get(path).body;
        assert!(
            !shown.contains("s3cret") && !shown.contains(&address),
            "{shown}"
        );
        assert!(shown.contains("readers"), "{shown}");
    }
    assert!(!server.log().contains("s3cret"));
}
