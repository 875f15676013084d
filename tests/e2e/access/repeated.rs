//! Repeated reads of a top: each needs its key, and takes from its budget.

use serde_json::json;
use testkit::clock::{DAY_MS, date, now_ms};
use testkit::{Exposition, Server, eventually};

use super::rates::refused;
use super::{Key, lines};

const TOP: &str = "/v1/boards/k/a/top";
const OPEN_METRICS: &str = "[server]\nmetrics_open = true\n";
const KIND: &str = "[kinds.k]\nwindows = [\"all\"]\nmax_staleness = \"1h\"\n";
const BUDGET: &str = "requests_per_second = 1\nburst = 10\n";

/// More reads than one that is answered in full, and one that prepares the response.
const READS: u32 = 4;

fn write(server: &Server, config: &str) {
    std::fs::write(server.folder().join("megaboard.toml"), config).unwrap();
    server.signal("HUP");
}

fn repeated(server: &Server) -> f64 {
    Exposition::of(server).sum("megaboard_http_repeated_total", &[])
}

fn give(server: &Server, key: &Key) {
    let one = json!({"board": "k/a", "member": "u", "points": 1});
    let path = "/v1/contributions";
    key.ask(server, "POST", path, Some(&one)).ok();
}

#[test]
fn repeated_reads_take_from_the_budgets_of_keys_and_addresses() {
    let (writer, own) = (
        Key::new("--scope write --name writer"),
        Key::new("--name own"),
    );
    let server = Server::with(&format!(
        "{OPEN_METRICS}{KIND}{}{BUDGET}",
        lines(&[&writer, &own])
    ));
    give(&server, &writer);
    let (before, _) = refused(|| own.get(&server, TOP));
    assert!((10..20).contains(&before), "{before}");
    assert!(repeated(&server) > 0.0);
    let server = Server::with(&format!("{KIND}[server.limits.address]\n{BUDGET}"));
    server.give("k/a", &[("u", 1)]);
    let (before, _) = refused(|| server.get(TOP));
    assert!((5..20).contains(&before), "{before}");
    assert!(repeated(&server) > 0.0);
}

#[test]
fn the_first_key_makes_prepared_responses_private() {
    let kind = json!({"fields": [{"name": "points"}], "windows": ["day"], "max_staleness": "1h"});
    let server = Server::with(OPEN_METRICS);
    assert_eq!(server.put("/v1/kinds/k", &kind).status, 201);
    let past = now_ms() - 2 * DAY_MS;
    let one = json!({"board": "k/a", "member": "u", "points": 1, "at": past});
    server.contribute(&one).ok();
    let mut closing = server.get("/v1/kinds/k").ok();
    closing["close"] = json!({"day": "1h"});
    server.put("/v1/kinds/k", &closing).ok();
    let path = format!("{TOP}?window=day:{}", date(past));
    for _ in 0..READS {
        let shown = server.get(&path);
        assert_eq!(shown.ok()["final"], true);
        assert_eq!(shown.header("cache-control"), "public, max-age=60");
    }
    assert!(repeated(&server) > 0.0);
    let key = Key::new("");
    write(&server, &format!("{OPEN_METRICS}{}", key.lines));
    eventually("a key is required", || {
        (server.get(&path).status == 401).then_some(())
    });
    for _ in 0..READS {
        let shown = key.get(&server, &path);
        assert_eq!(shown.ok()["final"], true);
        assert_eq!(shown.header("cache-control"), "private, max-age=60");
        assert_eq!(shown.header("vary"), "accept-encoding, authorization");
    }
}
