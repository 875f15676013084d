//! Answers that nobody takes: bounded all together, and in nobody's way who asks for little.

use serde_json::{Value, json};
use testkit::{Exposition, Server, Wire, eventually, ndjson};

/// Bytes of large answers that the server may have on their way.
const ANSWER_BYTES: u32 = 24 << 20;

/// Entries of all boards that one request asks for: some 10 MB of them.
const BOARDS: usize = 10;
const ENTRIES: usize = 10_000;

/// Readers that take nothing. The system takes some megabytes for each of them.
const IDLE_MAX: usize = 40;

fn fill(server: &Server) -> Value {
    let boards: Vec<String> = (0..BOARDS).map(|n| format!("wide/{n}")).collect();
    for board in &boards {
        let items = (0..ENTRIES).map(|n| {
            let member = format!("{n:0>100}");
            json!({"board": board, "member": member, "points": 1 + n})
        });
        server.lines(&ndjson(&items.collect::<Vec<_>>())).ok();
    }
    json!({"boards": boards, "n": ENTRIES})
}

/// A reader for this client that takes nothing.
fn asking(server: &Server, asked: &str, client: &str) -> Wire {
    let mut wire = server.wire();
    wire.write(format!(
        "POST /v1/top HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         x-forwarded-for: {client}\r\ncontent-length: {}\r\n\r\n{asked}",
        asked.len()
    ));
    wire
}

#[test]
fn one_address_leaves_others_their_share() {
    let config = format!(
        "[server]\ntrusted_proxies = [\"127.0.0.1\"]\n\
         [server.limits]\nanswer_bytes_per_address = {ANSWER_BYTES}\n\
         [kinds.wide]\nwindows = [\"all\"]\ntop = {ENTRIES}\nmax_staleness = \"1h\"\n"
    );
    let server = Server::with(&config);
    let asked = fill(&server).to_string();
    let ask = |client: &str| {
        let headers = [
            ("content-type", "application/json"),
            ("x-forwarded-for", client),
        ];
        server.send("POST", "/v1/top", &headers, asked.clone())
    };
    ask("10.0.0.1").ok();
    let mut idle: Vec<Wire> = Vec::new();
    let refused = eventually("the share of the address is taken", || {
        if idle.len() < IDLE_MAX {
            idle.push(asking(&server, &asked, "10.0.0.1"));
        }
        let answer = ask("10.0.0.1");
        (answer.status != 200).then_some(answer)
    });
    refused.problem(503, "overloaded", &["10.0.0.1", "bytes"]);
    assert_eq!(refused.header("retry-after"), "1");
    ask("10.0.0.2").ok();
    drop(idle);
    eventually("its share again", || {
        (ask("10.0.0.1").status == 200).then_some(())
    });
}

#[test]
fn answers_that_nobody_takes_are_bounded_and_small_ones_go_on() {
    let config = format!(
        "[server.limits]\nanswer_bytes = {ANSWER_BYTES}\nanswer_bytes_per_address = {ANSWER_BYTES}\n\
         [kinds.wide]\nwindows = [\"all\"]\ntop = {ENTRIES}\nmax_staleness = \"1h\"\n"
    );
    let server = Server::with(&config);
    let asked = fill(&server).to_string();
    assert!(server.json("POST", "/v1/top", &asked).ok()["boards"].is_array());
    let mut idle: Vec<Wire> = Vec::new();
    let refused = eventually("the room for answers is taken", || {
        if idle.len() < IDLE_MAX {
            idle.push(asking(&server, &asked, "10.0.0.1"));
        }
        let unwritten = Exposition::of(&server).sum("megaboard_answers_unwritten_bytes", &[]);
        assert!(unwritten <= f64::from(ANSWER_BYTES), "{unwritten}");
        let answer = server.json("POST", "/v1/top", &asked);
        (answer.status != 200).then_some(answer)
    });
    refused.problem(503, "overloaded", &["answers"]);
    assert_eq!(refused.header("retry-after"), "1");
    server.give("wide/0", &[("one more", 1)]);
    let small = server.get("/v1/boards/wide/0/top?n=10").ok();
    assert_eq!(small["entries"].as_array().unwrap().len(), 10);
    drop(idle);
    eventually("room again", || {
        (server.json("POST", "/v1/top", &asked).status == 200).then_some(())
    });
    assert!(Exposition::of(&server).sum("megaboard_answers_refused_total", &[]) >= 1.0);
}
