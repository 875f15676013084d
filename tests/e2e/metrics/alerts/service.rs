//! Situations of any server: its clients, its limits, its process, its publish targets.

use std::io::Write as _;
use std::net::TcpStream;

use serde_json::{Value, json};
use testkit::{Exposition, Launch, Server, Wire, allow_files, cli, ndjson};

use super::Story;
use super::promtool::scrape_until;

/// More than nine tenths of 12,288.
const STREAMS: usize = 11_001;

/// A limit of open files, and connections that take more than four fifths of it.
const FILES: u64 = 250;
const CONNECTIONS: usize = 210;

const MEMORY: &str =
    "[server]\nmemory_limit = \"96MB\"\n[kinds.gifts]\nwindows = [\"hour\", \"all\"]\n";

/// Requests of 1,000 contributions within which the memory must be full.
const REQUESTS_MAX: usize = 1_000;

pub(super) fn a_server_that_does_not_respond() -> Story {
    let server = Server::start();
    let before = Exposition::of(&server);
    let address = server.address().to_owned();
    let _ended = server.kill();
    TcpStream::connect(address).unwrap_err();
    Story::stays(vec![Some(before), None])
}

pub(super) fn no_server_at_all() -> Story {
    Story::stays(Vec::new())
}

pub(super) fn a_server_that_restarts_again_and_again() -> Story {
    let mut server = Server::durable("");
    let mut scrapes = Vec::new();
    for _ in 0..5 {
        scrapes.push(Some(Exposition::of(&server)));
        server = server.kill().start();
    }
    Story::stays(scrapes)
}

pub(super) fn a_server_with_too_many_requests() -> Story {
    let server = Server::with("[server.limits]\nrequests = 1\n");
    let before = Exposition::of(&server);
    let _held = held_request(&server);
    scrape_until(&server, &[("megaboard_http_requests_under_way", &[], 1.5)]);
    server.get("/v1/kinds").problem(503, "overloaded", &[]);
    Story::goes_on(before, Exposition::of(&server))
}

/// Begins a request that does not end.
fn held_request(server: &Server) -> Wire {
    let mut wire = server.wire();
    wire.write(
        "POST /v1/contributions HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\
         content-type: application/json\r\n\r\n{",
    );
    wire
}

pub(super) fn someone_guesses_keys() -> Story {
    let key = cli::run(&["key", "new", "--scope", "read"], b"");
    let lines = key.stdout.split_once("\n\n").unwrap().1.to_owned();
    let server = Server::with(&format!("[server]\nmetrics_open = true\n{lines}"));
    let before = Exposition::of(&server);
    // Between two scrapes: two a second, most of which are not even compared.
    for guess in 0..30 {
        let bearer = format!("Bearer mb_{guess:043}");
        let response = server.get_with("/v1/kinds", &[("authorization", &bearer)]);
        assert!([401, 429].contains(&response.status), "{response:?}");
    }
    Story::goes_on(before, Exposition::of(&server))
}

pub(super) fn a_client_that_contributes_to_an_unknown_kind() -> Story {
    let server = Server::start();
    let before = Exposition::of(&server);
    server.give("gifts/a", &[("u", 1)]);
    let unknown = json!({"board": "gits/a", "member": "u", "points": 1});
    server
        .contribute(&unknown)
        .problem(404, "unknown-kind", &[]);
    Story::goes_on(before, Exposition::of(&server))
}

pub(super) fn a_server_whose_memory_is_full() -> Story {
    let server = Server::with(MEMORY);
    let before = Exposition::of(&server);
    for request in 0..REQUESTS_MAX {
        let item = |n: usize| json!({"board": "gifts/a", "member": format!("{request} {n:0>80}"), "points": 1});
        let items: Vec<Value> = (0..1000).map(item).collect();
        if server.lines(&ndjson(&items)).value()["failed_count"] != 0 {
            return Story::goes_on(before, Exposition::of(&server));
        }
    }
    panic!("{REQUESTS_MAX} requests have not filled the memory");
}

pub(super) fn a_server_with_many_connections() -> Story {
    let launch = Launch::on_a_free_port("").args("--store memory:");
    let server = launch.start_with_open_files_up_to(FILES);
    let before = Exposition::of(&server);
    let connect = || TcpStream::connect(server.address()).unwrap();
    let _held: Vec<TcpStream> = (0..CONNECTIONS).map(|_| connect()).collect();
    #[expect(clippy::cast_precision_loss, reason = "these are few")]
    let most = CONNECTIONS as f64;
    Story::goes_on(
        before,
        scrape_until(&server, &[("process_open_fds", &[], most)]),
    )
}

pub(super) fn a_server_with_many_streams() -> Story {
    allow_files(STREAMS + 1_000);
    let server = Server::with("[server]\ntrusted_proxies = [\"127.0.0.1\"]\n");
    server.give("gifts/a", &[("u", 1)]);
    let before = Exposition::of(&server);
    let open = |number: usize| {
        let mut stream = TcpStream::connect(server.address()).unwrap();
        let address = format!("10.0.{}.{}", number >> 8, number & 255);
        let request = format!(
            "GET /v1/boards/gifts/a/stream HTTP/1.1\r\nhost: localhost\r\nx-forwarded-for: {address}\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
        stream
    };
    let _held: Vec<TcpStream> = (0..STREAMS).map(open).collect();
    Story::goes_on(
        before,
        scrape_until(&server, &[("megaboard_streams", &[], 11_000.0)]),
    )
}

pub(super) fn a_publish_target_that_is_away() -> Story {
    let server = Server::with(
        "[kinds.gifts]\nwindows = [\"all\"]\npublish = { target = \"readers\", key = \"k:{subject}\" }\n\
         [publish.targets.readers]\nurl = \"redis://127.0.0.1:1\"\n",
    );
    let before = Exposition::of(&server);
    server.give("gifts/a", &[("u", 1)]);
    let away = (
        "megaboard_publish_tries_total",
        &[("result", "away")][..],
        0.5,
    );
    Story::goes_on(before, scrape_until(&server, &[away]))
}
