//! Measures how fast a sorted set of Redis is adopted into a board.
//!
//!     adopt_figures [--rounds 5] [--members 1000000] [--store embedded|memory] [--megaboard PATH]
//!
//! The scores of the set have points and time in one double. Each round reads the set with plain `ZSCAN`, writes the
//! same members to another Redis with pipelined `ZADD`, and adopts the set into the board of a new server. Redis,
//! server and `adopt` share the machine.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::time::Instant;

use benches::child::{Server, sibling};
use benches::contributions::Contributions;
use benches::figures::{median, number, ratio, spread, table, verdict};
use benches::process::{cpu_time, machine};
use benches::record;
use benches::redis::Redis;
use benches::resp;
use benches::sample::{member, now};
use clap::{Parser, ValueEnum};
use comfy_table::Table;
use scale::random::Random;

/// The key of the sorted set.
const KEY: &str = "leaderboard:339";

/// The time that times are subtracted from, in seconds: 12023-01-01 in China.
const BASE_S: u64 = 317_242_022_400;

/// The encoding with this base, for `adopt`.
const ENCODING: &str = "fraction(base=317242022400)";

const BOARD: &str = "power/339";

/// With this base, doubles are precise to the second for points below this.
const POINTS_END: u64 = 16_384;

/// The maximum age of times, in seconds: ten days.
const SPAN_S: u64 = 864_000;

/// The number of members of a `ZADD` pipeline, and `COUNT` of `ZSCAN`, which `adopt` uses, too.
const BATCH: u64 = 1_000;

/// The target of adopted members per second.
const PER_SECOND_MIN: f64 = 200_000.0;

#[derive(Parser)]
#[command(about = "Measures how fast a sorted set of Redis is adopted into a board")]
struct Args {
    /// Number of rounds. Figures are medians over them.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Number of members of the set.
    #[arg(long, default_value_t = 1_000_000)]
    members: u64,
    /// Store of the server.
    #[arg(long, value_enum, default_value = "embedded")]
    store: Store,
    /// Path of the server. [default: the one in the folder of this program]
    #[arg(long, env = "MEGABOARD_BIN")]
    megaboard: Option<PathBuf>,
}

/// The store of the server.
#[derive(Clone, Copy, ValueEnum)]
enum Store {
    /// In a folder, with `durability = "always"`.
    Embedded,
    /// In memory.
    Memory,
}

/// One value per round of each figure. Rates are members per second.
#[derive(Default)]
struct Figures {
    scanned: Vec<f64>,
    added: Vec<f64>,
    adopted: Vec<f64>,
    client_us: Vec<f64>,
    server_us: Vec<f64>,
    redis_us: Vec<f64>,
}

fn main() -> io::Result<()> {
    let args = Args::parse();
    let megaboard = args.megaboard.map_or_else(|| sibling("megaboard"), Ok)?;
    println!("{}", machine());
    let pipelines = pipelines(args.members)?;
    let (mut source, mut other) = (Redis::start()?, Redis::start()?);
    add(&mut source, &pipelines, args.members)?;
    let mut figures = Figures::default();
    for _ in 0..args.rounds {
        figures.scanned.push(scan(&mut source, args.members)?);
        other.connection.ask(&["FLUSHALL"])?;
        figures
            .added
            .push(add(&mut other, &pipelines, args.members)?);
        adopt(
            &mut source,
            &megaboard,
            args.store,
            args.members,
            &mut figures,
        )?;
    }
    let title = format!(
        "{} members, medians of {} rounds",
        args.members, args.rounds
    );
    record::table(&title, &report(&figures))
}

/// Returns pipelines of `ZADD` with all members.
fn pipelines(members: u64) -> io::Result<Vec<String>> {
    let mut random = Random::new(1);
    let mut order = Contributions::to(BOARD, members, 1);
    let now_s = u64::try_from(now().millis() / 1_000).map_err(io::Error::other)?;
    let mut pipelines = Vec::new();
    loop {
        let numbers = order.next_members(BATCH);
        if numbers.is_empty() {
            return Ok(pipelines);
        }
        let mut pipeline = String::new();
        for member_number in numbers {
            let points = random.below(POINTS_END);
            let left_s = BASE_S - (now_s - 1 - random.below(SPAN_S));
            let score = number(points) + number(left_s) / number(BASE_S);
            let member = member(member_number);
            let command = ["ZADD", KEY, &score.to_string(), member.as_str()];
            resp::append(&mut pipeline, &command);
        }
        pipelines.push(pipeline);
    }
}

/// Sends all pipelines. Returns the number of members per second.
fn add(redis: &mut Redis, pipelines: &[String], members: u64) -> io::Result<f64> {
    let begun = Instant::now();
    let mut left = members;
    for pipeline in pipelines {
        let commands = left.min(BATCH);
        let count = usize::try_from(commands).map_err(io::Error::other)?;
        redis.connection.run(pipeline, count)?;
        left -= commands;
    }
    Ok(number(members) / begun.elapsed().as_secs_f64())
}

/// Reads the set by cursor, and discards it. Returns the number of members per second.
fn scan(redis: &mut Redis, members: u64) -> io::Result<f64> {
    let begun = Instant::now();
    let (mut cursor, mut read) = ("0".to_owned(), 0);
    let count = BATCH.to_string();
    loop {
        let words = ["ZSCAN", KEY, &cursor, "COUNT", &count];
        let (next, page) = redis.connection.page(&words)?;
        read += page.len() / 2;
        if next == "0" {
            break;
        }
        cursor = next;
    }
    let rate = number(members) / begun.elapsed().as_secs_f64();
    if read as u64 >= members {
        return Ok(rate);
    }
    let reason = format!("ZSCAN returned {read} of {members} members");
    Err(io::Error::other(reason))
}

/// Adopts the set into the board of a new server.
fn adopt(
    source: &mut Redis,
    megaboard: &Path,
    store: Store,
    members: u64,
    figures: &mut Figures,
) -> io::Result<()> {
    let home = tempfile::tempdir()?;
    let server = serve(megaboard, home.path(), store)?;
    let mut command = Command::new(megaboard);
    command.args(["adopt", "--sorted-set", KEY, "--encoding", ENCODING]);
    command.args(["--from", &format!("redis://{}", source.address())]);
    command.args(["--board", BOARD]);
    command.args(["--server", &format!("http://{}", server.address)]);
    let redis_us = source.cpu_us()?;
    // The CPU time of a child process is added to `children` when it has ended.
    let client = cpu_time(process::id())?.children;
    let before = cpu_time(server.pid())?.own;
    let begun = Instant::now();
    let output = command.output()?;
    let taken = begun.elapsed();
    let summary = String::from_utf8_lossy(&output.stdout);
    let all = format!("set {members}, left out 0, rejected 0;");
    if !output.status.success() || !summary.starts_with(&all) {
        let error = String::from_utf8_lossy(&output.stderr);
        return Err(io::Error::other(format!(
            "adopt did not set all members: {summary:?}, {error}"
        )));
    }
    let us_each = |seconds: f64| seconds * 1e6 / number(members);
    let server_cpu = cpu_time(server.pid())?.own.saturating_sub(before);
    let client = cpu_time(process::id())?.children.saturating_sub(client);
    let redis_cpu = source.cpu_us()? - redis_us;
    figures.adopted.push(number(members) / taken.as_secs_f64());
    figures.client_us.push(us_each(client.as_secs_f64()));
    figures.server_us.push(us_each(server_cpu.as_secs_f64()));
    figures.redis_us.push(redis_cpu / number(members));
    Ok(())
}

/// Starts a server with a kind of one window.
fn serve(megaboard: &Path, home: &Path, store: Store) -> io::Result<Server> {
    let config = home.join("megaboard.toml");
    std::fs::write(&config, "[kinds.power]\nwindows = [\"all\"]\nshards = 16\n")?;
    let store = match store {
        Store::Embedded => format!("embedded:{}", home.join("data").display()),
        Store::Memory => "memory:".to_owned(),
    };
    let mut command = Command::new(megaboard);
    command.args(["serve", "--listen", "127.0.0.1:0", "--store", &store]);
    command.arg("--config").arg(config).current_dir(home);
    Server::announced(command.env("MEGABOARD_LOG", "error"))
}

fn report(figures: &Figures) -> Table {
    let mut shown = table(&["figure", "adopt", "ZSCAN alone", "ZADD, pipelined", ""]);
    shown.add_row([
        "members/s".to_owned(),
        spread(&figures.adopted, 0),
        spread(&figures.scanned, 0),
        spread(&figures.added, 0),
        verdict(
            median(&figures.adopted) >= PER_SECOND_MIN,
            "at least 200000",
        ),
    ]);
    shown.add_row([
        "adopt over it".to_owned(),
        String::new(),
        format!("{:.2}", ratio(&figures.adopted, &figures.scanned)),
        format!("{:.2}", ratio(&figures.adopted, &figures.added)),
        String::new(),
    ]);
    let cpu = [
        ("µs CPU a member, adopt itself", &figures.client_us),
        ("µs CPU a member, the server", &figures.server_us),
        ("µs CPU a member, Redis", &figures.redis_us),
    ];
    for (name, values) in cpu {
        shown.add_row([name.to_owned(), spread(values, 2)]);
    }
    shown
}
