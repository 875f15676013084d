//! A server at its memory limit: it refuses writes that need more memory, answers reads, and
//! restarts after a kill. Deletions free memory.

use serde_json::Value;
use testkit::clock::zone_in_mid_hour;
use testkit::{Exposition, Server, eventually};

const LIMIT_BYTES: u64 = 96 << 20;

/// The total memory, of which the limit is three quarters: a server may temporarily need all of it.
const PEAK_BYTES_MAX: u64 = LIMIT_BYTES / 3 * 4;

/// New boards of one request: fewer than the failures that end a stream of lines.
const BOARDS: usize = 300;

/// New members of one board of one request.
const MEMBERS: usize = 900;

/// The number of requests within which the limit must be reached.
const REQUESTS_MAX: usize = 500;

fn start() -> Server {
    Server::durable(&format!(
        "[server]\nmemory_limit = {LIMIT_BYTES}\ndurability = \"interval\"\n\
         [kinds.gifts]\nwindows = [\"hour\", \"all\"]\ntime_zone = \"{}\"\n",
        zone_in_mid_hour()
    ))
}

fn lines(items: impl Iterator<Item = (String, String)>) -> String {
    let line = |(board, member)| {
        format!("{{\"board\":\"gifts/{board}\",\"member\":\"{member}\",\"points\":1}}\n")
    };
    items.map(line).collect()
}

/// Creates many boards with one member, and one board with many, until the server refuses. Returns
/// the receipt of the first request that was not applied completely.
fn fill(server: &Server, mark: &str) -> Value {
    for request in 0..REQUESTS_MAX {
        let boards = (0..BOARDS).map(|n| (format!("{mark} {request} {n}"), "u".to_owned()));
        let members =
            (0..MEMBERS).map(|n| ("large".to_owned(), format!("{mark} {request} {n:0>80}")));
        for text in [lines(boards), lines(members)] {
            let response = server.lines(&text).value();
            if response["failed_count"] != 0 {
                return response;
            }
        }
    }
    panic!("{REQUESTS_MAX} requests have not filled {LIMIT_BYTES} bytes");
}

fn assert_refused(receipt: &Value) {
    let failed = &receipt["failed"][0];
    let detail = failed["detail"].as_str().unwrap();
    assert_eq!(failed["type"], "unavailable", "{failed}");
    assert!(detail.contains("memory limit"), "{detail}");
}

fn is_applied(server: &Server, board: &str, member: &str) -> bool {
    let receipt = server.lines(&lines([(board.to_owned(), member.to_owned())].into_iter()));
    receipt.value()["applied"] == 1
}

fn members(server: &Server) -> u64 {
    let top = server
        .get("/v1/boards/gifts/large/top?window=all&fresh=true")
        .ok();
    top["members"].as_u64().unwrap()
}

#[test]
fn a_server_at_its_memory_limit_reads_restarts_and_accepts_writes_after_deletions() {
    let server = start();
    assert_refused(&fill(&server, "a"));
    let metrics = Exposition::of(&server);
    assert_eq!(
        metrics.sum("megaboard_memory_full", &[]).to_bits(),
        1f64.to_bits()
    );
    assert!(metrics.sum("megaboard_memory_refusals_total", &[]) >= 1.0);
    // Existing standings can be changed and removed, new ones cannot be added.
    assert!(is_applied(&server, "a 0 0", "u"));
    assert!(!is_applied(&server, "a 0 0", "another"));
    assert!(!is_applied(&server, "another", "u"));
    assert_eq!(server.delete("/v1/boards/gifts/a%200%200").status, 204);
    let counted = members(&server);
    assert!(counted >= MEMBERS as u64, "{counted}");
    let peak = server.peak_resident_bytes();
    assert!(peak < PEAK_BYTES_MAX, "{peak} bytes");

    let server = server.kill().start();
    assert_eq!(members(&server), counted);
    assert_refused(&fill(&server, "b"));
    let peak = server.peak_resident_bytes();
    assert!(peak < PEAK_BYTES_MAX, "{peak} bytes");
    assert_eq!(server.get("/readyz").status, 200);

    assert_eq!(server.delete("/v1/boards/gifts/large").status, 204);
    eventually("new boards are accepted", || {
        is_applied(&server, "another", "u").then_some(())
    });
    assert_refused(&fill(&server, "c"));
    let peak = server.peak_resident_bytes();
    assert!(peak < PEAK_BYTES_MAX, "{peak} bytes");
}
