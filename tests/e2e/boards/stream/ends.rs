//! How a stream is refused, and how it ends.

use std::time::Instant;

use testkit::Events;

use super::super::ladder;

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
