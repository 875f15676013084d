//! Measures latency under load: `megaboard load` at a percentage of the capacity of a server, while it takes snapshots,
//! an hour ends, and boards expire.
//!
//!     load_figures [--minutes 3] [--rooms 10000] [--members 1000000] [--percent 50 --percent 70] [--results DIR]
//!         [--megaboard PATH]
//!
//! The server stores boards in a folder, with a journal so small that snapshots are taken all the time. With
//! libfaketime its clock is ahead, so that an hour begins in the middle of the load: all tops begin again, and the old
//! hour is dropped. Beside the rooms there are boards that end during the load, and expire a second later. Each
//! percentage has a server of its own. Client and server share the machine.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use benches::child::{Server, sibling};
use benches::figures::table;
use benches::http::{self, Connection};
use benches::plot::{self, Line};
use benches::process::machine;
use benches::record::{self, Bound};
use benches::sample;
use clap::Parser;
use serde_json::Value;
use tempfile::TempDir;

#[derive(Parser)]
#[command(about = "Measures latency under load, during snapshots, the end of an hour, and expiry")]
struct Args {
    /// Duration of the load, in minutes.
    #[arg(long, default_value_t = 3.0)]
    minutes: f64,
    /// Number of rooms.
    #[arg(long, default_value_t = 10_000)]
    rooms: u32,
    /// Number of members of all rooms together.
    #[arg(long, default_value_t = 1_000_000)]
    members: u32,
    /// Rate, in percent of the capacity; may be repeated.
    #[arg(long, default_values_t = [50, GOAL_PERCENT])]
    percent: Vec<u32>,
    /// Number of connections.
    #[arg(long, default_value_t = 64)]
    connections: u32,
    /// Folder of the results: distributions for HDR plotters.
    #[arg(long, default_value = "target/load")]
    results: PathBuf,
    /// Path of the server. [default: the one in the folder of this program]
    #[arg(long, env = "MEGABOARD_BIN")]
    megaboard: Option<PathBuf>,
}

/// The number of boards that expire.
const BATTLES: u32 = 200;

/// The number of members of each.
const BATTLE_MEMBERS: u32 = 50;

/// Contributions of a request that writes, as a live stream's server would gather them. With fewer, the journal would
/// not reach half of a snapshot within minutes.
const BATCH: &str = "20";

/// How long the sweep has to drop what has expired in the end.
const SETTLED_AFTER: Duration = Duration::from_secs(12);

/// Members that are filled per second, at least.
const FILLED_PER_SECOND: u32 = 25_000;

/// The percentage that the goals are for.
const GOAL_PERCENT: u32 = 70;

/// The goals, in milliseconds.
const P99_MS_MAX: f64 = 5.0;
const P999_MS_MAX: f64 = 20.0;

/// The old hour is dropped soon after its end, so that this is part of the load.
const CONFIG: &str = r#"
[embedded]
snapshot_after_bytes = 4000000
[kinds.rooms]
windows = ["hour", "all"]
keep = { hour = "10s" }
[kinds.battles]
windows = ["all"]
"#;

fn main() -> io::Result<()> {
    let args = Args::parse();
    println!("{}", machine());
    for percent in &args.percent {
        measure(&args, *percent)?;
    }
    Ok(())
}

fn measure(args: &Args, percent: u32) -> io::Result<()> {
    let duration = Duration::from_secs_f64(60.0 * args.minutes);
    // `megaboard load` measures the capacity for this long.
    let before = Duration::from_mins(1).min(duration);
    let filling =
        Duration::from_secs(5) + Duration::from_secs(1) * (args.members / FILLED_PER_SECOND);
    let (begun, boundary) = (Instant::now(), filling + before + duration / 2);
    let clock = Clock::with_hour_in(boundary);
    let megaboard = args
        .megaboard
        .clone()
        .map_or_else(|| sibling("megaboard"), Ok)?;
    let home = tempfile::tempdir()?;
    let server = serve(&megaboard, &home, &clock)?;
    eprintln!("filling {} rooms", args.rooms);
    let fill = [
        "--fill",
        "--duration",
        "100ms",
        "--rate",
        "1",
        "--mix",
        "top=1",
    ];
    load(&megaboard, &server, args, &fill)?;
    let load_begins = begun + filling;
    let ends = load_begins + before..load_begins + before + duration;
    add_battles(server.address, &clock, ends)?;
    thread::sleep(load_begins.saturating_duration_since(Instant::now()));
    eprintln!("measuring the capacity, then the load");
    let watch = Watch::start(server.address);
    let duration = format!("{}ms", duration.as_millis());
    let of_capacity = percent.to_string();
    let results = args.results.join(format!("at-{percent}"));
    let results_text = results.to_string_lossy().into_owned();
    let flags = [
        "--of-capacity",
        &of_capacity,
        "--duration",
        &duration,
        "--batch",
        BATCH,
        "--results",
        &results_text,
    ];
    let printed = load(&megaboard, &server, args, &flags)?;
    thread::sleep(SETTLED_AFTER);
    let samples = watch.stop()?;
    println!("{printed}");
    report(args, percent, &results, &clock, &samples)
}

/// Runs `megaboard load`, and returns what it printed. Requests that fail are in there.
fn load(megaboard: &Path, server: &Server, args: &Args, flags: &[&str]) -> io::Result<String> {
    let mut command = Command::new(megaboard);
    command.args(["load", "--server", &format!("http://{}", server.address)]);
    command.args(["--kind", "rooms", "--rooms", &args.rooms.to_string()]);
    command.args(["--members", &args.members.to_string()]);
    command.args(["--connections", &args.connections.to_string()]);
    let output = command.args(flags).stderr(Stdio::inherit()).output()?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    // 1: some requests failed, or were missed.
    match output.status.code() {
        Some(0 | 1) if !printed.is_empty() => Ok(printed),
        _ => Err(io::Error::other(format!("{command:?}: {}", output.status))),
    }
}

/// The length of an hour.
const HOUR_MS: u64 = 3_600_000;

/// The clock of the server.
struct Clock {
    library: Option<PathBuf>,
    ahead: Duration,
}

impl Clock {
    /// Returns a clock whose next hour begins after this time; the machine's if there is no libfaketime.
    fn with_hour_in(time: Duration) -> Self {
        let folders = ["/usr/lib", "/usr/lib64", "/usr/local/lib"].map(PathBuf::from);
        let multiarch = std::fs::read_dir("/usr/lib").into_iter().flatten();
        let multiarch = multiarch.filter_map(|entry| Some(entry.ok()?.path()));
        let mut paths = folders.into_iter().chain(multiarch);
        let library = paths.find_map(|folder| {
            let path = folder.join("faketime/libfaketime.so.1");
            path.exists().then_some(path)
        });
        let now = u64::try_from(sample::now().millis()).unwrap_or_default();
        let time = u64::try_from(time.as_millis()).unwrap_or_default();
        let ahead = Duration::from_millis(HOUR_MS - (now + time) % HOUR_MS);
        Self {
            ahead: if library.is_some() {
                ahead
            } else {
                Duration::ZERO
            },
            library,
        }
    }

    /// Returns the time that this clock shows at an instant, in milliseconds since 1970.
    fn at(&self, instant: Instant) -> i64 {
        let until = instant.saturating_duration_since(Instant::now()) + self.ahead;
        let until = i64::try_from(until.as_millis()).unwrap_or_default();
        sample::now().millis() + until
    }
}

fn serve(megaboard: &Path, home: &TempDir, clock: &Clock) -> io::Result<Server> {
    let store = format!("embedded:{}", home.path().join("data").display());
    let config = home.path().join("megaboard.toml");
    std::fs::write(&config, format!("[server]\nstore = {store:?}\n{CONFIG}"))?;
    let mut command = Command::new(megaboard);
    command.args(["serve", "--listen", "127.0.0.1:0", "--config"]);
    command.arg(config).current_dir(home.path());
    if let Some(library) = &clock.library {
        command.env("LD_PRELOAD", library);
        command.env("FAKETIME", format!("+{:.3}", clock.ahead.as_secs_f64()));
        command.env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    }
    Server::announced(command.env("MEGABOARD_LOG", "error"))
}

/// Creates boards that end one after the other in this span, and expire.
fn add_battles(
    address: SocketAddr,
    clock: &Clock,
    span: std::ops::Range<Instant>,
) -> io::Result<()> {
    let mut connection = Connection::open(address)?;
    let length = span.end.saturating_duration_since(span.start);
    for battle in 0..BATTLES {
        let ends_at = clock.at(span.start + length * battle / BATTLES);
        let settings = format!(r#"{{"ends_at":{ends_at},"expires_after":"1s"}}"#);
        let path = format!("/v1/boards/battles/b-{battle}");
        connection.ask(&http::put(&path, &settings))?;
        let mut lines = String::new();
        for member in 0..BATTLE_MEMBERS {
            // Writing into a string cannot fail.
            let _ = writeln!(
                lines,
                r#"{{"board":"battles/b-{battle}","member":"m{member}","points":{member}}}"#
            );
        }
        let request = http::post("/v1/contributions", "application/x-ndjson", &lines);
        http::apply_all(&mut connection, &request)?;
    }
    Ok(())
}

/// Metrics that are sampled each second.
const SAMPLED: [&str; 5] = [
    "megaboard_snapshots_total",
    "megaboard_snapshot_last_duration_seconds",
    "megaboard_store_boards",
    "megaboard_store_standings",
    "megaboard_merges_total",
];

type Samples = BTreeMap<&'static str, Vec<f64>>;

/// Samples metrics until it is stopped.
struct Watch {
    stop: Arc<AtomicBool>,
    thread: thread::JoinHandle<io::Result<Samples>>,
}

impl Watch {
    fn start(address: SocketAddr) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = thread::spawn(move || {
            let mut samples = Samples::new();
            let mut last = false;
            while !last {
                last = stopped.load(Ordering::Relaxed);
                let response = http::ask(address, &http::get("/metrics"))?;
                let text = String::from_utf8_lossy(&response.body);
                for line in text.lines() {
                    let Some((name, value)) = line.split_once(' ') else {
                        continue;
                    };
                    if let Some(name) = SAMPLED.into_iter().find(|sampled| *sampled == name) {
                        let value: Option<f64> =
                            value.split(' ').next().and_then(|it| it.parse().ok());
                        samples.entry(name).or_default().extend(value);
                    }
                }
                thread::sleep(Duration::from_secs(1));
            }
            Ok(samples)
        });
        Self { stop, thread }
    }

    fn stop(self) -> io::Result<Samples> {
        self.stop.store(true, Ordering::Relaxed);
        let sampled = self.thread.join();
        sampled.map_err(|_| io::Error::other("the sampler panicked"))?
    }
}

fn report(
    args: &Args,
    percent: u32,
    results: &Path,
    clock: &Clock,
    samples: &Samples,
) -> io::Result<()> {
    let summary = std::fs::read(results.join("load.json"))?;
    let summary: Value = serde_json::from_slice(&summary).map_err(io::Error::other)?;
    let ms = |value: &Value| value.as_f64().unwrap_or_default() / 1000.0;
    let mut shown = table(&[
        "requests",
        "count",
        "failed",
        "missed",
        "p50 ms",
        "p99 ms",
        "p99.9 ms",
        "p99.99 ms",
        "max ms",
    ]);
    let none = Vec::new();
    let operations = summary["operations"].as_array().unwrap_or(&none);
    for operation in operations {
        let name = operation["operation"].as_str().unwrap_or_default();
        let mut row = vec![name.to_owned()];
        row.extend(["requests", "failed", "missed"].map(|count| operation[count].to_string()));
        let latency = &operation["latency_us"];
        let times = ["p50", "p99", "p99.9", "p99.99", "max"];
        row.extend(times.map(|part| format!("{:.2}", ms(&latency[part]))));
        shown.add_row(row);
        if name == "all" && percent == GOAL_PERCENT {
            for (part, most) in [("p99", P99_MS_MAX), ("p99.9", P999_MS_MAX)] {
                let what = format!("{part} under load at {percent} % of capacity, ms");
                let value = ms(&latency[part]);
                record::goal(&what, &format!("{value:.2} ms"), value, Bound::AtMost(most))?;
            }
        }
    }
    let rate = summary["rate"].as_f64().unwrap_or_default();
    let capacity = summary["capacity"].as_f64().unwrap_or_default();
    let title = format!(
        "{rate:.0} requests/s, {percent} % of a capacity of {capacity:.0}, for {} min, {} rooms, {} members, {} connections, \
         {BATCH} contributions in each write; latency from the time at which each request was due",
        args.minutes, args.rooms, args.members, args.connections
    );
    record::table(&title, &shown)?;
    let first = |name| {
        samples
            .get(name)
            .and_then(|it| it.first().copied())
            .unwrap_or_default()
    };
    let last = |name| {
        samples
            .get(name)
            .and_then(|it| it.last().copied())
            .unwrap_or_default()
    };
    let most = |name: &str| {
        let values = samples.get(name).into_iter().flatten().copied();
        values.fold(0.0, f64::max)
    };
    let hour = match clock.library {
        Some(_) => "An hour began in the middle, and the old one was dropped.",
        None => "Without libfaketime no hour began during the load, unless the clock says so.",
    };
    record::note(&format!(
        "During the load: {:.0} snapshots were taken (the longest of those sampled {:.1} s), {:.0} merges were made, \
         {BATTLES} boards ended and expired (boards {:.0} at most and {:.0} 12 s after it, standings {:.0} at most and {:.0} 12 s after it). \
         {hour} Client and server share {} cores, so each waits for the other too, and the capacity is that of both.",
        last(SAMPLED[0]) - first(SAMPLED[0]),
        most(SAMPLED[1]),
        last(SAMPLED[4]) - first(SAMPLED[4]),
        most(SAMPLED[2]),
        last(SAMPLED[2]),
        most(SAMPLED[3]),
        last(SAMPLED[3]),
        thread::available_parallelism().map_or(0, usize::from),
    ))?;
    println!("\ndistributions: {}", results.display());
    let title = format!("Latency by percentile, at {percent} % of capacity");
    let lines = operations
        .iter()
        .filter_map(|operation| operation["operation"].as_str())
        .map(|name| distribution(name, &results.join(format!("{name}.hgrm"))));
    let lines: Vec<Line> = lines.collect::<Result<_, _>>()?;
    let percentile = |distance: &f64| format!("{} %", 100.0 - 100.0 / distance);
    let svg = plot::lines(&title, ("percentile", &percentile), "ms", &lines)?;
    record::image(&title, &format!("load-{percent}.svg"), svg)
}

/// Reads a distribution in the format of HDR plotters: milliseconds over `1/(1-percentile)`, up to the last one with a
/// request beyond it.
fn distribution(name: &str, path: &Path) -> io::Result<Line> {
    let text = std::fs::read_to_string(path)?;
    let points = text.lines().filter_map(|line| {
        let [ms, _, _, distance] = line.split_whitespace().collect::<Vec<_>>()[..] else {
            return None;
        };
        Some((distance.parse().ok()?, ms.parse().ok()?))
    });
    Ok(Line {
        name: name.to_owned(),
        points: points.collect(),
    })
}
