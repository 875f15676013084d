//! How fast a sorted set of Redis is read into a board.
//!
//!     adopt_figures [--rounds 5] [--members 1000000] [--store embedded|memory] [--megaboard PATH]
//!
//! The set is laid down as the field does, score and time in one double. Each round reads it with plain
//! `ZSCAN`, writes the same members into another Redis with pipelined `ZADD`, and adopts it into the
//! board of a new server, by turns. Redis, server and `adopt` share the machine.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::time::Instant;

use benches::child::{Server, beside};
use benches::contributions::Contributions;
use benches::figures::{held, median, number, ratio, spread, table};
use benches::process::{machine, spent_by};
use benches::random::Random;
use benches::redis::Redis;
use benches::resp;
use benches::sample::{member, now};
use clap::{Parser, ValueEnum};

/// The sorted set.
const KEY: &str = "leaderboard:339";

/// The far moment that times are told from, in seconds: 12023-01-01 in China.
const BASE_S: u64 = 317_242_022_400;

/// The same for `adopt`.
const ENCODING: &str = "fraction(base=317242022400)";

/// The board.
const BOARD: &str = "power/339";

/// Scores below this keep their seconds under that base.
const POINTS_END: u64 = 16_384;

/// The times lie in so many seconds before the run: ten days.
const SPAN_S: u64 = 864_000;

/// Members of a `ZADD` pipeline, and what a step of `ZSCAN` is asked for, by `adopt` as well.
const BATCH: u64 = 1_000;

/// Members a second that are to be adopted.
const PER_SECOND_MIN: f64 = 200_000.0;

#[derive(Parser)]
#[command(about = "How fast a sorted set of Redis is read into a board")]
struct Args {
    /// Rounds; figures are medians over them.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Members of the set.
    #[arg(long, default_value_t = 1_000_000)]
    members: u64,
    /// Where the server keeps the board.
    #[arg(long, value_enum, default_value = "embedded")]
    store: Store,
    /// The server; otherwise the one that was built beside this.
    #[arg(long, env = "MEGABOARD_BIN")]
    megaboard: Option<PathBuf>,
}

/// Where a board is kept.
#[derive(Clone, Copy, ValueEnum)]
enum Store {
    /// In a folder, every answer synced.
    Embedded,
    /// Nowhere.
    Memory,
}

/// One value a round of each figure.
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
    let megaboard = args.megaboard.map_or_else(|| beside("megaboard"), Ok)?;
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
    println!("{}", report(&figures));
    Ok(())
}

/// All members with a score and a time each, as pipelines of `ZADD`.
fn pipelines(members: u64) -> io::Result<Vec<String>> {
    let mut random = Random::new(1);
    let mut order = Contributions::to(BOARD, members, 1);
    let now_s = u64::try_from(now().millis() / 1_000).map_err(io::Error::other)?;
    let mut pipelines = Vec::new();
    loop {
        let numbers = order.everyone(BATCH);
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

/// Sends them, one after the other: members a second.
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

/// Reads the set by cursor and does nothing with it: members a second.
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
    let reason = format!("ZSCAN gave {read} of {members} members");
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
    command.args(["adopt", "--key", KEY, "--encoding", ENCODING]);
    command.args(["--from", &format!("redis://{}", source.address())]);
    command.args(["--board", BOARD]);
    command.args(["--server", &format!("http://{}", server.address)]);
    let redis_us = source.cpu_us()?;
    // What is waited for goes into what the children of this process took.
    let client = spent_by(process::id())?.children;
    let before = spent_by(server.pid())?.own;
    let begun = Instant::now();
    let output = command.output()?;
    let taken = begun.elapsed();
    let said = String::from_utf8_lossy(&output.stdout);
    let all = format!("set {members}, left out 0, rejected 0;");
    if !output.status.success() || !said.starts_with(&all) {
        let error = String::from_utf8_lossy(&output.stderr);
        return Err(io::Error::other(format!("adopt said {said:?}, {error}")));
    }
    let us_each = |seconds: f64| seconds * 1e6 / number(members);
    let server_cpu = spent_by(server.pid())?.own.saturating_sub(before);
    let client = spent_by(process::id())?.children.saturating_sub(client);
    let redis_cpu = source.cpu_us()? - redis_us;
    figures.adopted.push(number(members) / taken.as_secs_f64());
    figures.client_us.push(us_each(client.as_secs_f64()));
    figures.server_us.push(us_each(server_cpu.as_secs_f64()));
    figures.redis_us.push(redis_cpu / number(members));
    Ok(())
}

/// A server with a kind of one window.
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

fn report(figures: &Figures) -> String {
    let mut shown = table(&["figure", "adopt", "ZSCAN alone", "ZADD, pipelined", ""]);
    shown.add_row([
        "members/s".to_owned(),
        spread(&figures.adopted, 0),
        spread(&figures.scanned, 0),
        spread(&figures.added, 0),
        held(
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
    let spent = [
        ("µs CPU a member, adopt itself", &figures.client_us),
        ("µs CPU a member, the server", &figures.server_us),
        ("µs CPU a member, Redis", &figures.redis_us),
    ];
    for (name, values) in spent {
        shown.add_row([name.to_owned(), spread(values, 2)]);
    }
    shown.to_string()
}
