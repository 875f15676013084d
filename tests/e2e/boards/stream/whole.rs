//! Each event shows the whole top: at once, and as it changes.

use serde_json::json;
use testkit::redis::RedisServer;
use testkit::{Events, Launch, Server, eventually};

use super::super::{ladder, members, on_a};

#[test]
fn the_top_is_shown_at_once_as_a_read_answers_it() {
    let server = ladder(30);
    let mut events = Events::of(&server, &on_a("/stream?n=3"));
    let has = |line: &str| events.head.iter().any(|it| it == line);
    assert!(has("content-type: text/event-stream"), "{:?}", events.head);
    // A proxy passes it on as it comes.
    let as_it_comes = "cache-control: no-cache, no-transform";
    assert!(has(as_it_comes), "{:?}", events.head);
    assert!(has("x-accel-buffering: no"), "{:?}", events.head);
    assert!(has("x-content-type-options: nosniff"), "{:?}", events.head);
    let first = events.event();
    assert_eq!(first.name, "board");
    let mut top = server.get(on_a("/top?n=3")).ok();
    assert_eq!(first.id, top["version"]);
    // Another look may have been made of the same board.
    top["as_of"] = first.value["as_of"].clone();
    assert_eq!(first.value, top);
}

#[test]
fn every_change_is_shown_with_its_version() {
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
    // Beyond the first three, too: the version and the number of members are of the whole board.
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
fn a_board_without_contributions_is_shown_empty_and_then_full() {
    let server = Server::start();
    let mut events = Events::of(&server, "/v1/boards/gifts/new/stream?window=all");
    let first = events.event();
    assert_eq!(
        (first.entries().len(), &first.value["members"]),
        (0, &json!(0))
    );
    server.give("gifts/new", &[("u", 3)]);
    // Its creation may be seen before its first standing.
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
fn what_came_while_a_client_was_away_is_in_its_first_event() {
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
fn a_store_that_is_away_is_sent_and_so_is_its_return() {
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
    eventually("a write", || {
        let item = json!({"board": "gifts/a", "member": "u", "points": 1, "id": "once"});
        (server.contribute(&item).status == 200).then_some(())
    });
    events.until(|event| event.entries()[0]["points"] == 2);
}

#[test]
fn silence_is_broken_by_comments() {
    let server = ladder(1);
    let mut events = Events::of(&server, &on_a("/stream?n=3"));
    events.event();
    assert_eq!(events.comment(), ":");
}
