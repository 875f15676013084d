//! Metrics of the stores: the journal, what is in memory, and Redis by node, also for abandoned
//! requests.

use serde_json::{Value, json};
use testkit::redis::RedisOptions;
use testkit::{Exposition, Server, eventually};

use crate::redis::serve;

#[test]
fn the_journal_and_the_recovery_are_measured() {
    let server = Server::durable("");
    for n in 0..3 {
        let one = json!({"board": "gifts/a", "member": format!("m{n}"), "points": 1});
        server.contribute(&one).ok();
    }
    let metrics = Exposition::of(&server);
    let value = |name: &str| metrics.sum(name, &[]);
    // The start, the kind, the board, and three contributions.
    assert!(value("megaboard_journal_records_total") >= 6.0);
    assert!(value("megaboard_journal_groups_total") >= 3.0);
    assert!(value("megaboard_journal_sync_duration_seconds_count") >= 3.0);
    assert!(value("megaboard_journal_written_bytes_total") > 100.0);
    assert!(value("megaboard_journal_behind_snapshot_bytes") > 100.0);
    assert!(value("megaboard_snapshot_due_bytes") > 1e6);
    assert!(value("megaboard_journal_refusing").abs() < f64::EPSILON);
    assert!(metrics.sum("megaboard_build_info", &[("store", "embedded")]) > 0.5);
    let server = server.stop().start();
    let metrics = Exposition::of(&server);
    assert!(metrics.sum("megaboard_recovery_duration_seconds", &[]) > 0.0);
    assert!(metrics.sum("megaboard_journal_behind_snapshot_bytes", &[]) > 100.0);
    eventually("the first sweep has counted the board", || {
        let metrics = Exposition::of(&server);
        (metrics.sum("megaboard_store_boards", &[]) > 0.5).then_some(())
    });
    // Three members in the five windows of the kind.
    let metrics = Exposition::of(&server);
    assert!((metrics.sum("megaboard_store_standings", &[]) - 15.0).abs() < f64::EPSILON);
}

#[test]
fn a_redis_node_is_labelled_by_its_address() {
    let redis = RedisOptions::new().start();
    let server = serve(&redis.url(), "");
    let items: Vec<Value> = (0..5)
        .map(|n| json!({"board": "gifts/a", "member": format!("m{n}"), "points": 1}))
        .collect();
    server.contribute(&json!(items)).ok();
    let node = redis.url().trim_start_matches("redis://").to_owned();
    let of_node = [("node", node.as_str())];
    let metrics = Exposition::of(&server);
    assert!((metrics.sum("megaboard_redis_up", &of_node) - 1.0).abs() < f64::EPSILON);
    assert!(
        (metrics.sum("megaboard_redis_connections_total", &of_node) - 1.0).abs() < f64::EPSILON
    );
    let answered = metrics.sum(
        "megaboard_redis_calls_total",
        &[of_node[0], ("end", "answered")],
    );
    assert!(answered >= 1.0);
    assert!(metrics.sum("megaboard_redis_call_duration_seconds_count", &of_node) >= answered);
    drop(redis);
    eventually("the node is down", || {
        let metrics = Exposition::of(&server);
        let is_down = metrics.sum("megaboard_redis_up", &of_node) < 0.5;
        let is_unready = metrics.sum("megaboard_ready", &[]) < 0.5;
        (is_down && is_unready).then_some(())
    });
}

#[test]
fn requests_abandoned_while_the_store_hangs_are_counted() {
    let redis = RedisOptions::new().start();
    let server = serve(&redis.url(), "");
    server.give("gifts/a", &[("u", 1)]);
    let top = "/v1/boards/gifts/a/top?fresh=true";
    server.get(top).ok();
    redis.pause();
    eventually("an abandoned request is counted", || {
        let mut wire = server.wire();
        wire.write(format!("GET {top} HTTP/1.1\r\nhost: localhost\r\n\r\n"));
        drop(wire);
        let metrics = Exposition::of(&server);
        let gone = metrics.sum("megaboard_http_requests_total", &[("status", "gone")]);
        let calls = metrics.sum(
            "megaboard_store_call_failures_total",
            &[("outcome", "abandoned")],
        );
        (gone > 0.5 && calls > 0.5).then_some(())
    });
    redis.resume();
    let route = [("route", "/v1/boards/{kind}/{subject}/top")];
    eventually("every request is timed, the abandoned ones too", || {
        let metrics = Exposition::of(&server);
        let requests = metrics.sum("megaboard_http_requests_total", &route);
        let timed = metrics.sum("megaboard_http_request_duration_seconds_count", &route);
        ((requests - timed).abs() < f64::EPSILON && timed >= 2.0).then_some(())
    });
}
