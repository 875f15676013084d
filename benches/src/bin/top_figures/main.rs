//! What the top of a board costs a reader, beside Redis and beside a bare axum handler.
//!
//!     top_figures [--rounds 5] [--seconds 3] [--megaboard PATH]
//!
//! 100,000 members, 64 connections, nothing pipelined: `GET .../top?n=100` of a `megaboard serve`,
//! `ZREVRANGE 0 99 WITHSCORES` of the same members in Redis, and the same bytes from `bare_axum`.
//! Each round asks them in turn. The client shares the machine with the server, the same for all.

mod report;
mod stage;
mod writes;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use benches::process::machine;
use clap::Parser;

use report::Report;
use stage::Stage;

#[derive(Parser)]
#[command(about = "What the top of a board costs a reader, beside Redis and bare axum")]
struct Args {
    /// Rounds; figures are medians over them.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// How long each server is asked a round.
    #[arg(long, default_value_t = 3)]
    seconds: u64,
    /// Connections.
    #[arg(long, default_value_t = 64)]
    connections: usize,
    /// The server; otherwise the one that was built beside this.
    #[arg(long, env = "MEGABOARD_BIN")]
    megaboard: Option<PathBuf>,
}

fn main() -> io::Result<()> {
    let args = Args::parse();
    println!("{}", machine());
    let mut stage = Stage::set(args.megaboard.as_deref())?;
    let duration = Duration::from_secs(args.seconds);
    let mut report = Report::default();
    for round in 1..=args.rounds {
        eprintln!("round {round} of {}", args.rounds);
        report.add(stage.round(args.connections, duration)?);
    }
    println!(
        "\n{} members, {} connections, medians of {} rounds (least to most)\n",
        stage::MEMBERS,
        args.connections,
        args.rounds
    );
    println!("{}", report.table());
    Ok(())
}
