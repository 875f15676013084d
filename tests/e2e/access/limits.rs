//! Limits of requests, connections, streams and bodies: what exceeds them is refused early, with a
//! reason.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use testkit::{Exposition, Server, Wire, eventually};

const HALF_A_BODY: &str = "POST /v1/contributions HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\
                           content-type: application/json\r\n\r\n{\"board\":";

fn wire_with(server: &Server, text: &str) -> Wire {
    let mut wire = server.wire();
    wire.write(text);
    wire
}

#[test]
fn requests_beyond_the_limit_are_refused_at_once_and_probes_are_answered() {
    let server = Server::with("[server.limits]\nrequests = 3\n");
    let held: Vec<Wire> = (0..3).map(|_| wire_with(&server, HALF_A_BODY)).collect();
    // A request that arrived before the last of them would count against the limit.
    eventually("three requests are under way, and this one", || {
        let under_way = Exposition::of(&server).sum("megaboard_http_requests_under_way", &[]);
        (under_way >= 4.0).then_some(())
    });
    let refused = server.get("/v1/kinds");
    refused.problem(503, "overloaded", &["3"]);
    assert_eq!(refused.header("retry-after"), "1");
    for path in ["/healthz", "/readyz", "/metrics"] {
        assert_eq!(server.get(path).status, 200, "{path}");
    }
    drop(held);
    eventually("requests are accepted again", || {
        (server.get("/v1/kinds").status == 200).then_some(())
    });
}

#[test]
fn connections_beyond_the_limit_are_closed() {
    let server = Server::with("[server.limits]\nconnections = 3\n");
    let mut held: Vec<Wire> = (0..3).map(|_| server.wire()).collect();
    for wire in &mut held {
        wire.write("GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n");
        assert_eq!(wire.response().status, 200);
    }
    for mut further in (0..20).map(|_| server.wire()).collect::<Vec<_>>() {
        assert!(further.has_ended());
    }
    // Open connections stay open.
    for wire in &mut held {
        wire.write("GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n");
        assert_eq!(wire.response().status, 200);
    }
    held.pop();
    eventually("a connection is accepted again", || {
        let mut wire = server.wire();
        let sent = wire.try_write("GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n");
        (sent && wire.try_response()?.status == 200).then_some(())
    });
}

#[test]
fn probes_are_answered_while_incomplete_heads_hold_all_connections() {
    let server = Server::with("[server.limits]\nconnections = 3\nheader_timeout = \"1h\"\n");
    let half = |_| {
        let mut wire = server.wire();
        // If the server has already closed the connection, that is fine too.
        let _ = wire.try_write("GET /healthz HTTP/1.1\r\nhos");
        wire
    };
    let held: Vec<Wire> = (0..3).map(half).collect();
    let ask = |path: &str| {
        let mut wire = server.wire();
        let text = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n");
        wire.try_write(text).then(|| wire.try_response()).flatten()
    };
    let refused = eventually("all connections are in use", || {
        ask("/v1/kinds").filter(|response| response.status != 200)
    });
    assert_eq!(
        (refused.status, refused.header("connection")),
        (503, "close")
    );
    assert_eq!(refused.value()["type"], "overloaded");
    for path in ["/healthz", "/readyz", "/metrics"] {
        let response = eventually(path, || ask(path));
        assert_eq!(
            (response.status, response.header("connection")),
            (200, "close"),
            "{path}"
        );
    }
    // Incomplete heads on connections reserved for probes are ended soon, and free them for others.
    let further: Vec<Wire> = (0..100).map(half).collect();
    for mut wire in further {
        assert!(wire.has_ended());
    }
    assert_eq!(
        eventually("a probe is answered", || ask("/healthz")).status,
        200
    );
    drop(held);
    eventually("connections are accepted again", || {
        (ask("/v1/kinds")?.status == 200).then_some(())
    });
}

#[test]
fn probes_displace_incomplete_heads_on_the_connections_for_probes() {
    let server = Server::with("[server.limits]\nconnections = 1\nheader_timeout = \"1h\"\n");
    let half = |_| wire_with(&server, "GET /healthz HTTP/1.1\r\nhos");
    let _held = half(0);
    let probe = || wire_with(&server, "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n");
    let is_spare = || Some(probe().try_response()?.header("connection") == "close");
    eventually("all other connections are in use", || {
        is_spare().filter(|&is_spare| is_spare)
    });
    for _ in 0..20 {
        // As many as one address may have.
        let _spare: Vec<Wire> = (0..4).map(half).collect();
        assert_eq!(probe().response().status, 200);
    }
    let displaced = Exposition::of(&server).sum(
        "megaboard_connections_ended_early_total",
        &[("cause", "displaced")],
    );
    assert!(displaced >= 1.0, "{displaced}");
}

#[test]
fn a_long_body_on_a_connection_for_probes_is_answered() {
    let server = Server::with("[server.limits]\nconnections = 1\nheader_timeout = \"1h\"\n");
    let _held = wire_with(&server, "GET /healthz HTTP/1.1\r\nhos");
    eventually("all other connections are in use", || {
        let mut wire = wire_with(&server, "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n");
        (wire.try_response()?.header("connection") == "close").then_some(())
    });
    let body = " ".repeat(512 << 10);
    for _ in 0..20 {
        let mut wire = wire_with(
            &server,
            &format!(
                "POST /v1/contributions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                 content-length: {}\r\n\r\n",
                body.len()
            ),
        );
        wire.write(&body);
        let response = wire.response();
        assert_eq!(
            (response.status, response.header("connection")),
            (503, "close")
        );
        assert!(wire.has_ended());
    }
}

#[test]
fn connections_of_an_address_are_limited_but_not_of_a_proxy() {
    let limits = "[server.limits]\nconnections_per_address = 2\n";
    let proxied = format!("[server]\ntrusted_proxies = [\"127.0.0.1\"]\n{limits}");
    for (config, status) in [(limits, 503), (proxied.as_str(), 200)] {
        let server = Server::with(config);
        let ask = "GET /v1/kinds HTTP/1.1\r\nhost: localhost\r\n\r\n";
        let mut held: Vec<Wire> = (0..2).map(|_| wire_with(&server, ask)).collect();
        for wire in &mut held {
            assert_eq!(wire.response().status, 200);
        }
        assert_eq!(
            wire_with(&server, ask).response().status,
            status,
            "{config}"
        );
        drop(held);
        eventually("connections are accepted again", || {
            let response = wire_with(&server, ask).try_response()?;
            (response.status == 200).then_some(())
        });
    }
}

#[test]
fn streams_of_an_address_are_limited() {
    let server = Server::with("[server.limits]\nstreams_per_address = 2\n");
    let ask = "GET /v1/boards/gifts/a/stream HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let open = || {
        let mut wire = wire_with(&server, ask);
        let status = wire.status();
        (wire, status)
    };
    let held = [open(), open()];
    assert!(held.iter().all(|(_, status)| *status == 200));
    let (mut refused, status) = open();
    assert_eq!(status, 429);
    refused.end_input();
    assert_eq!(server.get("/v1/kinds").status, 200);
    drop(held);
    eventually("streams are accepted again", || {
        (open().1 == 200).then_some(())
    });
}

#[test]
fn configured_limits_of_heads_and_bodies_are_enforced() {
    let server = Server::with("[server.limits]\nheader_timeout = \"5s\"\nbody_bytes = 1000\n");
    let mut half_a_head = wire_with(&server, "GET /healthz HTTP/1.1\r\nhos");
    let mut nothing = server.wire();
    let body = |length: usize| " ".repeat(length - 2) + "{}";
    for (length, status) in [(1000, 400), (1001, 413)] {
        let response = server.json("POST", "/v1/top", &body(length));
        assert_eq!(response.status, status, "{}", response.body);
    }
    // Refused by the length alone: none of the body is sent, or requested with `100 Continue`.
    for path in ["/v1/contributions", "/v1/top", "/v1/boards/gifts/a/lookup"] {
        for expect in ["", "expect: 100-continue\r\n"] {
            let head = format!(
                "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                 content-length: 1001\r\n{expect}\r\n"
            );
            let response = wire_with(&server, &head).response();
            assert_eq!(response.status, 413, "{path} {expect}");
            assert_eq!(response.value()["type"], "too-large");
            assert_eq!(response.header("connection"), "close");
        }
    }
    let lines = "{\"board\":\"gifts/a\",\"member\":\"u\",\"points\":1}\n".repeat(100);
    // A stream of lines is never buffered as a whole.
    assert_eq!(server.lines(&lines).ok()["applied"], 100);
    for wire in [&mut half_a_head, &mut nothing] {
        // With or without a response, the connection ends.
        let _ = wire.try_response();
        assert!(wire.has_ended());
    }
}

#[test]
fn compressed_bodies_are_refused_without_being_decompressed() {
    const BOMB_BYTES: usize = 32 << 20;
    let server = Server::start();
    let zeros = vec![b' '; BOMB_BYTES];
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(&zeros).unwrap();
    let mut deflate = DeflateEncoder::new(Vec::new(), Compression::best());
    deflate.write_all(&zeros).unwrap();
    let (gzip, deflate) = (gzip.finish().unwrap(), deflate.finish().unwrap());
    server.give("gifts/a", &[("u", 1)]);
    let before = server.resident_bytes();
    for path in ["/v1/contributions", "/v1/top", "/v1/boards/gifts/a/lookup"] {
        for media_type in ["application/json", "application/x-ndjson"] {
            for (encoding, body) in [("gzip", &gzip), ("deflate", &deflate), ("br", &gzip)] {
                let headers = [("content-type", media_type), ("content-encoding", encoding)];
                let response = server.send("POST", path, &headers, body.clone());
                response.problem(
                    415,
                    "unsupported-media-type",
                    &["content-encoding", encoding],
                );
                assert_eq!(response.header("accept-encoding"), "identity");
            }
        }
    }
    let grown = server.resident_bytes().saturating_sub(before);
    assert!(grown < BOMB_BYTES as u64 / 2, "{grown} bytes");
    let headers = [
        ("content-type", "application/json"),
        ("content-encoding", "identity"),
    ];
    let one = "{\"board\":\"gifts/a\",\"member\":\"u\",\"points\":1}";
    server.send("POST", "/v1/contributions", &headers, one).ok();
}
