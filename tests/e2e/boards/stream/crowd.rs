//! Many streams of one board, a tenth of which nobody reads.

use std::io::{BufRead as _, ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use end_to_end::dice::runs;
use end_to_end::{DEADLINE, Events, Server};

/// Streams of which one is not read.
const ONE_UNREAD_IN: usize = 10;

/// Bytes of memory that a stream may take.
const STREAM_BYTES_MAX: u64 = 32 << 10;

/// Members shown: what a stream would hold if it held what is not read.
const SHOWN: i64 = 100;

/// One stream, read without waiting.
struct Watcher {
    stream: TcpStream,
    /// The line that has not come whole.
    tail: Vec<u8>,
}

impl Watcher {
    fn of(server: &Server, path: &str) -> Self {
        let stream = TcpStream::connect(server.address()).unwrap();
        (&stream)
            .write_all(Events::request(path).as_bytes())
            .unwrap();
        stream.set_nonblocking(true).unwrap();
        Self {
            stream,
            tail: Vec::new(),
        }
    }

    /// Whether what has come by now shows this version; reads what there is.
    fn has_seen(&mut self, version: &str) -> bool {
        let mut bytes = [0; 16 << 10];
        loop {
            match self.stream.read(&mut bytes) {
                Ok(0) => panic!("a stream ended"),
                Ok(count) => self.tail.extend_from_slice(&bytes[..count]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => panic!("{error}"),
            }
        }
        let wanted = format!("id: {version}\n");
        let (mut left, mut seen) = (&self.tail[..], false);
        loop {
            let mut line = Vec::new();
            left.read_until(b'\n', &mut line).unwrap();
            if line.last() != Some(&b'\n') {
                // The rest of it is yet to come.
                self.tail = line;
                return seen;
            }
            seen |= line == wanted.as_bytes();
        }
    }

    /// Reads until the end.
    fn has_ended(&mut self) -> bool {
        let mut bytes = [0; 16 << 10];
        match self.stream.read(&mut bytes) {
            Ok(0) => true,
            Ok(_) => false,
            Err(error) => error.kind() != ErrorKind::WouldBlock,
        }
    }
}

/// The time until all have seen a version, and how long the slowest but one in a hundred took.
fn all_see(watchers: &mut [Watcher], version: &str) -> (Duration, Duration) {
    let began = Instant::now();
    let mut times = Vec::with_capacity(watchers.len());
    let mut missing: Vec<&mut Watcher> = watchers.iter_mut().collect();
    while !missing.is_empty() {
        missing.retain_mut(|watcher| {
            let seen = watcher.has_seen(version);
            times.extend(seen.then(|| began.elapsed()));
            !seen
        });
        let count = missing.len();
        assert!(
            began.elapsed() < DEADLINE,
            "{count} have not seen {version}"
        );
    }
    (times[times.len() * 99 / 100 - 1], times[times.len() - 1])
}

#[test]
fn every_reader_sees_every_version_whoever_else_does_not_read() {
    let streams = runs(1_000, 10_000);
    end_to_end::allow_files(streams + 200);
    let mut server = Server::with("[kinds.gifts]\nwindows = [\"all\"]\n");
    let names: Vec<String> = (0..SHOWN).map(|n| format!("somebody-{n:03}")).collect();
    let points: Vec<(&str, i64)> = names.iter().map(String::as_str).zip(1..).collect();
    server.give("gifts/a", &points);
    let path = "/v1/boards/gifts/a/stream?n=100";
    let before = server.resident_bytes();
    let mut all: Vec<Watcher> = (0..streams).map(|_| Watcher::of(&server, path)).collect();
    let unread = all.split_off(streams - streams / ONE_UNREAD_IN);
    let now = server.get("/v1/boards/gifts/a/top").ok();
    all_see(&mut all, now["version"].as_str().unwrap());
    let mut slowest = Duration::ZERO;
    // More than the buffers of the system take for who does not read.
    for round in 0..60 {
        server.give("gifts/a", &[(&names[round % names.len()], 1)]);
        let now = server.get("/v1/boards/gifts/a/top?fresh=true").ok();
        let (p99, _) = all_see(&mut all, now["version"].as_str().unwrap());
        slowest = slowest.max(p99);
    }
    let bytes = server.resident_bytes().saturating_sub(before) / streams as u64;
    println!(
        "{streams} streams: {bytes} bytes each, every version seen within {slowest:?} by 99 of 100"
    );
    assert!(bytes < STREAM_BYTES_MAX, "{bytes} bytes a stream");
    let stopped = Instant::now();
    server.signal("TERM");
    while !all.iter_mut().all(Watcher::has_ended) {
        assert!(stopped.elapsed() < DEADLINE, "some streams go on");
    }
    assert_eq!(server.ended().code(), Some(0), "{}", server.log());
    let stopped = stopped.elapsed();
    println!("all ended within {stopped:?}");
    // Who does not read is not waited for as long as while the server goes on.
    assert!(stopped < Duration::from_secs(20), "{stopped:?}");
    drop(unread);
}
