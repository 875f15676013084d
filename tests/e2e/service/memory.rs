//! What clients make a server hold: heads, lines and streams that do not end, lists in receipts. All have limits.

use serde_json::json;
use testkit::{Events, Exposition, Server, Wire, eventually, ndjson};

/// Small enough that a few hundred connections meet the limits of all pools.
const MEMORY: &str = "[server]\nmemory_limit = \"128MB\"\n";

/// Connections after which a limit has to be met.
const CONNECTIONS_MAX: usize = 600;

/// Bytes of a head and of a line that are nearly too long.
const LONG: usize = 63 << 10;

/// Entries of a long top.
const ENTRIES: usize = 10_000;

struct Pool {
    bytes: f64,
    bytes_max: f64,
    refusals: f64,
}

fn pool(server: &Server, name: &str) -> Pool {
    let told = Exposition::of(server);
    let sum = |metric: &str| told.sum(metric, &[("pool", name)]);
    let pool = Pool {
        bytes: sum("megaboard_pool_bytes"),
        bytes_max: sum("megaboard_pool_limit_bytes"),
        refusals: sum("megaboard_pool_refusals_total"),
    };
    assert!(pool.bytes <= pool.bytes_max, "{name}: {}", pool.bytes);
    pool
}

/// Sends this on one connection after the other until the pool has no room for it: those that wait, and the one that
/// was refused.
fn fill(server: &Server, name: &str, begun: &[u8]) -> (Vec<Wire>, Wire) {
    let mut waiting = Vec::new();
    for _ in 0..CONNECTIONS_MAX {
        let before = pool(server, name);
        let mut wire = server.wire();
        wire.write(begun);
        let now = eventually("what was sent is counted", || {
            let now = pool(server, name);
            (now.bytes > before.bytes + 40_000.0 || now.refusals > 0.0).then_some(now)
        });
        if now.refusals > 0.0 {
            return (waiting, wire);
        }
        waiting.push(wire);
    }
    panic!("{CONNECTIONS_MAX} connections have not met the limit of {name}");
}

fn is_empty(server: &Server, name: &str) {
    eventually("what was held is free", || {
        (pool(server, name).bytes <= 0.0).then_some(())
    });
}

fn begun_lines(text: &str) -> String {
    format!(
        "POST /v1/contributions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-ndjson\r\n\
         content-length: {}\r\n\r\n{text}",
        text.len() + 1
    )
}

#[test]
fn heads_that_do_not_end_are_bounded_and_short_ones_go_on() {
    let server = Server::with(MEMORY);
    let head = format!(
        "GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: {}",
        "x".repeat(LONG)
    );
    let (waiting, mut refused) = fill(&server, "read_ahead", head.as_bytes());
    let answer = refused.answer();
    assert_eq!((answer.status, answer.header("retry-after")), (503, "1"));
    assert_eq!(answer.value()["type"], "overloaded");
    assert!(refused.has_ended());
    let ends = [("cause", "overloaded")];
    let told = Exposition::of(&server);
    assert!(told.sum("megaboard_connections_ended_early_total", &ends) >= 1.0);
    // All others are served, and bodies are read, in short pieces.
    server
        .lines(&format!(
            "{}\n",
            json!({"board": "gifts/a", "member": "u", "points": 1})
        ))
        .ok();
    let spaces = " ".repeat(1 << 20);
    let text = format!("[{spaces}{{\"board\":\"gifts/a\",\"member\":\"u\",\"points\":1}}]");
    assert_eq!(
        server.json("POST", "/v1/contributions", &text).ok()["applied"],
        1
    );
    for mut wire in waiting {
        wire.write("\r\n\r\n");
        assert_eq!(wire.answer().status, 200);
    }
    is_empty(&server, "read_ahead");
}

#[test]
fn lines_that_do_not_end_are_bounded_and_short_ones_go_on() {
    let server = Server::with(MEMORY);
    let begun = begun_lines(&"x".repeat(LONG));
    let (waiting, mut refused) = fill(&server, "bodies", begun.as_bytes());
    let answer = refused.answer().value();
    assert_eq!(
        (&answer["type"], &answer["read"]),
        (&json!("overloaded"), &json!(0))
    );
    server
        .lines(&format!(
            "{}\n",
            json!({"board": "gifts/a", "member": "u", "points": 1})
        ))
        .ok();
    drop(waiting);
    is_empty(&server, "bodies");
}

#[test]
fn lists_of_receipts_are_bounded_and_counts_go_on() {
    const LINES: usize = 1_000;
    let server = Server::with(MEMORY);
    let line = json!({"board": format!("nope/{}", "x".repeat(100)), "member": "u", "points": 1});
    let lines = ndjson(&vec![line; LINES]);
    let rejected = |receipt: &serde_json::Value| {
        assert_eq!(receipt["rejected_count"], LINES);
        receipt["rejected"].as_array().unwrap().len()
    };
    assert_eq!(rejected(&server.lines(&lines).ok()), LINES);
    let (waiting, refused) = fill(&server, "receipts", begun_lines(&lines).as_bytes());
    let listed = rejected(&server.lines(&lines).ok());
    assert!((1..LINES).contains(&listed), "{listed}");
    drop((waiting, refused));
    is_empty(&server, "receipts");
    assert_eq!(rejected(&server.lines(&lines).ok()), LINES);
}

fn give(server: &Server, board: &str) {
    let items = (0..ENTRIES).map(|n| {
        let member = format!("{n:0>100}");
        json!({"board": board, "member": member, "points": 1 + n})
    });
    server.lines(&ndjson(&items.collect::<Vec<_>>())).ok();
}

#[test]
fn events_are_bounded_new_streams_refused_and_those_that_grow_too_large_ended() {
    const GROWING: usize = 6;
    let server = Server::with(&format!(
        "{MEMORY}[kinds.wide]\nwindows = [\"all\"]\ntop = {ENTRIES}\nmax_staleness = \"0s\"\n"
    ));
    let stream = |board: &str, n: usize| format!("/v1/boards/{board}/stream?n={n}");
    let boards: Vec<String> = (0..GROWING).map(|n| format!("wide/grows {n}")).collect();
    let paths = boards.iter().map(|board| board.replace(' ', "%20"));
    let mut growing: Vec<Events> = paths
        .map(|board| {
            let mut events = Events::of(&server, &stream(&board, ENTRIES));
            events.named("board");
            events
        })
        .collect();
    give(&server, "wide/a");
    let mut open = Vec::new();
    let refused = loop {
        assert!(open.len() < CONNECTIONS_MAX, "no stream was refused");
        let path = stream("wide/a", ENTRIES - open.len());
        let mut wire = server.wire();
        wire.write(Events::request(&path));
        if wire.status() != 200 {
            break path;
        }
        let mut events = Events::of(&server, &path);
        events.named("board");
        open.push(events);
    };
    let refused = server.get(&refused);
    refused.problem(503, "overloaded", &["streams"]);
    assert_eq!(refused.header("retry-after"), "1");
    // Who watches what is streamed already needs nothing of its own.
    Events::of(&server, &stream("wide/a", ENTRIES)).named("board");
    let mut ended = 0;
    for (board, events) in boards.iter().zip(&mut growing) {
        give(&server, board);
        let last =
            events.until(|event| event.name == "problem" || event.value["members"] == ENTRIES);
        if last.name == "problem" {
            assert_eq!(last.value["type"], "overloaded");
            assert!(events.try_next().is_none());
            ended += 1;
        }
        pool(&server, "streams");
    }
    assert!(ended > 0, "all tops have grown");
    drop((open, growing));
    is_empty(&server, "streams");
}
