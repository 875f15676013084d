//! Responses that clients do not read, or slowly: they are limited in total and by address, and
//! clients that read are not affected.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Exposition, RawResponse, Server, Wire, eventually, ndjson};

/// The limit of unread large responses. It has space for one response of these reads.
const ANSWER_BYTES: u32 = 32 << 20;

/// Boards of one request, and entries of each: about 16 MB in total.
const BOARDS: usize = 10;
const ENTRIES: usize = 10_000;

/// The number of readers started at once that do not read their responses.
const IDLE: usize = 8;

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

fn request(asked: &str, client: &str) -> String {
    format!(
        "POST /v1/top HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         x-forwarded-for: {client}\r\ncontent-length: {}\r\n\r\n{asked}",
        asked.len()
    )
}

/// Opens a request from this client and does not read the response.
fn reader(server: &Server, asked: &str, client: &str) -> Wire {
    let mut wire = server.wire();
    wire.write(request(asked, client));
    wire
}

/// Opens requests from this client without reading the responses. Returns them, and the response of
/// one that was refused. If the server takes long, the first readers are displaced, and more are
/// opened.
fn idle(server: &Server, asked: &str, client: &str) -> (Vec<Wire>, RawResponse) {
    // A reader can have the last byte of its response before the server frees its memory. All
    // requests could be refused for it.
    eventually("no response is unread", || {
        (unwritten(server) <= 0.0).then_some(())
    });
    let mut idle = Vec::new();
    let refused = eventually("a reader is refused", || {
        let mut asking: Vec<Wire> = (0..IDLE).map(|_| reader(server, asked, client)).collect();
        let refused = asking.iter_mut().find_map(Wire::failure);
        idle.append(&mut asking);
        refused
    });
    assert_eq!((refused.status, refused.header("retry-after")), (503, "1"));
    assert_eq!(refused.value()["type"], "overloaded");
    (idle, refused)
}

/// The pool of unread responses.
const OF_ANSWERS: [(&str, &str); 1] = [("pool", "responses")];

fn unwritten(server: &Server) -> f64 {
    Exposition::of(server).sum("megaboard_pool_bytes", &OF_ANSWERS)
}

#[test]
fn unread_responses_of_an_address_have_a_limit() {
    let config = format!(
        "[server]\ntrusted_proxies = [\"127.0.0.1\"]\n\
         [server.limits]\nresponse_bytes_per_address = {ANSWER_BYTES}\n\
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
    let (idle, refused) = idle(&server, &asked, "10.0.0.1");
    assert!(refused.body.contains("address 10.0.0.1"), "{refused:?}");
    ask("10.0.0.2").ok();
    drop(idle);
    eventually("the share of the address is free", || {
        (ask("10.0.0.1").status == 200).then_some(())
    });
}

#[test]
fn unread_responses_are_limited_and_small_ones_are_still_sent() {
    let config = format!(
        "[server.limits]\nresponse_bytes = {ANSWER_BYTES}\nresponse_bytes_per_address = {ANSWER_BYTES}\n\
         [kinds.wide]\nwindows = [\"all\"]\ntop = {ENTRIES}\nmax_staleness = \"1h\"\n"
    );
    let server = Server::with(&config);
    let asked = fill(&server).to_string();
    assert!(server.json("POST", "/v1/top", &asked).ok()["boards"].is_array());
    let (mut readers, _) = idle(&server, &asked, "10.0.0.1");
    assert!(unwritten(&server) <= f64::from(ANSWER_BYTES));
    server.give("wide/0", &[("one more", 1)]);
    let small = server.get("/v1/boards/wide/0/top?n=10").ok();
    assert_eq!(small["entries"].as_array().unwrap().len(), 10);
    let displace = || {
        eventually("an idle reader is displaced", || {
            (server.json("POST", "/v1/top", &asked).status == 200).then_some(())
        });
    };
    displace();
    // The memory is free a moment before the connection ends and is counted.
    eventually("a closed connection is counted", || {
        let hang_ups = Exposition::of(&server).sum("megaboard_connection_hang_ups_total", &[]);
        if hang_ups < 1.0 {
            // On a busy machine all readers may have been refused, so that none was displaced.
            readers.push(reader(&server, &asked, "10.0.0.1"));
            displace();
        }
        (hang_ups >= 1.0).then_some(())
    });
    let metrics = Exposition::of(&server);
    assert!(metrics.sum("megaboard_pool_refusals_total", &OF_ANSWERS) >= 1.0);
    drop(readers);
    eventually("all responses are gone", || {
        (unwritten(&server) <= 0.0).then_some(())
    });
}

#[test]
fn unread_receipts_are_limited_and_clients_that_read_are_answered() {
    const ANSWER_BYTES: u32 = 1 << 20;
    const IDLE: usize = 16;
    // The sockets' buffers take a part of it for each request.
    const REQUESTS: usize = 96;
    const EVENTS: usize = 63;
    const EVENT_BOARDS: usize = 16;
    const ROUNDS: usize = 10;
    let server = Server::with(&format!(
        "[server.limits]\nresponse_bytes = {ANSWER_BYTES}\nresponse_bytes_per_address = {ANSWER_BYTES}\n"
    ));
    let boards: Vec<String> = (0..EVENT_BOARDS).map(|n| format!("nope/{n}")).collect();
    let event = json!({"boards": boards, "member": "u", "points": 1, "id": "evt"});
    let wrong = Value::Array(vec![event; EVENTS]).to_string();
    let request = format!(
        "POST /v1/contributions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{wrong}",
        wrong.len()
    );
    let idle: Vec<Wire> = (0..IDLE)
        .map(|_| {
            let mut wire = server.wire();
            wire.write(request.repeat(REQUESTS));
            wire
        })
        .collect();
    let has_room = |metrics: &Exposition| {
        let bytes = metrics.sum("megaboard_pool_bytes", &OF_ANSWERS);
        assert!(bytes <= f64::from(ANSWER_BYTES), "{bytes}");
        // A receipt was shortened, or a reader was displaced for one.
        let refusals = metrics.sum("megaboard_pool_refusals_total", &OF_ANSWERS);
        refusals + metrics.sum("megaboard_connection_hang_ups_total", &[]) <= 0.0
    };
    eventually("the limit is reached", || {
        (!has_room(&Exposition::of(&server))).then_some(())
    });
    for _ in 0..ROUNDS {
        let receipt = server.json("POST", "/v1/contributions", &wrong).rejected();
        assert_eq!(receipt["rejected_count"], EVENTS * EVENT_BOARDS);
        assert!(!receipt["rejected"].as_array().unwrap().is_empty());
        server.give("gifts/a", &[("u", 1)]);
        has_room(&Exposition::of(&server));
    }
    let member = server.get("/v1/boards/gifts/a/members/u?window=all").ok();
    assert_eq!(member["points"], ROUNDS);
    drop(idle);
    eventually("all responses are gone", || {
        (unwritten(&server) <= 0.0).then_some(())
    });
}

#[test]
fn a_slow_reader_is_disconnected_when_others_need_its_memory() {
    /// As a client that reads 32 KiB a second.
    const READ_BYTES: usize = 8 << 10;
    const PAUSE: Duration = Duration::from_millis(250);
    let config = format!(
        "[server.limits]\nresponse_bytes = {ANSWER_BYTES}\nresponse_bytes_per_address = {ANSWER_BYTES}\n\
         [kinds.wide]\nwindows = [\"all\"]\ntop = {ENTRIES}\nmax_staleness = \"1h\"\n"
    );
    let server = Server::with(&config);
    let asked = fill(&server).to_string();
    let mut stream = TcpStream::connect(server.address()).unwrap();
    let whole = request(&asked, "10.0.0.1");
    stream.write_all(whole.as_bytes()).unwrap();
    let is_cut = Arc::new(AtomicBool::new(false));
    let reads_on = is_cut.clone();
    let slow = thread::spawn(move || {
        let mut all = 0;
        let mut bytes = [0; READ_BYTES];
        loop {
            match stream.read(&mut bytes) {
                Ok(0) | Err(_) => return all,
                Ok(read) => all += read,
            }
            if !reads_on.load(Ordering::Relaxed) {
                thread::sleep(PAUSE);
            }
        }
    });
    eventually("its response is unread", || {
        (unwritten(&server) > f64::from(ANSWER_BYTES) / 4.0).then_some(())
    });
    // Files hold no memory.
    server.get("/openapi.json").ok();
    eventually("the newcomer is served", || {
        (server.json("POST", "/v1/top", &asked).status == 200).then_some(())
    });
    eventually("the slow reader was disconnected", || {
        let metrics = Exposition::of(&server);
        (metrics.sum("megaboard_connection_hang_ups_total", &[]) >= 1.0).then_some(())
    });
    // It reads what the buffers have, and then the end.
    is_cut.store(true, Ordering::Relaxed);
    let all = slow.join().unwrap();
    let whole = server.json("POST", "/v1/top", &asked).body.len();
    assert!(all < whole, "{all} bytes of {whole}");
}

#[test]
fn a_response_larger_than_the_share_of_its_address_is_refused() {
    const SHARE: usize = 4 << 20;
    let server = Server::with(&format!(
        "[server.limits]\nresponse_bytes_per_address = {SHARE}\n\
         [kinds.wide]\nwindows = [\"all\"]\ntop = {ENTRIES}\n"
    ));
    let mut asked = fill(&server);
    // Reads may use three quarters of it: the first board fits, and the second does not.
    let limit = (SHARE / 4 * 3).to_string();
    let refused = server.post("/v1/top", &asked);
    refused.problem(413, "too-large", &["boards[1]", "fewer", &limit]);
    asked["n"] = json!(ENTRIES / BOARDS);
    let response = server.post("/v1/top", &asked).ok();
    assert_eq!(response["boards"].as_array().unwrap().len(), BOARDS);
    eventually("no response is counted", || {
        (unwritten(&server) <= 0.0).then_some(())
    });
}
