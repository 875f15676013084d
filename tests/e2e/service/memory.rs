//! What clients make a server hold: heads, lines and streams that do not end, lists in receipts. All have limits.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::thread;

use serde_json::json;
use testkit::{DEADLINE, Events, Exposition, Server, eventually, ndjson};

/// Small enough that a few hundred connections meet the limits of all pools.
const MEMORY: &str =
    "[server]\nmemory_limit = \"128MB\"\n[server.limits]\nheader_timeout = \"10m\"\n";

/// Connections after which a limit has to be met.
const CONNECTIONS_MAX: usize = 2_000;

/// Connections that are opened at once.
const CONNECTIONS_AT_ONCE: usize = 20;

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

/// Sends this on connections until the pool has no room for it.
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

/// The answer on the one of these connections that has one; all others wait.
fn answer(open: &[TcpStream]) -> String {
    let answered = |stream: &&TcpStream| {
        stream.set_nonblocking(true).unwrap();
        stream.peek(&mut [0]).is_ok_and(|bytes| bytes > 0)
    };
    let mut answered = eventually("an answer", || open.iter().find(answered));
    answered.set_nonblocking(false).unwrap();
    answered.set_read_timeout(Some(DEADLINE)).unwrap();
    let mut bytes = Vec::new();
    // A connection that ends with something unread may be reset.
    let _ = answered.read_to_end(&mut bytes);
    String::from_utf8(bytes).unwrap()
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
    server.give("gifts/a", &[("u", 1)]);
    let head = format!(
        "GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: {}",
        "x".repeat(LONG)
    );
    let open = fill(&server, "read_ahead", head.as_bytes());
    let refused = answer(&open);
    assert!(
        refused.starts_with("HTTP/1.1 503 ") && refused.contains("\"overloaded\""),
        "{refused}"
    );
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
    drop(open);
    is_empty(&server, "read_ahead");
    let mut wire = server.wire();
    wire.write(format!("{head}\r\n\r\n"));
    assert_eq!(wire.answer().status, 200);
}

#[test]
fn lines_that_do_not_end_are_bounded_and_short_ones_go_on() {
    let server = Server::with(MEMORY);
    // At the limit of all memory those go on who are there.
    server.give("gifts/a", &[("u", 1)]);
    let begun = begun_lines(&"x".repeat(LONG));
    let open = fill(&server, "bodies", begun.as_bytes());
    let refused = answer(&open);
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
    let open = fill(&server, "receipts", begun_lines(&lines).as_bytes());
    let listed = rejected(&server.lines(&lines).ok());
    assert!((1..LINES).contains(&listed), "{listed}");
    drop(open);
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
    const GROWING: usize = 10;
    // Boards have to grow.
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
        // Read meanwhile: who takes nothing is disconnected.
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
    assert!(ended > 0, "all tops have grown");
    drop((open, growing));
    is_empty(&server, "streams");
}
