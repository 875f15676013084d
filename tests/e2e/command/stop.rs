//! SIGTERM and SIGINT: after SIGTERM clients are drained, then new requests are refused, those under
//! way are finished, exit status 0.

use std::net::TcpStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use serde_json::json;
use testkit::{Launch, Server, Wire, eventually};

/// Opens a connection with a request under way: the server has read its head and waits for its
/// body.
fn half_a_stream(server: &Server) -> Wire {
    let mut wire = server.wire();
    wire.write(
        "POST /v1/contributions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-ndjson\r\n\
         transfer-encoding: chunked\r\nexpect: 100-continue\r\n\r\n",
    );
    // The interim response is sent when the handler reads the body.
    assert_eq!(wire.response().status, 100);
    wire.write(chunk(0));
    wire
}

fn chunk(member: u32) -> String {
    let mut line = json!({"board": "gifts/a", "member": format!("u{member}"), "points": 1});
    line["id"] = json!(format!("i{member}"));
    let line = format!("{line}\n");
    format!("{:x}\r\n{line}\r\n", line.len())
}

/// Starts a server that drains for so long.
#[track_caller]
fn draining(time: &str) -> Server {
    let launch = Launch::on_a_free_port("").args("--store memory:");
    launch.env("MEGABOARD_DRAIN", time).start()
}

const TOP: &str = "GET /v1/boards/gifts/a/top HTTP/1.1\r\nhost: localhost\r\n\r\n";

/// Returns the connections of a server that drains for longer than the test: one that repeats a
/// read, one that carries a stream, and one that has sent nothing.
#[track_caller]
fn connections_of(server: &Server) -> [Wire; 3] {
    server.give("gifts/a", &[("u", 1)]);
    let [mut repeating, mut streaming, silent] = [(); 3].map(|()| server.wire());
    for _ in 0..5 {
        repeating.write(TOP);
        let response = repeating.response();
        assert_eq!((response.status, response.header("connection")), (200, ""));
    }
    streaming.write(TOP.replace("/top", "/stream"));
    assert_eq!(streaming.status(), 200);
    server.signal("TERM");
    eventually("the server is not ready", || {
        let mut probe = server.wire();
        probe.write("GET /readyz HTTP/1.1\r\nhost: localhost\r\n\r\n");
        let response = probe.response();
        let is_draining = response.header("connection") == "close";
        if is_draining {
            assert_eq!(response.status, 503);
            assert!(response.body.contains("is stopping"), "{}", response.body);
        }
        is_draining.then_some(())
    });
    [repeating, streaming, silent]
}

#[test]
fn a_drain_answers_everything_and_closes_each_connection_with_its_response() {
    let mut server = draining("1m");
    let [repeating, mut streaming, silent] = connections_of(&server);
    for mut wire in [repeating, silent, server.wire()] {
        wire.write(TOP);
        let response = wire.response();
        assert_eq!(
            (response.status, response.header("connection")),
            (200, "close")
        );
        assert!(wire.has_ended());
    }
    assert_eq!(server.get("/healthz").status, 200);
    assert!(server.get("/metrics").body.contains("megaboard_ready 0"));
    // The stream goes on until the second signal.
    server.give("gifts/a", &[("last", 7)]);
    eventually("the stream has the change", || {
        streaming.line().contains("last").then_some(())
    });
    server.signal("TERM");
    while !streaming.line().is_empty() {}
    assert_eq!(server.ended().code(), Some(0));
}

#[test]
fn a_drain_ends_by_itself() {
    let mut server = draining("1s");
    connections_of(&server);
    assert_eq!(server.ended().code(), Some(0));
}

#[test]
fn a_second_ctrl_c_closes_connections_with_requests_under_way() {
    let mut server = draining("1m");
    let mut under_way = half_a_stream(&server);
    server.signal("INT");
    refuses_connections(&server);
    server.signal("INT");
    assert!(under_way.has_ended());
    assert_eq!(server.ended().code(), Some(0));
}

fn refuses_connections(server: &Server) {
    eventually("connections are refused", || {
        TcpStream::connect(server.address()).is_err().then_some(())
    });
}

#[test]
fn requests_under_way_are_finished_and_new_connections_are_refused() {
    // Ctrl-C does not drain.
    for (signal, drain) in [("TERM", "0s"), ("INT", "1m")] {
        let mut server = draining(drain);
        let mut idle = server.wire();
        idle.write("GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n");
        assert_eq!(idle.response().status, 200);
        let mut under_way = half_a_stream(&server);
        server.signal(signal);
        refuses_connections(&server);
        assert!(
            idle.has_ended(),
            "an idle connection does not delay the stop"
        );
        under_way.write(chunk(1)).write("0\r\n\r\n");
        let response = under_way.response();
        assert_eq!(response.status, 200, "{signal}: {}", response.body);
        let receipt = response.value();
        assert_eq!(
            (&receipt["applied"], &receipt["read"]),
            (&json!(2), &json!(2))
        );
        assert!(under_way.has_ended());
        assert_eq!(server.ended().code(), Some(0), "{signal}");
    }
}

#[test]
fn an_endless_stream_gets_its_receipt() {
    let mut server = Server::start();
    let mut under_way = half_a_stream(&server);
    server.signal("TERM");
    let response = under_way.response();
    assert_eq!(response.header("connection"), "close");
    let receipt = response.value();
    assert_eq!(
        (&receipt["applied"], &receipt["read"]),
        (&json!(1), &json!(1))
    );
    assert!(under_way.has_ended());
    assert_eq!(server.ended().code(), Some(0));
}

#[test]
fn a_stop_during_writes_truncates_no_response() {
    const WRITERS: u64 = 8;
    let mut server = Server::start();
    let answered = AtomicU64::new(0);
    let address = server.address().to_owned();
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (answered, address) = (&answered, &address);
            scope.spawn(move || {
                let mut wire = Wire::to(address);
                for number in 0.. {
                    let body = json!({
                        "board": "gifts/a", "member": format!("w{writer}"), "points": 1,
                        "id": format!("{number}"),
                    })
                    .to_string();
                    let sent = wire.try_write(format!(
                        "POST /v1/contributions HTTP/1.1\r\nhost: localhost\r\n\
                         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
                        body.len()
                    ));
                    // Between two requests the connection may end, within a response never.
                    let Some(response) = sent.then(|| wire.try_response()).flatten() else {
                        return;
                    };
                    assert_eq!(
                        (response.status, &response.value()["applied"]),
                        (200, &json!(1))
                    );
                    answered.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        eventually("the writers are running", || {
            (answered.load(Ordering::Relaxed) > 100 * WRITERS).then_some(())
        });
        server.signal("TERM");
        assert_eq!(server.ended().code(), Some(0));
    });
}
