//! `HEAD`, and invalid heads.

use testkit::{RawResponse, Server};

#[test]
fn head_is_get_without_the_body() {
    let server = Server::start();
    server.give("gifts/a", &[("u", 1)]);
    for (path, status) in [
        ("/v1/boards/gifts/a/top?window=all", 200),
        ("/v1/kinds/nope", 404),
        ("/v1/contributions", 405),
    ] {
        let mut wire = server.wire();
        wire.write(format!("HEAD {path} HTTP/1.1\r\nhost: localhost\r\n\r\n"));
        let head = wire.response_to("HEAD");
        assert_eq!((head.status, head.body.as_str()), (status, ""));
        // The connection continues directly after the head.
        wire.write(format!(
            "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
        ));
        let whole = wire.response();
        assert_eq!(whole.status, status);
        for name in ["content-type", "cache-control"] {
            assert_eq!(head.header(name), whole.header(name), "{path}");
        }
        assert!(wire.has_ended());
    }
}

#[test]
fn invalid_http_ends_only_its_connection() {
    let server = Server::start();
    let long_head = format!(
        "GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: {}\r\n\r\n",
        "x".repeat(1 << 20)
    );
    for bytes in [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec(),
        b"nonsense\r\n\r\n".to_vec(),
        b"GET /healthz HTTP/1.1\r\nhost a\r\n\r\n".to_vec(),
        b"POST /v1/contributions HTTP/1.1\r\nhost: localhost\r\ncontent-length: x\r\n\r\n".to_vec(),
        long_head.into_bytes(),
    ] {
        let mut wire = server.wire();
        let _ = wire.try_write(bytes);
        if let Some(response) = wire.try_response() {
            assert!((400..500).contains(&response.status), "{response:?}");
            assert_bare(&response, response.status);
        }
        assert!(wire.has_ended());
        assert_eq!(server.get("/healthz").status, 200);
    }
}

/// Asserts that this is a response of hyper, after which the connection has ended.
fn assert_bare(response: &RawResponse, status: u16) {
    assert_eq!(response.status, status, "{response:?}");
    assert_eq!(response.body, "", "{response:?}");
}

#[test]
fn refused_heads_have_a_bare_response() {
    let server = Server::start();
    let get = "GET /healthz HTTP/1.1\r\nhost: localhost\r\n";
    let many = format!("{get}{}\r\n", "x: y\r\n".repeat(200));
    let target = format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(65_600));
    // More than the limit of a head, without an end.
    let line = format!("{get}x: {}", "x".repeat((64 << 10) - get.len()));
    let long_body = format!("{get}content-length: 18446744073709551616\r\n\r\n");
    for (bytes, status) in [
        ("nonsense\r\n\r\n", 400),
        (many.as_str(), 431),
        (&target, 431),
        (&line, 431),
        (&long_body, 400),
    ] {
        let mut wire = server.wire();
        let _ = wire.try_write(bytes);
        assert_bare(&wire.response(), status);
        assert!(wire.has_ended());
        // Also after a valid response.
        let mut wire = server.wire();
        wire.write(format!("{get}\r\n"));
        assert_eq!(wire.response().status, 200);
        let _ = wire.try_write(bytes);
        assert_bare(&wire.response(), status);
        assert!(wire.has_ended());
    }
    // A client that begins with HTTP/2 gets no response.
    let mut wire = server.wire();
    wire.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0");
    assert!(wire.has_ended());
}

#[test]
fn a_head_may_have_64_kib_however_it_is_split() {
    let server = Server::start();
    let (begin, end) = (
        "GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: ",
        "\r\n\r\n",
    );
    for (bytes, status) in [(64 << 10, 200), ((64 << 10) + 1, 431)] {
        let value = "x".repeat(bytes - begin.len() - end.len());
        let head = format!("{begin}{value}{end}");
        for part_bytes in [bytes, 1000] {
            let mut wire = server.wire();
            for part in head.as_bytes().chunks(part_bytes) {
                // It may be refused before all of it was sent.
                let _ = wire.try_write(part);
            }
            assert_eq!(wire.response().status, status, "{bytes} by {part_bytes}");
        }
    }
}

#[test]
fn a_content_length_of_the_largest_number_is_413() {
    let server = Server::start();
    let length = u64::MAX - 2;
    let mut wire = server.wire();
    wire.write(format!(
        "POST /v1/contributions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\n\r\n"
    ));
    let response = wire.response();
    assert_eq!(response.status, 413, "{response:?}");
    assert_eq!(response.value()["type"], "too-large");
}
