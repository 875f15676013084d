//! What a server had not published before its end is published by the next one.

use testkit::redis::RedisServer;
use testkit::{Server, eventually};

use super::fixtures::{published, set};

/// A kind that is published at once, and then not again for an hour.
fn seldom(target: &RedisServer) -> String {
    let kind = "windows = [\"all\"]";
    published(kind, &target.url(), "lb:{subject}", "every = \"1h\"")
}

fn shown(target: &RedisServer, points: i64) -> bool {
    set(target, "lb:a") == [("u".to_owned(), points)]
}

#[track_caller]
fn first_published(target: &RedisServer) -> Server {
    let server = Server::durable(&seldom(target));
    server.give("k/a", &[("u", 1)]);
    eventually("the first board is published", || {
        shown(target, 1).then_some(())
    });
    server.give("k/a", &[("u", 1)]);
    assert!(shown(target, 1));
    server
}

#[test]
fn a_server_publishes_pending_boards_before_it_stops() {
    let target = RedisServer::plain();
    let server = first_published(&target);
    drop(server.stop());
    assert!(shown(&target, 2));
}

#[test]
fn boards_pending_at_a_kill_are_published_by_the_next_server() {
    let target = RedisServer::plain();
    let launch = first_published(&target).kill();
    assert!(shown(&target, 1));
    let server = launch.start();
    eventually("the second board is published", || {
        shown(&target, 2).then_some(())
    });
    drop(server);
}

#[test]
fn a_server_stops_while_its_target_is_unavailable() {
    let target = RedisServer::plain();
    let server = first_published(&target);
    target.kill();
    server.give("k/b", &[("u", 1)]);
    eventually("it is logged", || {
        server
            .log()
            .contains("boards cannot be published")
            .then_some(())
    });
    drop(server.stop());
}
