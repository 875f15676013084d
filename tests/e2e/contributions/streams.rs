//! NDJSON streams of any length in constant memory, truncated streams, invalid lines, and the
//! limits of bodies.

use std::io::{Cursor, Read};

use serde_json::json;
use testkit::{Server, eventually};

const JSON_BYTES_MAX: usize = 16 << 20;

/// A reader of `left` contributions of 1 point by 100 members, which never holds them all.
struct Many {
    left: u32,
    line: Cursor<Vec<u8>>,
}

impl Read for Many {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        if self.line.position() == self.line.get_ref().len() as u64 && self.left > 0 {
            self.left -= 1;
            let member = self.left % 100;
            let line = format!("{{\"board\":\"gifts/a\",\"member\":\"u{member}\",\"points\":1}}\n");
            self.line = Cursor::new(line.into_bytes());
        }
        self.line.read(out)
    }
}

#[test]
fn a_stream_of_any_length_takes_constant_memory() {
    const LINES: u32 = 300_000;
    let server = Server::start();
    let many = |left| {
        std::io::BufReader::new(Many {
            left,
            line: Cursor::new(Vec::new()),
        })
    };
    // The memory for the first lines is allocated once.
    server.stream("/v1/contributions", many(20_000)).ok();
    let before = server.resident_bytes();
    let receipt = server.stream("/v1/contributions", many(LINES)).ok();
    assert_eq!(
        (&receipt["applied"], &receipt["read"]),
        (&json!(LINES), &json!(LINES))
    );
    // The lines alone have 15 MB.
    let grown = server.resident_bytes().saturating_sub(before);
    assert!(grown < 8 << 20, "{grown} bytes more");
    let shown = server.get("/v1/boards/gifts/a/members/u7?window=all").ok();
    assert_eq!(shown["points"], (20_000 + LINES) / 100);
}

#[test]
fn a_json_body_that_is_too_large_is_413_and_applies_nothing() {
    let server = Server::start();
    let item = json!({"board": "gifts/a", "member": "u", "points": 1}).to_string();
    let body = |bytes: usize| format!("[{item}{}]", " ".repeat(bytes - item.len() - 2));
    let head = |length: usize| {
        format!(
            "POST /v1/contributions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\n\r\n"
        )
    };
    // The server may respond before it has read the whole body.
    let mut wire = server.wire();
    let large = body(JSON_BYTES_MAX + 1);
    wire.write(head(large.len()));
    let _ = wire.try_write(&large);
    let response = wire.response();
    assert_eq!(response.status, 413, "{}", response.body);
    assert_eq!(response.header("content-type"), "application/problem+json");
    let problem = response.value();
    assert_eq!(problem["type"], "too-large");
    assert!(
        problem["detail"].as_str().unwrap().contains("16777216"),
        "{problem}"
    );
    assert_eq!(server.versions("gifts/a"), []);
    let fits = server.json("POST", "/v1/contributions", &body(JSON_BYTES_MAX));
    assert_eq!(fits.ok()["applied"], 1);
}

#[test]
fn a_truncated_stream_applies_its_complete_lines() {
    let server = Server::start();
    let line =
        |member: &str| json!({"board": "gifts/a", "member": member, "points": 1}).to_string();
    let (first, second) = (line("u1"), line("u2"));
    let (half, _) = second.split_at(second.len() - 1);
    for cut_head in [
        // More bytes are announced than sent.
        format!("content-length: 10000\r\n\r\n{first}\n{half}"),
        // The last chunk is missing.
        format!(
            "transfer-encoding: chunked\r\n\r\n{:x}\r\n{first}\n{half}\r\n",
            first.len() + 1 + half.len()
        ),
    ] {
        let mut wire = server.wire();
        wire.write(format!(
            "POST /v1/contributions HTTP/1.1\r\nhost: localhost\r\n\
             content-type: application/x-ndjson\r\n{cut_head}"
        ));
        wire.end_input();
        // The server may respond to such a request or close the connection.
        if let Some(response) = wire.try_response() {
            assert_eq!(response.status, 400, "{}", response.body);
            let problem = response.value();
            assert_eq!(problem["type"], "malformed");
            assert_eq!(
                (&problem["applied"], &problem["read"]),
                (&json!(1), &json!(1))
            );
        }
        eventually("the complete line is applied", || {
            (server.order("gifts/a", "all") == ["u1"]).then_some(())
        });
        server.delete("/v1/boards/gifts/a").is_empty();
    }
}

#[test]
fn a_truncated_json_body_applies_nothing() {
    let server = Server::start();
    let item = json!({"board": "gifts/a", "member": "u", "points": 1});
    let mut wire = server.wire();
    wire.write(format!(
        "POST /v1/contributions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         content-length: 10000\r\n\r\n[{item}]"
    ));
    wire.end_input();
    if let Some(response) = wire.try_response() {
        assert_eq!(response.status, 400, "{}", response.body);
    }
    assert!(wire.has_ended());
    assert_eq!(server.versions("gifts/a"), []);
}

/// A live stream is endless, so its lines must count soon, not with the thousandth line.
#[test]
fn lines_of_a_slow_stream_are_applied_while_it_is_open() {
    let server = Server::start();
    let mut wire = server.wire();
    wire.write(
        "POST /v1/contributions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-ndjson\r\n\
         transfer-encoding: chunked\r\n\r\n",
    );
    for count in 1..=3 {
        let line = "{\"board\":\"gifts/a\",\"member\":\"u\",\"points\":1}\n";
        wire.write(format!("{:x}\r\n{line}\r\n", line.len()));
        eventually("the line is applied", || {
            let member = server.get("/v1/boards/gifts/a/members/u?window=all");
            (member.status == 200 && member.ok()["points"] == json!(count)).then_some(())
        });
    }
    wire.write("0\r\n\r\n");
    assert_eq!(wire.response().value()["read"], json!(3));
}

/// Field names are compared with each other, so their number is limited first.
#[test]
fn more_fields_than_a_kind_can_have_are_refused_at_once() {
    let server = Server::start();
    let names: Vec<String> = (0..100_000).map(|n| format!("\"f{n}\":1")).collect();
    let body = format!(
        r#"{{"board":"gifts/a","member":"u","values":{{{}}}}}"#,
        names.join(",")
    );
    let response = server.json("POST", "/v1/contributions", &body);
    response.problem(400, "invalid", &["values", "more fields"]);
}
