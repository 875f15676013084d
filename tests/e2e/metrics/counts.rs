//! Counters agree with what was done, and no label contains a name.

use serde_json::json;
use testkit::{Events, Exposition, Server, eventually};

const CONTRIBUTIONS: &str = "megaboard_contributions_total";
const REQUESTS: &str = "megaboard_http_requests_total";
const TOP: &str = "/v1/boards/{kind}/{subject}/top";

/// The name of a sample, labels, and the sum of all samples that have them.
type Count<'a> = (&'a str, &'a [(&'a str, &'a str)], f64);

#[track_caller]
fn assert_counts(metrics: &Exposition, expected: &[Count<'_>]) {
    for (name, labels, count) in expected {
        let sum = metrics.sum(name, labels);
        assert!(
            (sum - count).abs() < 1e-9,
            "{name} {labels:?}: {sum}, not {count}"
        );
    }
}

#[test]
fn contributions_are_counted_by_outcome_and_reason() {
    let server = Server::start();
    let one = |member: &str, points: i64, id: &str| json!({"board": "gifts/a", "member": member, "points": points, "id": id});
    let items: Vec<_> = (0..4).map(|n| one("u", n, &n.to_string())).collect();
    assert_eq!(server.contribute(&json!(items)).ok()["applied"], 4);
    let again = json!([one("u", 4, "4"), one("u", 4, "4")]);
    assert_eq!(server.contribute(&again).ok()["duplicates"], 1);
    let wrong = json!([
        {"board": "nope/a", "member": "u", "points": 1},
        {"board": "gifts/a", "member": "u", "points": "many"},
    ]);
    assert_eq!(server.contribute(&wrong).rejected()["rejected_count"], 2);
    let metrics = Exposition::of(&server);
    let reasons = "megaboard_contributions_rejected_total";
    assert_counts(
        &metrics,
        &[
            (CONTRIBUTIONS, &[("outcome", "applied")], 5.0),
            (CONTRIBUTIONS, &[("outcome", "duplicate")], 1.0),
            (CONTRIBUTIONS, &[("outcome", "rejected")], 2.0),
            (CONTRIBUTIONS, &[("outcome", "unavailable")], 0.0),
            (CONTRIBUTIONS, &[], 8.0),
            (reasons, &[("reason", "unknown-kind")], 1.0),
            (reasons, &[("reason", "invalid")], 1.0),
            (reasons, &[], 2.0),
            ("megaboard_request_contributions_count", &[], 3.0),
            ("megaboard_request_contributions_sum", &[], 8.0),
            // All are of the same member, so of one shard.
            ("megaboard_shard_batch_contributions_count", &[], 2.0),
            ("megaboard_shard_batch_contributions_sum", &[], 6.0),
            (
                "megaboard_store_call_duration_seconds_count",
                &[("call", "apply")],
                2.0,
            ),
        ],
    );
    // For a single contribution the problem is the response; it is counted too.
    server
        .contribute(&json!({"board": "gifts/a"}))
        .problem(400, "invalid", &[]);
    server
        .put("/v1/boards/gifts/a/members/v", &json!({"points": 1}))
        .ok();
    for removed in [1, 0] {
        let response = server.delete("/v1/boards/gifts/a/members/v");
        assert_eq!(response.ok()["removed"], removed);
    }
    assert_counts(
        &Exposition::of(&server),
        &[
            (CONTRIBUTIONS, &[("outcome", "applied")], 8.0),
            (CONTRIBUTIONS, &[("outcome", "rejected")], 3.0),
            (reasons, &[("reason", "invalid")], 2.0),
        ],
    );
}

#[test]
fn a_stream_of_lines_is_counted_as_one_request() {
    let server = Server::start();
    let line = "{\"board\":\"gifts/a\",\"member\":\"u\",\"points\":1}\n";
    server
        .stream("/v1/contributions", line.repeat(2_500).as_bytes())
        .ok();
    assert_counts(
        &Exposition::of(&server),
        &[
            (CONTRIBUTIONS, &[("outcome", "applied")], 2_500.0),
            ("megaboard_request_contributions_count", &[], 1.0),
            ("megaboard_request_contributions_sum", &[], 2_500.0),
        ],
    );
}

#[test]
fn requests_are_counted_by_route_method_and_status() {
    let server = Server::start();
    for n in [1, 2, 3] {
        server.get(format!("/v1/boards/gifts/a/top?n={n}")).ok();
    }
    server
        .get("/v1/boards/gifts/a/top?n=0")
        .problem(400, "invalid", &[]);
    server
        .get("/v1/boards/nope/a/top")
        .problem(404, "unknown-kind", &[]);
    server.get("/nothing").problem(404, "unknown-path", &[]);
    assert_eq!(server.delete("/v1/boards/gifts/a/top").status, 405);
    let metrics = Exposition::of(&server);
    let of_top = |status| [("route", TOP), ("method", "GET"), ("status", status)];
    let problems = "megaboard_http_problems_total";
    assert_counts(
        &metrics,
        &[
            (REQUESTS, &of_top("2xx"), 3.0),
            (REQUESTS, &of_top("4xx"), 2.0),
            (REQUESTS, &[("route", TOP)], 5.0),
            (REQUESTS, &[("route", "other"), ("status", "4xx")], 2.0),
            (REQUESTS, &[("route", "/metrics")], 0.0),
            (
                "megaboard_http_request_duration_seconds_count",
                &[("route", TOP)],
                5.0,
            ),
            (problems, &[("type", "invalid")], 1.0),
            (problems, &[("type", "unknown-kind")], 1.0),
            (problems, &[("type", "unknown-path")], 1.0),
            (problems, &[("type", "method-not-allowed")], 1.0),
            // This request.
            ("megaboard_http_requests_under_way", &[], 1.0),
            ("megaboard_ready", &[], 1.0),
        ],
    );
}

#[test]
fn tops_are_counted_by_source() {
    // A long staleness, so that a merged top stays cached.
    let server = Server::with("[kinds.gifts]\nmax_staleness = \"1m\"\nwindows = [\"all\"]\n");
    let one = json!({"board": "gifts/a", "member": "u", "points": 1});
    server.contribute(&one).ok();
    for _ in 0..3 {
        server.get("/v1/boards/gifts/a/top").ok();
    }
    server.get("/v1/boards/gifts/a/top?fresh=true").ok();
    let metrics = Exposition::of(&server);
    assert_counts(
        &metrics,
        &[
            ("megaboard_top_reads_total", &[("result", "hit")], 2.0),
            ("megaboard_top_reads_total", &[("result", "miss")], 2.0),
            ("megaboard_top_reads_total", &[("result", "stale")], 0.0),
            ("megaboard_top_age_seconds_count", &[], 4.0),
            ("megaboard_merges_total", &[], 2.0),
            ("megaboard_merges_unchanged_total", &[], 1.0),
            ("megaboard_merge_failures_total", &[], 0.0),
            ("megaboard_merge_duration_seconds_count", &[], 2.0),
            ("megaboard_shard_entries_fetched_total", &[], 1.0),
        ],
    );
    assert!(metrics.sum("megaboard_cache_limit_bytes", &[]) > 1e6);
}

#[test]
fn streams_and_frames_are_counted() {
    let server = Server::start();
    let paths = ["?n=3&window=all", "?n=3&window=all", "?n=4&window=all"];
    let mut all = paths.map(|query| {
        let mut events = Events::of(&server, &format!("/v1/boards/gifts/a/stream{query}"));
        assert_eq!(events.event().name, "board");
        events
    });
    let metrics = Exposition::of(&server);
    assert_counts(
        &metrics,
        &[
            ("megaboard_streams", &[], 3.0),
            ("megaboard_stream_feeds", &[], 1.0),
            ("megaboard_stream_frames_total", &[], 3.0),
            // Again for the stream of more entries.
            ("megaboard_stream_renders_total", &[], 2.0),
            ("megaboard_stream_interval_factor", &[], 1.0),
        ],
    );
    assert!(metrics.sum("megaboard_stream_cpu_seconds_total", &[]) > 0.0);
    assert!(metrics.sum("megaboard_connections", &[]) >= 4.0);
    let one = json!({"board": "gifts/a", "member": "u", "points": 1});
    server.contribute(&one).ok();
    for events in &mut all {
        assert_eq!(events.event().value["members"], 1);
    }
    assert_counts(
        &Exposition::of(&server),
        &[
            ("megaboard_stream_frames_total", &[], 6.0),
            ("megaboard_stream_renders_total", &[], 3.0),
        ],
    );
    drop(all);
    eventually("no stream is open", || {
        // A closed stream is noticed when something is sent.
        server.contribute(&one).ok();
        let metrics = Exposition::of(&server);
        let open =
            metrics.sum("megaboard_streams", &[]) + metrics.sum("megaboard_stream_feeds", &[]);
        (open < 0.5).then_some(())
    });
}

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
