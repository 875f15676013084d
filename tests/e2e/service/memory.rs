//! Memory that clients can occupy: endless heads, lines and streams, and lists in receipts. All
//! have limits.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::thread;

use serde_json::json;
use testkit::{DEADLINE, Events, Exposition, Server, eventually, ndjson};

/// Small enough that a few hundred connections reach the limits of all pools.
const MEMORY: &str =
    "[server]\nmemory_limit = \"128MB\"\n[server.limits]\nheader_timeout = \"10m\"\n";

/// The number of connections within which a limit must be reached.
const CONNECTIONS_MAX: usize = 2_000;

/// Connections opened at once.
const CONNECTIONS_AT_ONCE: usize = 20;

/// The size of a head or a line slightly below its limit.
const LONG: usize = 63 << 10;

/// Entries of a long top.
const ENTRIES: usize = 10_000;

struct Pool {
    bytes: f64,
    bytes_max: f64,
    refusals: f64,
}

fn pool(server: &Server, name: &str) -> Pool {
    let metrics = Exposition::of(server);
    let sum = |metric: &str| metrics.sum(metric, &[("pool", name)]);
    let pool = Pool {
        bytes: sum("megaboard_pool_bytes"),
        bytes_max: sum("megaboard_pool_limit_bytes"),
        refusals: sum("megaboard_pool_refusals_total"),
    };
    assert!(pool.bytes <= pool.bytes_max, "{name}: {}", pool.bytes);
    pool
}

/// Sends this on new connections until the pool is full.
fn fill(server: &Server, name: &str, begun: &[u8]) -> Vec<TcpStream> {
    let mut open = Vec::new();
    while pool(server, name).refusals <= 0.0 {
        assert!(open.len() < CONNECTIONS_MAX, "{name} has no limit");
        open.extend((0..CONNECTIONS_AT_ONCE).map(|_| {
            let mut stream = TcpStream::connect(server.address()).unwrap();
            // It may be refused before all of it was sent.
            let _ = stream.write_all(begun);
            stream
        }));
    }
    open
}

/// Returns the response on the only connection that has one; all others wait.
fn response(open: &[TcpStream]) -> String {
    let answered = |stream: &&TcpStream| {
        stream.set_nonblocking(true).unwrap();
        stream.peek(&mut [0]).is_ok_and(|bytes| bytes > 0)
    };
    let mut answered = eventually("a response arrives", || open.iter().find(answered));
    answered.set_nonblocking(false).unwrap();
    answered.set_read_timeout(Some(DEADLINE)).unwrap();
    let mut bytes = Vec::new();
    // Closing a connection with unread data may reset it.
    let _ = answered.read_to_end(&mut bytes);
    String::from_utf8(bytes).unwrap()
}

fn wait_until_empty(server: &Server, name: &str) {
    eventually("the memory is free", || {
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
fn memory_of_endless_heads_is_limited_and_short_ones_are_served() {
    let server = Server::with(MEMORY);
    server.give("gifts/a", &[("u", 1)]);
    let head = format!(
        "GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: {}",
        "x".repeat(LONG)
    );
    let open = fill(&server, "read_ahead", head.as_bytes());
    let ends = [("cause", "overloaded")];
    eventually("a connection is closed", || {
        let closed = Exposition::of(&server).sum("megaboard_connections_ended_early_total", &ends);
        (closed >= 1.0).then_some(())
    });
    // Other requests are served, and short bodies are read.
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
    drop(open);
    wait_until_empty(&server, "read_ahead");
    let mut wire = server.wire();
    wire.write(format!("{head}\r\n\r\n"));
    assert_eq!(wire.response().status, 200);
}

#[test]
fn memory_of_endless_lines_is_limited_and_short_ones_are_served() {
    let server = Server::with(MEMORY);
    // At the limit of the total memory, existing connections continue.
    server.give("gifts/a", &[("u", 1)]);
    let begun = begun_lines(&"x".repeat(LONG));
    let open = fill(&server, "bodies", begun.as_bytes());
    let refused = response(&open);
    assert!(
        refused.contains("\"overloaded\"") && refused.contains("\"read\":0"),
        "{refused}"
    );
    server
        .lines(&format!(
            "{}\n",
            json!({"board": "gifts/a", "member": "u", "points": 1})
        ))
        .ok();
    drop(open);
    wait_until_empty(&server, "bodies");
}

#[test]
fn memory_of_receipt_lists_is_limited_and_counts_continue() {
    const LINES: usize = 1_000;
    let server = Server::with(MEMORY);
    let line = json!({"board": format!("nope/{}", "x".repeat(100)), "member": "u", "points": 1});
    let lines = ndjson(&vec![line; LINES]);
    let rejected = |receipt: &serde_json::Value| {
        assert_eq!(receipt["rejected_count"], LINES);
        receipt["rejected"].as_array().unwrap().len()
    };
    assert_eq!(rejected(&server.lines(&lines).rejected()), LINES);
    let open = fill(&server, "receipts", begun_lines(&lines).as_bytes());
    let listed = rejected(&server.lines(&lines).rejected());
    assert!((1..LINES).contains(&listed), "{listed}");
    drop(open);
    wait_until_empty(&server, "receipts");
    assert_eq!(rejected(&server.lines(&lines).rejected()), LINES);
}

fn give(server: &Server, board: &str) {
    let items = (0..ENTRIES).map(|n| {
        let member = format!("{n:0>100}");
        json!({"board": board, "member": member, "points": 1 + n})
    });
    server.lines(&ndjson(&items.collect::<Vec<_>>())).ok();
}

#[test]
fn memory_of_events_is_limited_and_excess_streams_are_refused_or_ended() {
    const GROWING: usize = 10;
    // The boards must grow.
    let memory = MEMORY.replace("128MB", "256MB");
    let server = Server::with(&format!(
        "{memory}[kinds.wide]\nwindows = [\"all\"]\ntop = {ENTRIES}\nmax_staleness = \"0s\"\n"
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
    let mut open = Vec::new();
    let refused = loop {
        assert!(open.len() < CONNECTIONS_MAX, "no stream was refused");
        // Streams of one board share its events.
        let board = format!("wide/{}", open.len());
        give(&server, &board);
        let path = stream(&board, ENTRIES);
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
    // A further stream of the same top needs no memory of its own.
    Events::of(&server, &stream("wide/0", ENTRIES)).named("board");
    let mut ended = 0;
    for (board, events) in boards.iter().zip(&mut growing) {
        // Read meanwhile, since a client that reads nothing is disconnected.
        let last = thread::scope(|scope| {
            let last = scope.spawn(|| {
                events.until(|event| event.name == "problem" || event.value["members"] == ENTRIES)
            });
            give(&server, board);
            last.join().unwrap()
        });
        if last.name == "problem" {
            assert_eq!(last.value["type"], "overloaded");
            assert!(events.try_next().is_none());
            ended += 1;
        }
        pool(&server, "streams");
    }
    assert!(ended > 0, "no stream has ended");
    drop((open, growing));
    wait_until_empty(&server, "streams");
}
