//! Healthy clients beside thousands of slow connections, deeply nested, oversized and compressed
//! bodies, and guessed keys. The test asserts that each healthy client gets correct responses.
//! Their latencies are printed and not asserted, since they depend on the machine.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use testkit::{Server, Wire, allow_files};

use super::Key;

const SLOW: usize = 2000;
const HEALTHY: u64 = 4;
const ROUNDS: u64 = 150;
const DEPTH: usize = 100_000;
const LONG_BYTES: usize = 17 << 20;

/// A head and a body that are never completed.
const HALF_A_HEAD: &str = "GET /v1/boards/gifts/a/top HTTP/1.1\r\nhost: localhost\r\nx: ";
const HALF_A_BODY: &str = "POST /v1/contributions HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000000\r\n\
                           content-type: application/json\r\nauthorization: Bearer ";

/// Stops the hostile clients on drop, also after a failure.
struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Writes and reads, checking each response. Returns the latency of each request.
fn healthy(server: &Server, key: &Key, client: u64, phase: &str) -> Vec<Duration> {
    let member = format!("{phase}{client}");
    let mut took = Vec::new();
    for round in 1..=ROUNDS {
        let began = Instant::now();
        let one = json!({"board": "gifts/a", "member": member, "points": 1});
        let receipt = key
            .ask(server, "POST", "/v1/contributions", Some(&one))
            .ok();
        assert_eq!(receipt["applied"], 1, "{receipt}");
        took.push(began.elapsed());
        let began = Instant::now();
        let path = format!("/v1/boards/gifts/a/members/{member}?window=all");
        assert_eq!(key.get(server, &path).ok()["points"], round);
        took.push(began.elapsed());
        let began = Instant::now();
        let top = key
            .get(server, "/v1/boards/gifts/a/top?window=all")
            .ranked();
        assert!(top.is_sorted_by(|a, b| a.0 < b.0 && a.2 >= b.2), "{top:?}");
        took.push(began.elapsed());
    }
    took
}

/// Runs all healthy clients at once. Returns the 99th percentile of their latencies.
fn p99(server: &Server, key: &Key, phase: &str) -> Duration {
    let mut took: Vec<Duration> = thread::scope(|scope| {
        let clients =
            (0..HEALTHY).map(|client| scope.spawn(move || healthy(server, key, client, phase)));
        let clients: Vec<_> = clients.collect();
        clients
            .into_iter()
            .flat_map(|client| client.join().unwrap())
            .collect()
    });
    took.sort_unstable();
    assert_eq!(took.len() as u64, 3 * HEALTHY * ROUNDS);
    took[took.len() * 99 / 100]
}

/// Opens connections that send a byte now and then, and reopens those that the server closes.
fn send_slowly(server: &Server, key: &Key, done: &AtomicBool, passes: &AtomicU64) {
    let begin = |number: usize| {
        let mut wire = server.wire();
        let begun = match number % 3 {
            0 => wire.try_write("G"),
            1 => wire.try_write(HALF_A_HEAD),
            _ => wire.try_write(format!("{HALF_A_BODY}{}\r\n\r\n[", key.text)),
        };
        assert!(begun);
        wire
    };
    let mut wires: Vec<Wire> = (0..SLOW).map(begin).collect();
    while !done.load(Ordering::Relaxed) {
        for (number, wire) in wires.iter_mut().enumerate() {
            let byte = if number % 3 == 0 { "E" } else { " " };
            if !wire.try_write(byte) {
                *wire = begin(number);
            }
            if number % 100 == 0 {
                // Limits the processor time of this thread.
                thread::sleep(Duration::from_millis(10));
            }
        }
        passes.fetch_add(1, Ordering::Relaxed);
    }
}

/// Sends deeply nested, compressed and oversized bodies and wrong keys, one after the other.
fn send_nonsense(server: &Server, key: &Key, done: &AtomicBool, passes: &AtomicU64) {
    let deep = "[".repeat(DEPTH);
    let long = " ".repeat(LONG_BYTES / 17);
    let bearer = format!("Bearer {}", key.text);
    let post = |headers: &[(&str, &str)], body: &str| {
        let mut all = vec![("content-type", "application/json")];
        all.extend_from_slice(headers);
        server.send("POST", "/v1/contributions", &all, body).status
    };
    while !done.load(Ordering::Relaxed) {
        assert_eq!(post(&[("authorization", &bearer)], &deep), 400);
        let packed = [("authorization", &*bearer), ("content-encoding", "gzip")];
        assert_eq!(post(&packed, "{}"), 415);
        // Guesses come from their own address: the proxy in front is trusted.
        let guess = [
            ("authorization", "Bearer mb_x"),
            ("x-forwarded-for", "6.6.6.6"),
        ];
        assert!([401, 429].contains(&post(&guess, "{}")));
        let mut wire = server.wire();
        wire.write(format!(
            "POST /v1/contributions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             authorization: {bearer}\r\ncontent-length: {LONG_BYTES}\r\n\r\n"
        ));
        for _ in 0..17 {
            if !wire.try_write(&long) {
                break;
            }
        }
        // The server may close the connection before the response is read.
        if let Some(response) = wire.try_response() {
            assert_eq!(response.status, 413);
        }
        passes.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn healthy_clients_get_correct_responses_beside_hostile_ones() {
    allow_files(2 * SLOW + 500);
    let key = Key::new("--scope write");
    let config = format!(
        "[server]\ntrusted_proxies = [\"127.0.0.1\"]\n[kinds.gifts]\nwindows = [\"all\"]\n{}",
        key.lines
    );
    let server = Server::with(&config);
    let alone = p99(&server, &key, "alone");
    let done = AtomicBool::new(false);
    let (slow, nonsense) = (AtomicU64::new(0), AtomicU64::new(0));
    let beside = thread::scope(|scope| {
        let (server, key, done, slow, nonsense) = (&server, &key, &done, &slow, &nonsense);
        let _stop = StopOnDrop(done);
        scope.spawn(move || send_slowly(server, key, done, slow));
        scope.spawn(move || send_nonsense(server, key, done, nonsense));
        testkit::eventually("the hostile clients are running", || {
            let began = slow.load(Ordering::Relaxed) > 0 && nonsense.load(Ordering::Relaxed) > 0;
            began.then_some(())
        });
        p99(server, key, "beside")
    });
    let top = key
        .get(&server, "/v1/boards/gifts/a/top?window=all&fresh=true")
        .ranked();
    let expected = i64::try_from(ROUNDS).unwrap();
    assert_eq!(top.len() as u64, 2 * HEALTHY);
    assert!(
        top.iter().all(|(_, _, points)| *points == expected),
        "{top:?}"
    );
    println!(
        "p99 alone {alone:?}, beside {SLOW} slow connections and {} rounds of nonsense {beside:?}: \
         {:.2} times",
        nonsense.load(Ordering::Relaxed),
        beside.as_secs_f64() / alone.as_secs_f64()
    );
}
