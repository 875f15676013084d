//! Measures a server whose Redis is overloaded.
//!
//!     overload_figures [--seconds 20] [--times 2] [--connections 1000] [--megaboard PATH]
//!
//! The peak is the rate of a few writers, each with one request of 1,000 contributions in flight: the mean of before
//! and after the overload, since boards grow and machines are noisy. The overload is twice that rate, independent of
//! responses, while fresh tops are read. Server, Redis and clients share the machine.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use benches::child::{Server, sibling};
use benches::contributions::Contributions;
use benches::figures::{number, table, verdict};
use benches::http::{self, Connection, Response, get};
use benches::process::machine;
use benches::record;
use benches::redis::Redis;
use clap::Parser;

const BOARD: &str = "gifts/live";

/// The kind has five windows, so that Redis has most of the work.
const KIND: &str = "[kinds.gifts]\nshards = 16\n\
                    windows = [\"hour\", \"day\", \"week\", \"month\", \"all\"]\n";

/// The number of members of the board.
const MEMBERS: u64 = 100_000;

/// The number of contributions of a request.
const LINES: u64 = 1_000;

/// The number of different requests, which are sent repeatedly.
const REQUESTS: u64 = 64;

/// The numbers of writers of which the fastest is the peak.
const WRITERS: [usize; 3] = [4, 8, 16];

/// The duration of each measurement of the peak.
const PEAK_FOR: Duration = Duration::from_secs(5);

/// The duration of the overload before counting begins.
const WARM_UP: Duration = Duration::from_secs(5);

/// The pause between two reads.
const READ_EVERY: Duration = Duration::from_millis(50);

/// The target of applied contributions, relative to the peak.
const RATIO_MIN: f64 = 0.9;

/// The target of the latency of fresh reads.
const P99_MAX: Duration = Duration::from_millis(100);

#[derive(Parser)]
#[command(about = "Measures a server whose Redis is overloaded")]
struct Args {
    /// Duration of the overload, in seconds.
    #[arg(long, default_value_t = 20)]
    seconds: u64,
    /// Rate of the overload, relative to the peak.
    #[arg(long, default_value_t = 2.0)]
    times: f64,
    /// Maximum number of connections.
    #[arg(long, default_value_t = 1000)]
    connections: usize,
    /// Path of the server. [default: the one in the folder of this program]
    #[arg(long, env = "MEGABOARD_BIN")]
    megaboard: Option<PathBuf>,
}

/// Counts of contributions.
#[derive(Default)]
struct Tally {
    /// Contributions of requests that received any response.
    offered: AtomicU64,
    applied: AtomicU64,
    overloaded: AtomicU64,
    other: AtomicU64,
}

impl Tally {
    fn count(&self, response: &Response) {
        let text = String::from_utf8_lossy(&response.body);
        let applied = after(&text, "\"applied\":");
        let mut failed = after(&text, "\"failed_count\":");
        if failed == 0 && text.contains("\"type\":\"overloaded\"") {
            // The request was refused before it was read.
            failed = LINES - applied;
        }
        // Failed items are `overloaded`, unless they are `unavailable` or `unknown`.
        let other = text.matches("\"type\":\"un").count() as u64;
        self.offered.fetch_add(LINES, Ordering::Relaxed);
        self.applied.fetch_add(applied, Ordering::Relaxed);
        self.overloaded
            .fetch_add(failed.saturating_sub(other), Ordering::Relaxed);
        let other = other + (LINES - applied).saturating_sub(failed);
        self.other.fetch_add(other, Ordering::Relaxed);
    }

    /// Returns the counts: offered, applied, overloaded, others.
    fn counts(&self) -> [u64; 4] {
        let all = [&self.offered, &self.applied, &self.overloaded, &self.other];
        all.map(|count| count.load(Ordering::Relaxed))
    }
}

/// Returns the number after a name, or 0 if the text does not contain it.
fn after(text: &str, name: &str) -> u64 {
    let after = text.split_once(name).map_or("", |(_, after)| after);
    let digits = after.bytes().take_while(u8::is_ascii_digit);
    digits.fold(0, |number, digit| number * 10 + u64::from(digit - b'0'))
}

fn main() -> io::Result<()> {
    let args = Args::parse();
    println!("{}", machine());
    let redis = Redis::start()?;
    let home = tempfile::tempdir()?;
    let config = home.path().join("megaboard.toml");
    std::fs::write(&config, KIND)?;
    let megaboard = args.megaboard.map_or_else(|| sibling("megaboard"), Ok)?;
    let mut command = Command::new(megaboard);
    command.args(["serve", "--listen", "127.0.0.1:0", "--config"]);
    command.arg(&config).arg("--store");
    let server = Server::announced(command.arg(format!("redis://{}", redis.address())))?;
    let mut stream = Contributions::to(BOARD, MEMBERS, 1);
    let requests: Vec<String> = (0..REQUESTS)
        .map(|_| {
            let members = stream.random_members(LINES);
            stream.lines(&members)
        })
        .collect();
    let (mut peak, mut best) = (0.0_f64, 0);
    for writers in WRITERS {
        let rate = write_for(server.address, &requests, writers, PEAK_FOR)?;
        println!("{writers} writers: {rate:.0} contributions/s");
        if rate > peak {
            (peak, best) = (rate, writers);
        }
    }
    let before = RedisMetrics::read(server.address)?;
    let offer = Offer {
        address: server.address,
        requests: &requests,
        rate: args.times * peak / number(LINES),
        connections: args.connections,
        duration: Duration::from_secs(args.seconds),
    };
    let overload = offer.make()?;
    let metrics = RedisMetrics::read(server.address)?;
    let after = write_for(server.address, &requests, best, PEAK_FOR)?;
    println!("{best} writers afterwards: {after:.0} contributions/s");
    let peak = f64::midpoint(peak, after);
    report(peak, best, &overload, &before, &metrics)?;
    println!("{}", machine());
    Ok(())
}

/// Returns the number of contributions per second that are applied with this number of writers.
fn write_for(
    address: SocketAddr,
    requests: &[String],
    writers: usize,
    duration: Duration,
) -> io::Result<f64> {
    let begun = Instant::now();
    let applied = thread::scope(|scope| {
        let writers = (0..writers).map(|writer| {
            scope.spawn(move || -> io::Result<u64> {
                let mut connection = Connection::open(address)?;
                let mut applied = 0;
                for request in requests.iter().cycle().skip(writer * 7) {
                    if begun.elapsed() >= duration {
                        break;
                    }
                    http::apply_all(&mut connection, request)?;
                    applied += LINES;
                }
                Ok(applied)
            })
        });
        let writers: Vec<_> = writers.collect();
        let ended = writers.into_iter().map(std::thread::ScopedJoinHandle::join);
        ended
            .map(|applied| applied.map_err(|_| io::Error::other("a writer panicked"))?)
            .sum::<io::Result<u64>>()
    })?;
    Ok(number(applied) / begun.elapsed().as_secs_f64())
}

/// Requests at a fixed rate, independent of responses.
struct Offer<'a> {
    address: SocketAddr,
    requests: &'a [String],
    /// Requests per second.
    rate: f64,
    connections: usize,
    duration: Duration,
}

/// The result of an overload.
struct Overload {
    elapsed: Duration,
    /// Offered, applied, overloaded, others.
    counts: [u64; 4],
    /// The latencies of fresh reads, sorted.
    reads: Vec<Duration>,
    /// The number of refused reads.
    refused: u64,
}

impl Offer<'_> {
    /// Sends the requests, and reads fresh tops meanwhile.
    fn make(&self) -> io::Result<Overload> {
        let tally = Tally::default();
        let (ticket, begun) = (AtomicU64::new(0), Instant::now());
        let end = begun + WARM_UP + self.duration;
        thread::scope(|scope| {
            let (tally, ticket) = (&tally, &ticket);
            let writers = (0..self.connections)
                .map(|_| scope.spawn(move || self.write(tally, ticket, begun, end)));
            let writers: Vec<_> = writers.collect();
            let reader = scope.spawn(move || self.read(begun + WARM_UP, end));
            thread::sleep(WARM_UP);
            let (before, counted_from) = (tally.counts(), Instant::now());
            thread::sleep(end.saturating_duration_since(Instant::now()));
            let (counts, elapsed) = (tally.counts(), counted_from.elapsed());
            for writer in writers {
                let ended = writer.join();
                ended.map_err(|_| io::Error::other("a writer panicked"))??;
            }
            let read = reader.join();
            let (mut reads, refused) =
                read.map_err(|_| io::Error::other("the reader panicked"))??;
            reads.sort_unstable();
            Ok(Overload {
                elapsed,
                counts: std::array::from_fn(|index| counts[index] - before[index]),
                reads,
                refused,
            })
        })
    }

    fn write(
        &self,
        tally: &Tally,
        ticket: &AtomicU64,
        begun: Instant,
        end: Instant,
    ) -> io::Result<()> {
        let mut connection = Connection::open(self.address)?;
        loop {
            let turn = ticket.fetch_add(1, Ordering::Relaxed);
            let due = begun + Duration::from_secs_f64(number(turn) / self.rate);
            if due >= end {
                return Ok(());
            }
            thread::sleep(due.saturating_duration_since(Instant::now()));
            if Instant::now() >= end {
                return Ok(());
            }
            let index = usize::try_from(turn).map_err(io::Error::other)? % self.requests.len();
            tally.count(&connection.exchange(&self.requests[index])?);
        }
    }

    /// Reads fresh tops. Returns the latency of each read after `from`, and the number of refused ones.
    fn read(&self, from: Instant, end: Instant) -> io::Result<(Vec<Duration>, u64)> {
        let mut connection = Connection::open(self.address)?;
        let request = get(&format!("/v1/boards/{BOARD}/top?fresh=true"));
        let (mut times, mut refused) = (Vec::new(), 0);
        loop {
            let begun = Instant::now();
            if begun >= end {
                return Ok((times, refused));
            }
            let response = connection.exchange(&request)?;
            if begun >= from {
                times.push(begun.elapsed());
                refused += u64::from(!response.head.starts_with(http::OK));
            }
            thread::sleep(READ_EVERY);
        }
    }
}

/// Metrics of the server about its Redis.
struct RedisMetrics {
    connections: f64,
    lost: f64,
    overloaded: f64,
}

impl RedisMetrics {
    fn read(address: SocketAddr) -> io::Result<Self> {
        let metrics = http::ask(address, &get("/metrics"))?;
        let text = String::from_utf8_lossy(&metrics.body).into_owned();
        let sum = |name: &str, label: &str| -> f64 {
            let lines = text.lines().filter(|line| line.starts_with(name));
            let lines = lines.filter(|line| line.contains(label));
            let values = lines.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok());
            values.sum()
        };
        Ok(Self {
            connections: sum("megaboard_redis_connections_total", ""),
            lost: sum("megaboard_redis_calls_total", "end=\"lost\""),
            overloaded: sum("megaboard_redis_calls_total", "end=\"overloaded\""),
        })
    }
}

fn report(
    peak: f64,
    writers: usize,
    overload: &Overload,
    before: &RedisMetrics,
    after: &RedisMetrics,
) -> io::Result<()> {
    let seconds = overload.elapsed.as_secs_f64();
    let [offered, applied, overloaded, other] = overload.counts.map(number);
    let ratio = applied / seconds / peak;
    let at = |part: usize| {
        let last = overload.reads.len().saturating_sub(1);
        let read = overload.reads.get(last * part / 100);
        read.copied().unwrap_or_default()
    };
    let ms = |taken: Duration| format!("{:.1} ms", taken.as_secs_f64() * 1e3);
    let mut rows = table(&["", "figure", "target"]);
    rows.add_row(vec![
        format!("peak, {writers} writers"),
        format!("{peak:.0}/s"),
        String::new(),
    ]);
    rows.add_row(vec![
        "answered meanwhile".to_owned(),
        format!("{:.2} of the peak", offered / seconds / peak),
        String::new(),
    ]);
    rows.add_row(vec![
        "applied".to_owned(),
        format!("{:.0}/s, {ratio:.2} of the peak", applied / seconds),
        verdict(ratio >= RATIO_MIN, "at least 0.90"),
    ]);
    rows.add_row(vec![
        "overloaded".to_owned(),
        format!("{:.0} %", 100.0 * overloaded / offered),
        String::new(),
    ]);
    rows.add_row(vec![
        "unavailable or unknown".to_owned(),
        format!("{other:.0}"),
        verdict(other < 0.5, "0"),
    ]);
    rows.add_row(vec![
        format!("{} fresh reads", overload.reads.len()),
        format!(
            "p50 {}, p99 {}, max {}",
            ms(at(50)),
            ms(at(99)),
            ms(at(100))
        ),
        verdict(at(99) < P99_MAX, "p99 below 100 ms"),
    ]);
    rows.add_row(vec![
        "of them refused".to_owned(),
        overload.refused.to_string(),
        verdict(overload.refused == 0, "0"),
    ]);
    let dropped = after.connections - before.connections;
    rows.add_row(vec![
        "links dropped".to_owned(),
        format!("{dropped:.0}"),
        verdict(dropped < 0.5, "0"),
    ]);
    let lost = after.lost - before.lost;
    rows.add_row(vec![
        "calls lost, so sent again".to_owned(),
        format!("{lost:.0}"),
        verdict(lost < 0.5, "0"),
    ]);
    rows.add_row(vec![
        "calls not sent".to_owned(),
        format!("{:.0}", after.overloaded - before.overloaded),
        String::new(),
    ]);
    record::table("Twice the peak over up to 1,000 connections", &rows)
}
