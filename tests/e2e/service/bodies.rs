//! Invalid, deeply nested and unexpected bodies, on every path that reads one.

use serde_json::json;
use testkit::Server;

const PATHS: [(&str, &str); 7] = [
    ("POST", "/v1/contributions"),
    ("POST", "/v1/top"),
    ("POST", "/v1/boards/gifts/a/lookup"),
    ("POST", "/v1/boards/gifts/a/rank"),
    ("PUT", "/v1/boards/gifts/a"),
    ("PUT", "/v1/boards/gifts/a/members/u"),
    ("PUT", "/v1/kinds/k"),
];

#[test]
fn deep_nesting_is_refused() {
    const DEPTH: usize = 1_000_000;
    /// The text is below one MiB, the limit of the other routes.
    const SHORT_DEPTH: usize = 150_000;
    let server = Server::start();
    let closed = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    for (method, path) in PATHS {
        let is_long = path == "/v1/contributions";
        let depth = if is_long { DEPTH } else { SHORT_DEPTH };
        let (arrays, objects) = ("[".repeat(depth), "{\"a\":".repeat(depth));
        let closed = closed(depth);
        for text in [&arrays, &objects, &closed] {
            let response = server.json(method, path, text);
            if is_long && *text == closed {
                // An array with one item, which is invalid.
                assert_eq!(response.rejected()["rejected"][0]["type"], "invalid");
                continue;
            }
            assert_eq!(response.status, 400, "{method} {path}: {}", response.body);
        }
    }
    let closed = closed(DEPTH);
    for value in ["member", "points", "values", "boards", "at"] {
        let text = format!("{{\"board\": \"gifts/a\", \"{value}\": {closed}}}");
        let response = server.json("POST", "/v1/contributions", &text);
        assert_eq!(response.status, 400, "{value}: {}", response.body);
    }
    assert_eq!(server.get("/healthz").status, 200);
}

#[test]
fn a_body_that_is_too_large_is_413_everywhere() {
    let server = Server::start();
    let spaces = " ".repeat(1 << 20);
    for (method, path) in PATHS {
        let mut wire = server.wire();
        let length = 17 << 20;
        wire.write(format!(
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\n\r\n"
        ));
        // The server may respond and close the connection before it has read all.
        for _ in 0..17 {
            if !wire.try_write(&spaces) {
                break;
            }
        }
        let response = wire.response();
        assert_eq!(response.status, 413, "{method} {path}: {}", response.body);
        assert_eq!(response.value()["type"], "too-large");
    }
}

#[test]
fn only_bodies_of_contributions_can_exceed_one_mebibyte() {
    let server = Server::start();
    let long = " ".repeat((1 << 20) - 1) + "{}";
    for (method, path) in PATHS {
        let is_long = path.starts_with("/v1/contributions");
        let status = if is_long { 400 } else { 413 };
        let response = server.json(method, path, &long);
        assert_eq!(
            response.status, status,
            "{method} {path}: {}",
            response.body
        );
        assert_ne!(server.json(method, path, &long[1..]).status, 413, "{path}");
    }
}

#[test]
fn an_unexpected_body_is_ignored() {
    let server = Server::start();
    let mut wire = server.wire();
    for _ in 0..2 {
        wire.write(
            "GET /v1/boards/gifts/a/top HTTP/1.1\r\nhost: localhost\r\ncontent-length: 7\r\n\r\n{\"n\":1}",
        );
        assert_eq!(wire.response().value()["members"], json!(0));
    }
}

#[test]
fn a_response_is_complete_if_its_client_sends_everything_before_reading() {
    // Nothing fits into memory: the stream of lines ends after a thousand failures.
    let server = Server::with("[server]\nmemory_limit = 1048576\n");
    let cases = [5_000, 100_000].into_iter();
    let cases = cases.flat_map(|lines| [(lines, ""), (lines, "expect: 100-continue\r\n")]);
    for (lines, expect) in cases {
        let line =
            |n| format!("{{\"board\":\"gifts/room-{n}\",\"member\":\"ada\",\"points\":1}}\n");
        let body: String = (0..lines).map(line).collect();
        let mut wire = server.wire();
        wire.write(format!(
            "POST /v1/contributions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-ndjson\r\n\
             content-length: {}\r\n{expect}\r\n",
            body.len()
        ));
        if !expect.is_empty() {
            assert_eq!(wire.response().status, 100);
        }
        wire.write(body);
        let response = wire.response();
        assert_eq!(response.header("connection"), "close");
        let failed = response.value()["failed_count"].as_u64().unwrap();
        assert!(failed >= 1_000, "{failed} of {lines} lines");
        assert!(wire.has_ended());
    }
}
