//! Measures the cost of reading the top of a board, compared with Redis and with servers of fixed bytes.
//!
//!     top_figures [--rounds 5] [--seconds 3] [--megaboard PATH]
//!
//! The board has 100,000 members. Over 64 connections without pipelining, each round reads `GET .../top?n=100` of
//! `megaboard serve`, `ZREVRANGE 0 99 WITHSCORES` of the same members in Redis, and the same bytes from `bare_axum`
//! and `bare_http`, in turn. Client and server share the machine.

mod board;
mod report;
mod stage;
mod writes;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use benches::process::machine;
use benches::record;
use clap::Parser;

use report::Report;
use stage::Stage;

#[derive(Parser)]
#[command(
    about = "Measures the cost of reading a top, compared with Redis and servers of fixed bytes"
)]
struct Args {
    /// Number of rounds. Figures are medians over them.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// How long requests are sent to each server in each round, in seconds.
    #[arg(long, default_value_t = 3)]
    seconds: u64,
    /// Number of connections.
    #[arg(long, default_value_t = 64)]
    connections: usize,
    /// Path of the server. [default: the one in the folder of this program]
    #[arg(long, env = "MEGABOARD_BIN")]
    megaboard: Option<PathBuf>,
}

fn main() -> io::Result<()> {
    let args = Args::parse();
    println!("{}", machine());
    let mut stage = Stage::start(args.megaboard.as_deref())?;
    let duration = Duration::from_secs(args.seconds);
    let mut report = Report::default();
    for round in 1..=args.rounds {
        eprintln!("round {round} of {}", args.rounds);
        report.add(stage.round(args.connections, duration)?);
    }
    let title = format!(
        "{} members, {} connections, medians of {} rounds (least to most)",
        board::MEMBERS,
        args.connections,
        args.rounds
    );
    record::table(&title, &report.table()?)
}
