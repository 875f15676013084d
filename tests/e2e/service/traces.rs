//! Traces sent to a collector: which requests are traced, in whose trace, and failures of the
//! collector.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use testkit::{DEADLINE, Launch, Server, eventually};

/// The trace id of a caller, as text and as in protobuf.
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const TRACE_BYTES: u128 = 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736;
const OTHER: &str = "0123456789abcdef0123456789abcdef";
const OTHER_BYTES: u128 = 0x0123_4567_89ab_cdef_0123_4567_89ab_cdef;

/// Accepts exports with OTLP over HTTP, until the test process ends.
struct Collector {
    url: String,
    bodies: Receiver<Vec<u8>>,
}

impl Collector {
    fn start() -> Self {
        Self::answering("200 OK")
    }

    fn answering(status: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (sender, bodies) = channel();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let sender = sender.clone();
                thread::spawn(move || take(stream, status, &sender));
            }
        });
        Self { url, bodies }
    }

    /// Returns the exports received up to one that `is_it` accepts.
    #[track_caller]
    fn until(&self, is_it: impl Fn(&[u8]) -> bool) -> Vec<Vec<u8>> {
        let mut came = Vec::new();
        loop {
            let body = self.bodies.recv_timeout(DEADLINE);
            came.push(body.expect("the expected export"));
            if is_it(came.last().unwrap()) {
                return came;
            }
        }
    }
}

/// Answers the requests of one connection.
fn take(stream: TcpStream, status: &str, sender: &Sender<Vec<u8>>) {
    let mut reader = BufReader::new(stream);
    loop {
        let (mut first, mut bytes) = (String::new(), 0);
        if reader.read_line(&mut first).is_ok_and(|read| read == 0) {
            return;
        }
        assert_eq!(first, "POST /v1/traces HTTP/1.1\r\n");
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            let line = line.trim_end().to_ascii_lowercase();
            match line.split_once(": ") {
                None => break,
                Some(("content-length", value)) => bytes = value.parse().unwrap(),
                Some(("content-type", value)) => assert_eq!(value, "application/x-protobuf"),
                Some(_) => {}
            }
        }
        let mut body = vec![0; bytes];
        reader.read_exact(&mut body).unwrap();
        let response = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n");
        let answered = reader.get_mut().write_all(response.as_bytes());
        if answered.is_err() || sender.send(body).is_err() {
            return;
        }
    }
}

fn has(body: &[u8], part: &[u8]) -> bool {
    body.windows(part.len()).any(|window| window == part)
}

fn traced(collector: &str, sample: f64) -> Server {
    traced_for(collector, sample, "127.0.0.1")
}

/// Callers at this address decide which of their requests are traced.
fn traced_for(collector: &str, sample: f64, trusted: &str) -> Server {
    let config = format!(
        "[tracing]\notlp = \"{collector}\"\nsample = {sample:?}\ntrusted = [\"{trusted}\"]\n"
    );
    Launch::on_a_free_port(&config)
        .args("--store memory: --log-format json")
        .start()
}

#[test]
fn spans_have_no_key_that_was_sent_in_a_path() {
    let collector = Collector::start();
    let server = traced(&collector.url, 1.0);
    let key = format!("mb_{}", "k".repeat(43));
    let board = format!("gifts/{key}");
    server.give(&board, &[("u", 1)]);
    server
        .get(format!("/v1/boards/{board}/top?fresh=true"))
        .ok();
    let path = b"/v1/boards/gifts/mb_.../top";
    let exports = collector.until(|body| has(body, path));
    assert!(exports.iter().any(|body| has(body, b"apply")));
    assert!(!exports.iter().any(|body| has(body, key.as_bytes())));
}

fn ask(server: &Server, trace: &str, flags: &str) {
    let parent = format!("00-{trace}-00f067aa0ba902b7-{flags}");
    let headers = [("traceparent", parent.as_str()), ("x-request-id", "seen")];
    let path = "/v1/boards/gifts/room-1/top?fresh=true&n=3";
    assert_eq!(server.get_with(path, &headers).status, 200);
}

#[test]
fn a_request_continues_the_sampled_trace_of_its_caller() {
    let collector = Collector::start();
    let server = traced(&collector.url, 0.0);
    server.give("gifts/room-1", &[("ada", 3), ("ben", 2)]);
    ask(&server, OTHER, "00");
    ask(&server, TRACE, "01");
    let came = collector
        .until(|body| has(body, b"GET /v1/boards"))
        .concat();
    for part in [
        // The span of the caller.
        &0x00f0_67aa_0ba9_02b7_u64.to_be_bytes()[..],
        b"GET /v1/boards/{kind}/{subject}/top",
        b"http.route",
        b"http.response.status_code",
        b"service.name",
        &TRACE_BYTES.to_be_bytes(),
        b"seen",
        b"merge",
        b"read",
    ] {
        assert!(has(&came, part), "{}", String::from_utf8_lossy(part));
    }
    // Neither a trace that its caller does not sample, nor the content of queries.
    assert!(!has(&came, &OTHER_BYTES.to_be_bytes()));
    assert!(!has(&came, b"fresh"));
}

#[test]
fn untrusted_callers_do_not_decide_whether_they_are_traced() {
    let collector = Collector::start();
    let server = traced_for(&collector.url, 0.0, "192.0.2.1");
    server.give("gifts/room-1", &[("ada", 3)]);
    ask(&server, TRACE, "01");
    drop(server.stop());
    // Everything was sent at the stop: nothing.
    assert!(collector.bodies.try_recv().is_err());

    let collector = Collector::start();
    let server = traced_for(&collector.url, 1.0, "192.0.2.1");
    ask(&server, OTHER, "00");
    drop(server.stop());
    let came = collector
        .until(|body| has(body, b"GET /v1/boards"))
        .concat();
    assert!(has(&came, &OTHER_BYTES.to_be_bytes()));
}

#[test]
fn requests_without_a_trace_are_sampled_and_the_last_spans_sent_at_the_stop() {
    let collector = Collector::start();
    let server = traced(&collector.url, 1.0);
    server.give("gifts/room-1", &[("ada", 3)]);
    ask(&server, OTHER, "00");
    drop(server.stop());
    let came = collector.until(|body| has(body, b"POST /v1/contributions"));
    assert!(came.iter().any(|body| has(body, b"apply")));
    assert!(!came.iter().any(|body| has(body, b"/top")));
}

#[test]
fn an_unavailable_collector_delays_nothing_and_is_logged() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let away = format!("http://{}", free.local_addr().unwrap());
    drop(free);
    let server = traced(&away, 1.0);
    ask(&server, TRACE, "01");
    eventually("the failure is logged", || {
        server.log().contains("could not be sent").then_some(())
    });
    ask(&server, TRACE, "01");
    drop(server.stop());
}

#[test]
fn a_collector_that_refuses_is_logged_once() {
    let collector = Collector::answering("503 Service Unavailable");
    let server = traced(&collector.url, 1.0);
    for _ in 0..3 {
        ask(&server, TRACE, "01");
        collector.until(|_| true);
    }
    let log = server.stop().log();
    assert_eq!(log.matches("could not be sent").count(), 1, "{log}");
    assert!(log.contains("503"), "{log}");
}

#[test]
fn a_collector_that_hangs_does_not_prevent_a_stop() {
    // Connections are accepted, and nothing is read.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let server = traced(&format!("http://{}", silent.local_addr().unwrap()), 1.0);
    ask(&server, TRACE, "01");
    let (_held, _) = silent.accept().unwrap();
    eventually("requests are answered", || {
        (server.get("/healthz").status == 200).then_some(())
    });
    drop(server.stop());
}
