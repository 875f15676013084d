//! Connections: keep-alive, pipelining, slow clients, disconnects.

use serde_json::json;
use testkit::Server;

#[test]
fn a_connection_serves_one_request_after_another() {
    let server = Server::start();
    let mut wire = server.wire();
    for points in 1..=50 {
        let body = json!({"board": "gifts/a", "member": "u", "points": 1}).to_string();
        wire.write(format!(
            "POST /v1/contributions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        ));
        assert_eq!(wire.response().value()["applied"], 1);
        wire.write(
            "GET /v1/boards/gifts/a/top?window=all&fresh=true HTTP/1.1\r\nhost: localhost\r\n\r\n",
        );
        assert_eq!(wire.response().value()["entries"][0]["points"], points);
    }
    // Errors do not end the connection.
    wire.write("GET /nowhere HTTP/1.1\r\nhost: localhost\r\n\r\n");
    assert_eq!(wire.response().status, 404);
    wire.write("GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    assert_eq!(wire.response().status, 200);
    assert!(wire.has_ended());
}

#[test]
fn a_connection_continues_after_an_unread_body_or_is_closed() {
    let server = Server::start();
    let heads = [
        ("POST /nowhere", "application/json", 404),
        ("PATCH /v1/contributions", "application/json", 405),
        ("POST /v1/contributions", "text/csv", 415),
        ("POST /v1/contributions?dry=1", "application/json", 400),
        ("PUT /v1/boards/nope/a", "application/json", 404),
    ];
    let head = |(line, media_type, _): (&str, &str, u16), length: usize, more: &str| {
        format!(
            "{line} HTTP/1.1\r\nhost: localhost\r\ncontent-type: {media_type}\r\n\
             content-length: {length}\r\n{more}\r\n"
        )
    };
    // A body that has arrived is read and discarded.
    let mut wire = server.wire();
    for case in heads.repeat(20) {
        wire.write(head(case, 2, "") + "{}");
        let response = wire.response();
        assert_eq!(
            (response.status, response.header("connection")),
            (case.2, ""),
            "{case:?}"
        );
    }
    // A body that does not arrive, is too long, or was announced with `Expect` is not waited for.
    for case in heads {
        for (length, more) in [(7, ""), (1 << 30, ""), (2, "expect: 100-continue\r\n")] {
            let mut wire = server.wire();
            wire.write(head(case, length, more));
            let response = wire.response();
            assert_eq!(
                (response.status, response.header("connection")),
                (case.2, "close"),
                "{case:?}"
            );
            assert!(wire.has_ended());
        }
    }
}

#[test]
fn pipelined_requests_are_answered_in_order() {
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
        wire.write(format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n"));
    }
    let statuses = paths.map(|_| wire.response().status);
    assert_eq!(statuses, [200, 404, 200, 404, 200]);
}

#[test]
fn slow_clients_do_not_delay_others() {
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
                "POST /v1/contributions HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\
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
        wire.write("t: localhost\r\n\r\n");
        assert_eq!(wire.response().status, 200);
    }
    drop(half_bodies);
    assert_eq!(server.get("/healthz").status, 200);
}

#[test]
fn clients_that_disconnect_before_the_response_do_no_harm() {
    let server = Server::start();
    for _ in 0..100 {
        server
            .wire()
            .write("GET /v1/boards/gifts/a/top HTTP/1.1\r\nhost: localhost\r\n\r\n");
        server.wire().write("POST /v1/contributions HTTP/1.1\r\n");
        drop(server.wire());
    }
    assert_eq!(server.get("/healthz").status, 200);
    assert_eq!(server.get("/v1/boards/gifts/a/top").ok()["members"], 0);
}
