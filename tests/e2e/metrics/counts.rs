//! Connections are counted that end early, and no label contains a name.

use serde_json::json;
use testkit::{Events, Exposition, Server, eventually};

#[test]
fn connections_ended_early_are_counted_by_cause() {
    let server = Server::with("[server.limits]\nheader_timeout = \"5s\"\n");
    let mut slow = server.wire();
    slow.write("GET /healthz HTTP/1.1\r\nhos");
    let long = "b".repeat(70 << 10);
    for text in [
        "\u{1}\u{2}\u{3}\r\n\r\n",
        &format!("GET /healthz HTTP/1.1\r\na: {long}"),
    ] {
        let mut wire = server.wire();
        // With or without a response, the connection ends.
        wire.try_write(text);
        let _ = wire.try_response();
        assert!(wire.has_ended());
    }
    let mut half = server.wire();
    half.write("GET /healthz HTT");
    drop(half);
    for cause in ["malformed", "too-large", "cut-off", "too-slow"] {
        eventually(cause, || {
            let metrics = Exposition::of(&server);
            let count = metrics.sum(
                "megaboard_connections_ended_early_total",
                &[("cause", cause)],
            );
            ((count - 1.0).abs() < f64::EPSILON).then_some(())
        });
    }
}

#[test]
fn no_label_contains_a_kind_a_board_or_a_member() {
    let server = Server::with("[kinds.zebras]\nwindows = [\"all\"]\n");
    let items = json!([
        {"board": "zebras/stall-77", "member": "marty-the-zebra", "points": 1},
        {"board": "zebras/stall-78", "member": "marty-the-zebra", "points": "no"},
        {"board": "okapis/stall-79", "member": "marty-the-zebra", "points": 1},
    ]);
    server.contribute(&items).ok();
    let board = "/v1/boards/zebras/stall-77";
    server.get(format!("{board}/top")).ok();
    server.get(format!("{board}/members/marty-the-zebra")).ok();
    server
        .get(format!("{board}/members/nobody-zebra"))
        .problem(404, "not-ranked", &[]);
    server
        .get("/marty-the-zebra")
        .problem(404, "unknown-path", &[]);
    let mut events = Events::of(&server, &format!("{board}/stream"));
    assert_eq!(events.event().name, "board");
    let metrics = server.get("/metrics").body;
    for name in ["zebra", "stall", "okapi"] {
        assert!(!metrics.contains(name), "{name} in {metrics}");
    }
    for sample in Exposition::read(&metrics).samples() {
        let labels = [
            "route", "method", "status", "type", "outcome", "reason", "call", "result", "le",
            "version", "store", "cause", "pool",
        ];
        for label in sample.labels.keys() {
            assert!(
                labels.contains(&label.as_str()),
                "{sample:?}: how many {label} are there?"
            );
        }
    }
}
