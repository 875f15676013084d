//! An open loop against a server that stalls.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use clap::Parser;
use tokio::runtime::Runtime;

use super::*;
use crate::mix::Operation;
use crate::tally::OperationCounts;

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    load: LoadArgs,
}

/// Parses a command line without the name of the command.
pub(crate) fn args(words: &[&str]) -> LoadArgs {
    Cli::parse_from(std::iter::once("load").chain(words.iter().copied())).load
}

/// A server that responds to no request until it is released.
struct StalledServer {
    url: String,
    release: mpsc::Sender<()>,
    accepted: Arc<AtomicUsize>,
}

impl StalledServer {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (release, released) = mpsc::channel::<()>();
        let released = Arc::new(Mutex::new(released));
        let accepted = Arc::new(AtomicUsize::new(0));
        let counted = accepted.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                counted.fetch_add(1, Ordering::Relaxed);
                let (stream, released) = (stream.unwrap(), released.clone());
                thread::spawn(move || respond(&stream, &released));
            }
        });
        Self {
            url,
            release,
            accepted,
        }
    }
}

fn respond(mut stream: &TcpStream, released: &Mutex<mpsc::Receiver<()>>) {
    let lines = BufReader::new(stream).lines().map_while(Result::ok);
    for _ in lines.filter(String::is_empty) {
        // An error means that it was released for good.
        let _ = released.lock().unwrap().recv();
        let response = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
        if stream.write_all(response).is_err() {
            return;
        }
    }
}

fn driver(args: &LoadArgs, runtime: &Runtime, stop: &Stop) -> (Driver, Scenario) {
    let scenario = Scenario::new(args);
    let connections = Connections::new(args, scenario.rooms().clone()).unwrap();
    let connections = Arc::new(connections);
    let driver = Driver::new(&connections, stop, runtime.handle(), args.outstanding);
    (driver, scenario)
}

/// Sends the tops that are due in 300 ms to a server that responds to none of them until the last one was due. Returns
/// the times at which they were due, the counts, and the number of connections.
fn stalled(words: &[&str]) -> (Vec<Duration>, OperationCounts, usize) {
    let server = StalledServer::start();
    let fixed = [
        "--server",
        &server.url,
        "--mix",
        "top=1",
        "--rate",
        "100",
        "--duration",
        "300ms",
    ];
    let args = args(&[&fixed[..], words].concat());
    let runtime = Runtime::new().unwrap();
    let (driver, scenario) = driver(&args, &runtime, &Stop::default());
    let arrivals = || Arrivals::new(args.rate, args.duration, args.seed);
    let StalledServer {
        release, accepted, ..
    } = server;
    // The loop asks for the next arrival after it has sent the one before.
    let mut release = Some(release);
    let released_after_the_last = arrivals().chain(std::iter::from_fn(|| {
        release.take();
        None
    }));
    driver.open_loop(released_after_the_last, scenario);
    let counts = driver.tally().take();
    let counts = counts.operations[&Operation::Top].clone();
    (
        arrivals().collect(),
        counts,
        accepted.load(Ordering::Relaxed),
    )
}

#[test]
fn latencies_begin_when_requests_were_due() {
    let (due, counts, connections) = stalled(&["--connections", "2"]);
    assert!(due.len() > 10);
    let latency = &counts.latency_us;
    assert_eq!((latency.len(), counts.missed), (due.len() as u64, 0));
    // Nothing was received before the last one was due, so each latency is at least the time from its own due time.
    for (index, at) in (1..).zip(&due) {
        let least = u64::try_from(due[due.len() - 1].saturating_sub(*at).as_micros()).unwrap();
        let count = latency.count_between(least.saturating_sub(least / 500), u64::MAX);
        assert!(count >= index, "{index}: {count} of at least {least} µs");
    }
    assert_eq!(connections, 2);
}

#[test]
fn arrivals_beyond_the_limit_are_counted_as_missed() {
    let (due, counts, _) = stalled(&["--connections", "1", "--outstanding", "5"]);
    assert_eq!(counts.latency_us.len(), 5);
    assert_eq!(counts.missed, due.len() as u64 - 5);
}

/// Otherwise each of those that wait for a connection would be sent to a server that does not respond.
#[test]
fn what_waits_for_a_connection_when_the_load_is_interrupted_is_not_sent() {
    let server = StalledServer::start();
    let words = ["--mix", "top=1", "--connections", "2"];
    let args = args(&[&["--server", &server.url][..], &words].concat());
    let runtime = Runtime::new().unwrap();
    let stop = Stop::default();
    let (driver, scenario) = driver(&args, &runtime, &stop);
    let (counts, accepted) = (driver.tally(), server.accepted.clone());
    let interrupted = thread::spawn(move || {
        // Each was due at once. The last one is not sent.
        let arrivals = (0..6).map(|number| {
            if number == 5 {
                while accepted.load(Ordering::Relaxed) < 2 {
                    thread::yield_now();
                }
                stop.request();
            }
            Duration::ZERO
        });
        driver.open_loop(arrivals, scenario);
    });
    while counts.missed_so_far() < 3 {
        thread::yield_now();
    }
    drop(server.release);
    interrupted.join().unwrap();
    let counts = counts.take().operations[&Operation::Top].clone();
    assert_eq!((counts.latency_us.len(), counts.missed), (2, 3));
}
