//! Metrics of requests that are abandoned while the store hangs.

use testkit::redis::RedisOptions;
use testkit::{Exposition, eventually};

use crate::redis::serve;

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
