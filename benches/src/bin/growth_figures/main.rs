//! Measures how the cost of reads and writes grows, compared with sorted sets of Redis and Valkey.
//!
//!     growth_figures [--only members|shards|boards|connections] [--members 10000,100000,1000000,10000000]
//!                    [--hundred-million] [--quick] [--valkey PATH] [--megaboard PATH]
//!
//! `members` grows one board, `shards` cuts a board of a million members into more shards, `boards` makes more boards
//! of ten members, `connections` reads one cached top over more connections. Every figure of Megaboard has that of a
//! sorted set with the same members in the same run.

mod boards;
mod connections;
mod cost;
mod members;
mod ours;
mod peers;
mod shards;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use benches::child::sibling;
use benches::process::machine;
use clap::{Parser, ValueEnum};

#[derive(Parser)]
#[command(about = "Measures how costs grow with members, shards, boards and connections")]
struct Args {
    /// Measure only these figures.
    #[arg(long, value_enum)]
    only: Option<Figures>,
    /// Numbers of members of one board.
    #[arg(long, value_delimiter = ',', default_values_t = [10_000, 100_000, 1_000_000, 10_000_000])]
    members: Vec<u64>,
    /// Also a hundred million members, which takes about 12 GiB of memory, as much for Redis, and half an hour.
    #[arg(long)]
    hundred_million: bool,
    /// Numbers of shards.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 4, 16, 64])]
    shards: Vec<u64>,
    /// Numbers of boards of ten members.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 100, 10_000, 1_000_000])]
    boards: Vec<u64>,
    /// Numbers of connections.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 10, 100, 1_000, 10_000])]
    connections: Vec<usize>,
    /// Number of rounds. Figures of shards and connections are medians over them.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// How long each server is measured in each round, in seconds.
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    /// Small numbers and short rounds, to try the program. The figures mean nothing.
    #[arg(long)]
    quick: bool,
    /// Path of a Valkey server. Without it, Valkey is not measured.
    #[arg(long, env = "MEGABOARD_BENCH_VALKEY")]
    valkey: Option<String>,
    /// Path of the server. [default: the one in the folder of this program]
    #[arg(long, env = "MEGABOARD_BIN")]
    megaboard: Option<PathBuf>,
}

/// A group of figures.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Figures {
    Members,
    Shards,
    Boards,
    Connections,
}

/// The settings of all figures.
pub(crate) struct Settings {
    pub(crate) megaboard: PathBuf,
    pub(crate) valkey: Option<String>,
    pub(crate) rounds: usize,
    pub(crate) duration: Duration,
    /// The number of members where it does not grow.
    pub(crate) members: u64,
}

fn main() -> io::Result<()> {
    let mut args = Args::parse();
    if args.hundred_million {
        args.members.push(100_000_000);
    }
    let mut members = 1_000_000;
    if args.quick {
        members = 2_000;
        args.members = vec![1_000, 10_000];
        args.boards = vec![1, 100];
        args.connections = vec![1, 10, 100];
        (args.rounds, args.seconds) = (1, 0.1);
    }
    let settings = Settings {
        megaboard: args.megaboard.map_or_else(|| sibling("megaboard"), Ok)?,
        valkey: args.valkey.filter(|path| !path.is_empty()),
        rounds: args.rounds,
        duration: Duration::from_secs_f64(args.seconds),
        members,
    };
    println!("{}", machine());
    let is_selected = |figures| args.only.is_none_or(|only| only == figures);
    if is_selected(Figures::Shards) {
        shards::measure(&settings, &args.shards)?;
    }
    if is_selected(Figures::Members) {
        members::measure(&settings, &args.members)?;
    }
    if is_selected(Figures::Boards) {
        boards::measure(&settings, &args.boards)?;
    }
    if is_selected(Figures::Connections) {
        connections::measure(&settings, &args.connections)?;
    }
    Ok(())
}
