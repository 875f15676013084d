//! What is published of a board is its top, in each of its windows, until it is gone.

use serde_json::{Value, json};
use testkit::clock::{DAY_MS, date, now_ms};
use testkit::dice::Dice;
use testkit::redis::{RedisOptions, RedisServer, Reply};
use testkit::{Exposition, Server, encoded, eventually, ndjson};

use super::stage::{self, caught_up, points, published, set};

const KEY: &str = "lb:{subject}:{window}";

/// What the docs say that a user at the target needs.
const RIGHTS: &str = "~lb:* +watch +unwatch +multi +exec +get +set +zadd +unlink +pexpire +select \
                      +exists +ping +info +client|id +hello";

#[test]
fn each_window_is_its_top_as_a_set_and_as_json() {
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
        // The merge that it came from may have begun later.
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
            // Hours are kept for two days, and nothing for shorter.
            assert!(lasts.iter().all(|ms| *ms > DAY_MS), "{window}: {lasts:?}");
        }
    }
}

#[test]
fn it_follows_what_is_written_late_taken_off_and_deleted() {
    let redis = RedisServer::plain();
    let config = published("", &redis.url(), KEY, "every = \"100ms\"");
    let server = Server::with(&config);
    let before = now_ms() - 3 * DAY_MS;
    let late = json!({"board": "k/a", "member": "late", "points": 7, "at": before});
    server.contribute(&late).ok();
    let day = format!("lb:a:day:{}", date(before));
    eventually("a day of the past", || {
        (set(&redis, &day) == [("late".to_owned(), 7)]).then_some(())
    });
    server.give("k/a", &[("u", 3), ("v", 5)]);
    let all = "lb:a:all";
    caught_up(&server, &redis, "all", all);
    let expected = [("late", 7), ("v", 5), ("u", 3)].map(|(m, p)| (m.to_owned(), p));
    assert_eq!(set(&redis, all), expected);
    let member = json!({"points": 9});
    server.put("/v1/boards/k/a/members/u", &member).ok();
    caught_up(&server, &redis, "all", all);
    assert_eq!(set(&redis, all)[0], ("u".to_owned(), 9));
    // The only one of that day.
    server.delete("/v1/boards/k/a/members/late").is_empty();
    eventually("a day without members", || {
        stage::json(&redis, &day).is_none().then_some(())
    });
    caught_up(&server, &redis, "all", all);
    assert_eq!(set(&redis, all).len(), 2);
    server.delete("/v1/boards/k/a").is_empty();
    eventually("nothing of a deleted board", || {
        let left = redis.command(&["KEYS", "*"]);
        left.items().is_empty().then_some(())
    });
    // What comes later under its name is another board.
    server.give("k/a", &[("w", 1)]);
    caught_up(&server, &redis, "all", all);
    assert_eq!(set(&redis, all), [("w".to_owned(), 1)]);
}

#[test]
fn a_board_that_is_deleted_overtakes_who_is_about_to_publish_it() {
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
    // As if it was published nowhere yet, and another server was about to.
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
    eventually("the deletion has come there", || {
        (tries() > before).then_some(())
    });
    other.command(&["MULTI"]).ok();
    other.command(&["SET", &version, "dead"]);
    let executed = other.command(&["EXEC"]);
    assert_eq!(executed, Reply::Nil);
    assert!(redis.command(&["KEYS", "*"]).items().is_empty());
}

#[test]
fn who_has_to_log_in_does() {
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
    eventually("a board in that database", || {
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
