//! `board` events: the whole top at the start, and at each change.

use serde_json::json;
use testkit::redis::RedisServer;
use testkit::{Events, Launch, Server, eventually};

use super::super::{ladder, members, on_a};

#[test]
fn the_first_event_equals_a_read() {
    let server = ladder(30);
    let mut events = Events::of(&server, &on_a("/stream?n=3"));
    let has = |line: &str| events.head.iter().any(|it| it == line);
    assert!(has("content-type: text/event-stream"), "{:?}", events.head);
    // A proxy must not buffer the events.
    let as_it_comes = "cache-control: no-cache, no-transform";
    assert!(has(as_it_comes), "{:?}", events.head);
    assert!(has("x-accel-buffering: no"), "{:?}", events.head);
    assert!(has("x-content-type-options: nosniff"), "{:?}", events.head);
    let first = events.event();
    assert_eq!(first.name, "board");
    let mut top = server.get(on_a("/top?n=3")).ok();
    assert_eq!(first.id, top["version"]);
    // The board may have been merged again in between.
    top["as_of"] = first.value["as_of"].clone();
    assert_eq!(first.value, top);
}

#[test]
fn every_change_is_sent_with_its_version() {
    let server = ladder(5);
    let mut events = Events::of(&server, &on_a("/stream?n=3"));
    let mut ids = vec![events.event().id];
    for points in 1..=20 {
        server.give("gifts/a", &[("new", 100)]);
        let shown = events.until(|event| event.entries()[0]["points"] == points * 100);
        let top = server.get(on_a("/top?n=3&fresh=true")).ok();
        assert_eq!(shown.id, top["version"]);
        assert_eq!(shown.value["entries"], top["entries"]);
        ids.push(shown.id);
    }
    // Also for changes below the first three: the version and the number of members are those of
    // the whole board.
    server.give("gifts/a", &[("last", 1)]);
    let shown = events.event();
    assert_eq!(shown.value["members"], 7);
    ids.push(shown.id);
    let all = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), all, "no version is shown twice");
}

#[test]
fn a_board_without_contributions_is_sent_empty() {
    let server = Server::start();
    let mut events = Events::of(&server, "/v1/boards/gifts/new/stream?window=all");
    let first = events.event();
    assert_eq!(
        (first.entries().len(), &first.value["members"]),
        (0, &json!(0))
    );
    server.give("gifts/new", &[("u", 3)]);
    // The creation may be seen before the first standing.
    let shown = events.until(|event| !event.entries().is_empty());
    assert_eq!(members(shown.entries()), ["u"]);
    // Another incarnation is another board.
    assert_eq!(server.delete("/v1/boards/gifts/new").status, 204);
    events.until(|event| event.entries().is_empty());
    server.give("gifts/new", &[("v", 1)]);
    let shown = events.until(|event| !event.entries().is_empty());
    assert_eq!(members(shown.entries()), ["v"]);
}

#[test]
fn a_reconnected_client_gets_the_current_top() {
    let server = ladder(3);
    let path = on_a("/stream?n=10");
    let seen = Events::of(&server, &path).event();
    server.give("gifts/a", &[("m03", 50)]);
    let now = server.get(on_a("/top?fresh=true")).ok();
    let shown = Events::of(&server, &path).until(|event| event.id != seen.id);
    assert_eq!(shown.id, now["version"]);
    assert_eq!(shown.value["entries"], now["entries"]);
}

#[test]
fn an_unavailable_store_and_its_recovery_are_sent() {
    let redis = RedisServer::plain();
    let server = Launch::on_a_free_port("[kinds.gifts]\nwindows = [\"all\"]\n")
        .args(&format!("--store {}", redis.url()))
        .start();
    server.give("gifts/a", &[("u", 1)]);
    let mut events = Events::of(&server, "/v1/boards/gifts/a/stream");
    let seen = events.event();
    assert_eq!(seen.value.get("stale"), None);
    redis.pause();
    let shown = events.event();
    assert_eq!(shown.value["stale"], true);
    assert_eq!((&shown.id, shown.entries()), (&seen.id, seen.entries()));
    redis.resume();
    let shown = events.event();
    assert_eq!(shown.value.get("stale"), None);
    eventually("a write succeeds", || {
        let item = json!({"board": "gifts/a", "member": "u", "points": 1, "id": "once"});
        (server.contribute(&item).status == 200).then_some(())
    });
    events.until(|event| event.entries()[0]["points"] == 2);
}

#[test]
fn comments_are_sent_without_changes() {
    let server = ladder(1);
    let mut events = Events::of(&server, &on_a("/stream?n=3"));
    events.event();
    assert_eq!(events.comment(), ":");
}
