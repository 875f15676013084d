//! How a stream is refused, and how it ends.

use std::time::Instant;

use testkit::{Events, Server};

use super::super::ladder;

#[test]
fn a_stream_ends_with_a_problem_when_its_kind_is_deleted() {
    let server = Server::start();
    let kind = serde_json::json!({"windows": ["all"]});
    assert_eq!(server.put("/v1/kinds/short", &kind).status, 201);
    let mut events = Events::of(&server, "/v1/boards/short/a/stream");
    assert_eq!(events.event().name, "board");
    assert_eq!(server.delete("/v1/kinds/short").status, 204);
    let last = events.event();
    assert_eq!(last.name, "problem");
    assert_eq!(
        (&last.value["type"], &last.value["status"]),
        (&"unknown-kind".into(), &404.into())
    );
    assert!(events.try_next().is_none());
}

#[test]
fn streams_end_at_once_when_the_server_stops() {
    let mut server = ladder(3);
    let paths = ["?n=3", "?n=3&changes=true", "?n=5&member=m02"];
    let mut all: Vec<Events> = paths
        .iter()
        .map(|query| Events::of(&server, &format!("/v1/boards/gifts/a/stream{query}")))
        .collect();
    for events in &mut all {
        assert_eq!(events.event().name, "board");
    }
    let stopped = Instant::now();
    server.signal("TERM");
    for events in &mut all {
        while events.try_next().is_some() {}
    }
    assert_eq!(server.ended().code(), Some(0), "{}", server.log());
    println!(
        "three streams and the server ended within {:?}",
        stopped.elapsed()
    );
    assert!(
        !server.log().contains("still under way"),
        "{}",
        server.log()
    );
}
