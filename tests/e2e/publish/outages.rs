//! An unavailable target is retried, and does not delay the others.

use serde_json::json;
use testkit::redis::RedisServer;
use testkit::{Server, eventually};

use super::fixtures::{published, set, targets};

fn settings(target: &RedisServer) -> String {
    let kind = "windows = [\"all\"]";
    published(kind, &target.url(), "lb:{subject}", "every = \"100ms\"")
}

fn give(server: &Server, board: &str, points: i64) {
    server.give(board, &[("u", points)]);
}

fn shown(target: &RedisServer, subject: &str, points: i64) {
    eventually("the board is published again", || {
        (set(target, &format!("lb:{subject}")) == [("u".to_owned(), points)]).then_some(())
    });
}

#[test]
fn a_target_that_restarts_empty_gets_all_boards() {
    let target = RedisServer::plain();
    let server = Server::with(&settings(&target));
    give(&server, "k/quiet", 1);
    give(&server, "k/busy", 1);
    shown(&target, "quiet", 1);
    shown(&target, "busy", 1);
    target.kill();
    give(&server, "k/busy", 1);
    give(&server, "k/created-meanwhile", 1);
    eventually("it is logged", || {
        server
            .log()
            .contains("boards cannot be published")
            .then_some(())
    });
    give(&server, "k/busy", 1);
    assert_eq!(server.get("/readyz").status, 200);
    target.start();
    shown(&target, "busy", 3);
    shown(&target, "created-meanwhile", 1);
    // Nothing was written to it.
    shown(&target, "quiet", 1);
    let log = server.log();
    assert_eq!(
        log.matches("boards cannot be published").count(),
        1,
        "{log}"
    );
    assert_eq!(
        log.matches("boards are published again").count(),
        1,
        "{log}"
    );
}

#[test]
fn a_target_emptied_between_publications_gets_all_boards() {
    let target = RedisServer::plain();
    let server = Server::with(&settings(&target));
    give(&server, "k/quiet", 1);
    give(&server, "k/busy", 1);
    shown(&target, "quiet", 1);
    shown(&target, "busy", 1);
    target.kill();
    target.start();
    give(&server, "k/busy", 1);
    shown(&target, "busy", 2);
    // Nothing was written to it.
    shown(&target, "quiet", 1);
}

#[test]
fn a_single_lost_key_is_published_again() {
    let target = RedisServer::plain();
    let server = Server::with(&settings(&target));
    give(&server, "k/a", 1);
    shown(&target, "a", 1);
    // Changing another setting makes the server check all boards. Settings are checked
    // periodically: changing one and changing it back would not be noticed.
    for (key, every) in [("lb:a", 200), ("lb:a:json", 300), ("lb:a:version", 400)] {
        assert_eq!(target.command(&["DEL", key]).integer(), 1);
        let mut kind = server.get("/v1/kinds/k").ok();
        kind["publish"]["every"] = json!(format!("{every}ms"));
        server.put("/v1/kinds/k", &kind).ok();
        eventually(key, || {
            let keys = target.command(&["EXISTS", "lb:a", "lb:a:json", "lb:a:version"]);
            (keys.integer() == 3).then_some(())
        });
        shown(&target, "a", 1);
    }
}

#[test]
fn a_target_that_hangs_does_not_delay_others() {
    let (hung, other) = (RedisServer::plain(), RedisServer::plain());
    let config = settings(&hung) + &targets(&[("other", &other.url())]);
    let server = Server::with(&config);
    let kind = json!({"windows": ["all"],
                      "publish": {"target": "other", "key": "lb:{subject}", "every": "100ms"}});
    server.put("/v1/kinds/other", &kind).is(201);
    give(&server, "k/a", 1);
    shown(&hung, "a", 1);
    hung.pause();
    give(&server, "k/a", 1);
    for points in 1..=5 {
        give(&server, "other/a", 1);
        shown(&other, "a", points);
    }
    hung.resume();
    shown(&hung, "a", 2);
}
