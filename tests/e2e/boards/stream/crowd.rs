//! Many streams of one board, a tenth of which nobody reads.

use std::io::{BufRead as _, ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use testkit::dice::runs;
use testkit::{DEADLINE, Events, Server, eventually};

/// Streams of which one is not read.
const ONE_UNREAD_IN: usize = 10;

/// Bytes of memory that a stream may take.
const STREAM_BYTES_MAX: u64 = 32 << 10;

/// Members shown: what a stream would hold if it held what is not read.
const SHOWN: i64 = 100;

/// Writes whose frames are more than the buffers of the system take for who does not read.
const ROUNDS: usize = 60;

/// Streams of the whole form. How fast they are is said and not asserted: others share the machine.
const STREAMS: usize = 10_000;

/// Until all have ended and so has the server.
const STOPPED_MAX: Duration = Duration::from_secs(20);

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

    /// The versions that what has come by now shows; reads what there is.
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
                // The rest of it is yet to come.
                self.tail = line;
                return shown;
            }
            if let Some(version) = line.strip_prefix(b"id: ") {
                shown.push(String::from_utf8(version.trim_ascii_end().to_vec()).unwrap());
            }
        }
    }

    /// The versions of all that comes until this one.
    fn versions_until(&mut self, last: &str) -> Vec<String> {
        let mut shown = Vec::new();
        eventually("the newest frame", || {
            shown.extend(self.versions());
            shown
                .last()
                .is_some_and(|version| version == last)
                .then_some(())
        });
        shown
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

/// The time from `began` until all but one in a hundred have seen a version; returns once all have.
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
fn every_reader_sees_every_version_beside_others_that_do_not_read() {
    let streams = runs(1_000, STREAMS);
    // All of them come from one address.
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
    // Who has ended is not looked at again: with thousands that would be what takes the time.
    let mut open: Vec<&mut Watcher> = all.iter_mut().collect();
    while !open.is_empty() {
        open.retain_mut(|watcher| !watcher.has_ended());
        assert!(stopped.elapsed() < DEADLINE, "some streams go on");
    }
    assert_eq!(server.ended().code(), Some(0), "{}", server.log());
    let stopped = stopped.elapsed();
    println!("all ended within {stopped:?}");
    // Who does not read is not waited for as long as while the server goes on.
    assert!(stopped < STOPPED_MAX, "{stopped:?}");
    drop(unread);
}

#[test]
fn who_does_not_read_is_skipped_forward_to_the_newest() {
    // Frames of which a few fill the buffers of the system, one after another within seconds: who takes
    // nothing for long is hung up on.
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
    // What was sent before the buffers were full, and then the newest: nothing between was kept.
    let shown = unread.versions_until(&versions[ROUNDS]);
    println!("{} frames of {}", shown.len(), versions.len());
    assert!(shown.len() < ROUNDS / 2, "{} frames", shown.len());
    let place = |shown: &String| {
        let place = versions.iter().position(|version| version == shown);
        place.expect("a version that was written")
    };
    assert!(shown.iter().is_sorted_by_key(place), "{shown:?}");
}
