//! Repeated reads of a top: their prepared responses are those of full reads.

use serde_json::json;
use testkit::{Exposition, Server, Wire};

/// A request whose target has a host is always answered in full.
fn in_full(server: &Server, target: &str) -> String {
    format!("{}{target}", server.url())
}

/// Sends a `GET`. Returns the response without what differs between any two.
fn ask(server: &Server, wire: &mut Wire, target: &str, headers: &str) -> (Vec<String>, String) {
    let host = server.address();
    wire.write(format!(
        "GET {target} HTTP/1.1\r\nhost: {host}\r\n{headers}\r\n"
    ));
    let mut response = wire.response_to("GET");
    for line in &mut response.head {
        for name in ["date:", "x-request-id:"] {
            if line.starts_with(name) {
                name.clone_into(line);
            }
        }
    }
    (response.head, response.body)
}

fn count(server: &Server, name: &str) -> f64 {
    Exposition::of(server).sum(&format!("megaboard_{name}_total"), &[])
}

fn repeated(server: &Server) -> f64 {
    count(server, "http_repeated")
}

/// Compares repeated reads of many spellings with full ones. Returns how many were prepared.
#[track_caller]
fn compare(server: &Server, outdated: &str) -> f64 {
    let before = repeated(server);
    let mut wire = server.wire();
    let (_, top) = ask(server, &mut wire, "/v1/boards/gifts/a/top", "");
    for target in [
        "/v1/boards/gifts/a/top",
        "/v1/boards/gifts/a/top?",
        "/v1/boards/gifts/%61/top?n=3",
        "/v1/boards/gifts/a/top?n=%33",
        "/v1/boards/gifts/a/top?window=all&n=3",
        "/v1/boards/gifts/a/top?n=3&fresh=false",
        "/v1/boards/gifts/a/top?n=0",
        "/v1/boards/gifts/a/top?n=3&n=3",
        "/v1/boards/gifts/a/top?n=%3",
        "/v1/boards/gifts/a/top?colour=red",
        "/v1/boards/gifts/a/top?window=day",
        "/v1/boards/gifts/none/top",
        "/v1/boards/gifts/a/members/top",
        "/v1/boards/none/a/top",
    ] {
        let full = in_full(server, target);
        let (head, _) = ask(server, &mut wire, &full, "");
        let etag = head.iter().find_map(|line| line.strip_prefix("etag: "));
        let current = format!("if-none-match: {}\r\n", etag.unwrap_or("*"));
        for headers in [
            "",
            "accept-encoding: gzip\r\n",
            "accept-encoding: identity;q=0\r\naccept: text/html\r\n",
            "origin: https://example.com\r\n",
            "if-none-match: *\r\n",
            "if-none-match: \"x\"\r\nif-none-match: *\r\n",
            "if-none-match: \"\"\r\n",
            "authorization: Bearer none\r\nx-forwarded-for: 10.0.0.1\r\n",
            outdated,
            &current,
        ] {
            let expected = ask(server, &mut wire, &full, headers);
            // From the fourth on they are not parsed any more.
            for time in 1..=5 {
                let answer = ask(server, &mut wire, target, headers);
                assert_eq!(answer, expected, "{time}: {target} {headers}");
            }
        }
    }
    // Nothing was merged meanwhile.
    let last = ask(server, &mut wire, "/v1/boards/gifts/a/top", "");
    assert_eq!(last.1, top);
    repeated(server) - before
}

#[test]
fn prepared_responses_are_those_of_full_reads() {
    let kind = |top: u32| {
        let fields = json!([{"name": "points"}]);
        json!({"fields": fields, "windows": ["all"], "max_staleness": "1h", "top": top})
    };
    let server = Server::start();
    server.put("/v1/kinds/gifts", &kind(100)).ok();
    let top = "/v1/boards/gifts/a/top";
    let held = || {
        let etag = server.get(top).header("etag").to_owned();
        format!("if-none-match: {etag}\r\n")
    };
    server.give("gifts/a", &[("u", 1), ("v", 2), ("w", 3), ("x", 4)]);
    let first = held();
    assert!(compare(&server, &first) > 50.0);
    // A read that merges replaces what all others are served.
    server.give("gifts/a", &[("u", 10)]);
    let fresh = server.get(format!("{top}?fresh=true")).ranked();
    assert_eq!(server.get(top).ranked(), fresh);
    assert!(compare(&server, &first) > 50.0);
    server.put("/v1/kinds/gifts", &kind(3)).ok();
    assert_eq!(server.get(top).entries().len(), 3);
    assert!(compare(&server, &first) > 50.0);
    server.send("PUT", "/v1/members/u/hidden", &[], "").ok();
    assert_eq!(server.get(top).ranked()[0].1, "x");
    assert!(compare(&server, &first) > 50.0);
    server.delete("/v1/boards/gifts/a").is_empty();
    assert!(server.get(top).entries().is_empty());
    compare(&server, &first);
    server.give("gifts/a", &[("y", 1)]);
    server.get(format!("{top}?fresh=true")).ok();
    assert_eq!(server.get(top).ranked()[0].1, "y");
    assert!(compare(&server, &first) > 50.0);
}
