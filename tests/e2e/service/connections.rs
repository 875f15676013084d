//! Connections: kept alive, pipelined, slow, ended.

use end_to_end::Server;
use serde_json::json;

#[test]
fn a_connection_serves_one_request_after_another() {
    let server = Server::start();
    let mut wire = server.wire();
    for points in 1..=50 {
        let body = json!({"board": "gifts/a", "member": "u", "points": 1}).to_string();
        wire.write(format!(
            "POST /v1/contributions HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        ));
        assert_eq!(wire.answer().value()["applied"], 1);
        wire.write("GET /v1/boards/gifts/a/top?window=all&fresh=true HTTP/1.1\r\nhost: a\r\n\r\n");
        assert_eq!(wire.answer().value()["entries"][0]["points"], points);
    }
    // Errors end no connection either.
    wire.write("GET /nowhere HTTP/1.1\r\nhost: a\r\n\r\n");
    assert_eq!(wire.answer().status, 404);
    wire.write("GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
    assert_eq!(wire.answer().status, 200);
    assert!(wire.has_ended());
}

#[test]
fn requests_in_a_row_are_answered_in_order() {
    let server = Server::start();
    let mut wire = server.wire();
    let paths = [
        "/healthz",
        "/nowhere",
        "/readyz",
        "/v1/boards/gifts/a/members/u",
        "/v1/kinds",
    ];
    for path in paths {
        wire.write(format!("GET {path} HTTP/1.1\r\nhost: a\r\n\r\n"));
    }
    let statuses = paths.map(|_| wire.answer().status);
    assert_eq!(statuses, [200, 404, 200, 404, 200]);
}

#[test]
fn slow_clients_hold_up_nobody() {
    let server = Server::start();
    let half_heads: Vec<_> = (0..300)
        .map(|_| {
            let mut wire = server.wire();
            wire.write("GET /healthz HTTP/1.1\r\nhos");
            wire
        })
        .collect();
    let half_bodies: Vec<_> = (0..100)
        .map(|_| {
            let mut wire = server.wire();
            wire.write(
                "POST /v1/contributions HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\
                 content-type: application/json\r\n\r\n{\"board\":",
            );
            wire
        })
        .collect();
    for _ in 0..50 {
        server.give("gifts/a", &[("u", 1)]);
    }
    assert_eq!(
        server.get("/v1/boards/gifts/a/members/u?window=all").ok()["points"],
        50
    );
    for mut wire in half_heads {
        wire.write("t: a\r\n\r\n");
        assert_eq!(wire.answer().status, 200);
    }
    drop(half_bodies);
    assert_eq!(server.get("/healthz").status, 200);
}

#[test]
fn clients_that_leave_before_the_answer_do_no_harm() {
    let server = Server::start();
    for _ in 0..100 {
        server
            .wire()
            .write("GET /v1/boards/gifts/a/top HTTP/1.1\r\nhost: a\r\n\r\n");
        server.wire().write("POST /v1/contributions HTTP/1.1\r\n");
        drop(server.wire());
    }
    assert_eq!(server.get("/healthz").status, 200);
    assert_eq!(server.get("/v1/boards/gifts/a/top").ok()["members"], 0);
}
