//! What was not published before a server ended is published by the next.

use testkit::redis::RedisServer;
use testkit::{Server, eventually};

use super::stage::{published, set};

/// Published at once, and then not again for an hour.
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
    eventually("the first board", || shown(target, 1).then_some(()));
    server.give("k/a", &[("u", 1)]);
    assert!(shown(target, 1));
    server
}

#[test]
fn a_server_that_stops_publishes_what_waits() {
    let target = RedisServer::plain();
    let server = first_published(&target);
    drop(server.stop());
    assert!(shown(&target, 2));
}

#[test]
fn one_that_was_killed_leaves_it_to_the_next() {
    let target = RedisServer::plain();
    let launch = first_published(&target).kill();
    assert!(shown(&target, 1));
    let server = launch.start();
    eventually("the second board", || shown(&target, 2).then_some(()));
    drop(server);
}

#[test]
fn a_server_stops_without_a_target() {
    let target = RedisServer::plain();
    let server = first_published(&target);
    target.kill();
    server.give("k/b", &[("u", 1)]);
    eventually("that it is told", || {
        server
            .log()
            .contains("boards cannot be published")
            .then_some(())
    });
    drop(server.stop());
}
