//! Measures the cost of publishing a board, for the Redis that it is published to.
//!
//!     publish_figures [--rounds 5] [--publications 100] [--entries 1000] [--megaboard PATH]
//!
//! A server publishes one board after each batch of contributions. CPU is that of the target only, and includes its
//! background work.

use std::io;
use std::path::PathBuf;
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use benches::child::{Server, sibling};
use benches::contributions::Contributions;
use benches::figures::{median, spread, table, verdict};
use benches::http::{Connection, apply_all};
use benches::process::machine;
use benches::record;
use benches::redis::Redis;
use clap::Parser;

const BOARD: &str = "gifts/live";

/// The number of members of the board.
const MEMBERS: u64 = 10_000;

/// The number of contributions before each publication.
const BATCH: u64 = 1_000;

/// The pause between two batches: longer than the minimum time between two publications.
const BATCH_EVERY: Duration = Duration::from_millis(110);

/// The target for 1,000 entries, in microseconds.
const CPU_US_MAX: f64 = 1_000.0;

#[derive(Parser)]
#[command(about = "Measures the cost of publishing a board, for the Redis that it is published to")]
struct Args {
    /// Number of rounds. Figures are medians over them.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Number of batches of a round. Each is published.
    #[arg(long, default_value_t = 100)]
    publications: u64,
    /// Number of published entries.
    #[arg(long, default_value_t = 1_000)]
    entries: u64,
    /// Path of the server. [default: the one in the folder of this program]
    #[arg(long, env = "MEGABOARD_BIN")]
    megaboard: Option<PathBuf>,
}

fn main() -> io::Result<()> {
    let args = Args::parse();
    println!("{}", machine());
    let mut target = Redis::start()?;
    let home = tempfile::tempdir()?;
    let config = home.path().join("megaboard.toml");
    let (store, entries) = (target.address(), args.entries);
    std::fs::write(
        &config,
        format!(
            "[publish.targets.readers]\nurl = \"redis://{store}\"\n[kinds.gifts]\nwindows = [\"all\"]\n\
             [kinds.gifts.publish]\ntarget = \"readers\"\nkey = \"board:{{subject}}\"\ntop = {entries}\nevery = \"100ms\"\n"
        ),
    )?;
    let megaboard = args.megaboard.map_or_else(|| sibling("megaboard"), Ok)?;
    let mut command = Command::new(megaboard);
    command.args(["serve", "--listen", "127.0.0.1:0", "--store", "memory:"]);
    command.arg("--config").arg(config).current_dir(home.path());
    let server = Server::announced(command.env("MEGABOARD_LOG", "error"))?;
    let mut connection = Connection::open(server.address)?;
    let mut contributions = Contributions::to(BOARD, MEMBERS, 1);
    loop {
        let members = contributions.next_members(BATCH);
        if members.is_empty() {
            break;
        }
        apply_all(&mut connection, &contributions.lines(&members))?;
    }
    let (mut cpu_us, mut count) = (Vec::new(), 0.0);
    for _ in 0..args.rounds {
        let (cpu, calls) = (target.cpu_us()?, target.calls_of("exec")?);
        for _ in 0..args.publications {
            let members = contributions.random_members(BATCH);
            apply_all(&mut connection, &contributions.lines(&members))?;
            sleep(BATCH_EVERY);
        }
        let published = target.calls_of("exec")? - calls;
        cpu_us.push((target.cpu_us()? - cpu) / published);
        count += published;
    }
    let mut shown = table(&["figure", "of the target", ""]);
    let met = verdict(median(&cpu_us) < CPU_US_MAX, "under 1000");
    shown.add_row([
        format!("µs CPU of a publication, {entries} entries"),
        spread(&cpu_us, 0),
        met,
    ]);
    record::table(&format!("{count} publications"), &shown)
}
