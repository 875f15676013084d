//! Writes while a board is read, at the same rate for all servers.

use std::fmt::Write as _;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{JoinHandle, sleep};
use std::time::{Duration, Instant};

use benches::resp::{self, Connection};
use benches::{http, sample};
use scale::random::Random;

use crate::board::MEMBERS;

/// The number of contributions of a request or pipeline.
const BATCH: usize = 500;

/// The interval of batches.
const INTERVAL: Duration = Duration::from_millis(50);

/// A thread that writes until it is stopped.
pub(crate) struct Writing {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<io::Result<()>>,
}

impl Writing {
    pub(crate) fn start(write: impl Fn(&mut Random) -> io::Result<()> + Send + 'static) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = std::thread::spawn(move || {
            let (begun, mut random) = (Instant::now(), Random::new(7));
            for turn in 1.. {
                if stopped.load(Ordering::Relaxed) {
                    break;
                }
                write(&mut random)?;
                sleep((INTERVAL * turn).saturating_sub(begun.elapsed()));
            }
            Ok(())
        });
        Self { stop, thread }
    }

    /// Stops the thread. Returns what was measured meanwhile, or the error of writing.
    pub(crate) fn stop_after<T>(self, measured: io::Result<T>) -> io::Result<T> {
        self.stop.store(true, Ordering::Relaxed);
        let written = self.thread.join();
        written.map_err(|_| io::Error::other("the writer panicked"))??;
        measured
    }
}

fn batch(random: &mut Random) -> impl Iterator<Item = (board::Member, u64)> {
    const POINTS_MAX: u64 = 100;
    (0..BATCH).map(|_| {
        let points = 1 + random.below(POINTS_MAX);
        (sample::member(random.below(MEMBERS)), points)
    })
}

pub(crate) fn write_http(address: SocketAddr, random: &mut Random) -> io::Result<()> {
    let mut lines = String::new();
    for (member, points) in batch(random) {
        // Writing into a string cannot fail.
        let _ = writeln!(
            lines,
            r#"{{"board":"gifts/live","member":"{member}","points":{points}}}"#
        );
    }
    let kind = "application/x-ndjson";
    let request = http::post("/v1/contributions", kind, &lines);
    http::ask(address, &request).map(drop)
}

pub(crate) fn write_redis(address: SocketAddr, random: &mut Random) -> io::Result<()> {
    let mut pipeline = String::new();
    for (member, points) in batch(random) {
        let points = points.to_string();
        resp::append(
            &mut pipeline,
            &["ZINCRBY", "board", &points, member.as_str()],
        );
    }
    Connection::open(address)?.run(&pipeline, BATCH)
}
