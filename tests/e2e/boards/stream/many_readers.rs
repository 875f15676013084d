//! Many streams of one board, a tenth of which are not read.

use std::io::{BufRead as _, ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use testkit::dice::runs;
use testkit::{DEADLINE, Events, Server, eventually};

/// One stream in this many is not read.
const ONE_UNREAD_IN: usize = 10;

/// The memory that a stream may use.
const STREAM_BYTES_MAX: u64 = 32 << 10;

/// Members shown. They determine how much unread streams would buffer.
const SHOWN: i64 = 100;

/// The number of writes. Their frames exceed the socket buffers of an unread stream.
const ROUNDS: usize = 60;

/// Streams in a long run. Their latency is printed and not asserted, since other tests share the
/// machine.
const STREAMS: usize = 10_000;

/// The time within which all streams and the server must end.
const STOPPED_MAX: Duration = Duration::from_secs(20);

/// A stream, read without blocking.
struct Watcher {
    stream: TcpStream,
    /// The incomplete last line.
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

    /// Reads what has arrived, and returns the versions in it.
    fn versions(&mut self) -> Vec<String> {
        let mut bytes = [0; 16 << 10];
        loop {
            match self.stream.read(&mut bytes) {
                Ok(0) => panic!("a stream ended"),
                Ok(count) => self.tail.extend_from_slice(&bytes[..count]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => panic!("{error}"),
            }
        }
        let (mut left, mut shown) = (&self.tail[..], Vec::new());
        loop {
            let mut line = Vec::new();
            left.read_until(b'\n', &mut line).unwrap();
            if line.last() != Some(&b'\n') {
                // The remainder has not arrived yet.
                self.tail = line;
                return shown;
            }
            if let Some(version) = line.strip_prefix(b"id: ") {
                shown.push(String::from_utf8(version.trim_ascii_end().to_vec()).unwrap());
            }
        }
    }

    /// Returns all versions up to this one.
    fn versions_until(&mut self, last: &str) -> Vec<String> {
        let mut shown = Vec::new();
        eventually("the newest frame arrives", || {
            shown.extend(self.versions());
            shown
                .last()
                .is_some_and(|version| version == last)
                .then_some(())
        });
        shown
    }

    /// Reads some bytes; returns whether the stream has ended.
    fn has_ended(&mut self) -> bool {
        let mut bytes = [0; 16 << 10];
        match self.stream.read(&mut bytes) {
            Ok(0) => true,
            Ok(_) => false,
            Err(error) => error.kind() != ErrorKind::WouldBlock,
        }
    }
}

/// Waits until all streams have seen a version. Returns the time from `began` until 99 of 100 had
/// seen it.
fn all_see(watchers: &mut [Watcher], version: &str, began: Instant) -> Duration {
    let mut times = Vec::with_capacity(watchers.len());
    let mut missing: Vec<&mut Watcher> = watchers.iter_mut().collect();
    while !missing.is_empty() {
        missing.retain_mut(|watcher| {
            let seen = watcher.versions().iter().any(|shown| shown == version);
            times.extend(seen.then(|| began.elapsed()));
            !seen
        });
        let count = missing.len();
        assert!(
            began.elapsed() < DEADLINE,
            "{count} have not seen {version}"
        );
    }
    times[times.len() * 99 / 100 - 1]
}

#[test]
fn readers_see_every_version_beside_streams_that_are_not_read() {
    let streams = runs(1_000, STREAMS);
    // All streams come from one address.
    let limit = streams + 200;
    testkit::allow_files(limit);
    let mut server = Server::with(&format!(
        "[kinds.gifts]\nwindows = [\"all\"]\n\
         [server.limits]\nconnections_per_address = {limit}\nstreams_per_address = {limit}\n"
    ));
    let names: Vec<String> = (0..SHOWN).map(|n| format!("somebody-{n:03}")).collect();
    let points: Vec<(&str, i64)> = names.iter().map(String::as_str).zip(1..).collect();
    server.give("gifts/a", &points);
    let path = "/v1/boards/gifts/a/stream?n=100";
    let before = server.resident_bytes();
    let mut all: Vec<Watcher> = (0..streams).map(|_| Watcher::of(&server, path)).collect();
    let unread = all.split_off(streams - streams / ONE_UNREAD_IN);
    let now = server.get("/v1/boards/gifts/a/top").ok();
    all_see(&mut all, now["version"].as_str().unwrap(), Instant::now());
    let mut slowest = Duration::ZERO;
    for round in 0..ROUNDS {
        let began = Instant::now();
        server.give("gifts/a", &[(&names[round % names.len()], 1)]);
        let now = server.get("/v1/boards/gifts/a/top?fresh=true").ok();
        let p99 = all_see(&mut all, now["version"].as_str().unwrap(), began);
        slowest = slowest.max(p99);
    }
    let bytes = server.resident_bytes().saturating_sub(before) / streams as u64;
    println!(
        "{streams} streams: {bytes} bytes each, every version seen within {slowest:?} by 99 of 100"
    );
    assert!(bytes < STREAM_BYTES_MAX, "{bytes} bytes a stream");
    let stopped = Instant::now();
    server.signal("TERM");
    // Streams that have ended are not read again, since with thousands of them that would take the
    // time.
    let mut open: Vec<&mut Watcher> = all.iter_mut().collect();
    while !open.is_empty() {
        open.retain_mut(|watcher| !watcher.has_ended());
        assert!(stopped.elapsed() < DEADLINE, "some streams have not ended");
    }
    assert_eq!(server.ended().code(), Some(0), "{}", server.log());
    let stopped = stopped.elapsed();
    println!("all ended within {stopped:?}");
    // Unread streams are not waited for as long as while the server runs.
    assert!(stopped < STOPPED_MAX, "{stopped:?}");
    drop(unread);
}

#[test]
fn a_stream_that_is_not_read_skips_to_the_newest_frame() {
    // A few of these frames fill the socket buffers. They are sent within seconds, since a client
    // that reads nothing for long is disconnected.
    let server = Server::with("[kinds.gifts]\nwindows = [\"all\"]\nmax_staleness = \"20ms\"\n");
    let names: Vec<String> = (0..1000).map(|n| format!("somebody-{n:04}")).collect();
    let points: Vec<(&str, i64)> = names.iter().map(String::as_str).zip(1..).collect();
    server.give("gifts/a", &points);
    let path = "/v1/boards/gifts/a/stream?n=1000";
    let [mut read, mut unread] = [Watcher::of(&server, path), Watcher::of(&server, path)];
    let mut versions = Vec::new();
    for name in &names[..ROUNDS] {
        let now = server.get("/v1/boards/gifts/a/top?n=1&fresh=true").ok();
        let version = now["version"].as_str().unwrap().to_owned();
        read.versions_until(&version);
        versions.push(version);
        server.give("gifts/a", &[(name, 1)]);
    }
    let now = server.get("/v1/boards/gifts/a/top?n=1&fresh=true").ok();
    versions.push(now["version"].as_str().unwrap().to_owned());
    // The frames sent before the buffers were full, and then the newest; those in between are
    // dropped.
    let shown = unread.versions_until(&versions[ROUNDS]);
    println!("{} frames of {}", shown.len(), versions.len());
    assert!(shown.len() < ROUNDS / 2, "{} frames", shown.len());
    let position = |shown: &String| {
        let position = versions.iter().position(|version| version == shown);
        position.expect("a version that was written")
    };
    assert!(shown.iter().is_sorted_by_key(position), "{shown:?}");
}
