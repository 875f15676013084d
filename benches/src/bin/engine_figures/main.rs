//! What a contribution costs the engine, beside what it costs Redis.
//!
//!     engine_figures [--rounds 3] [--ten-million]
//!
//! Each case is a process of its own (`ours`), so that no case finds memory that another has left
//! behind; each round takes every case once and Redis (`peer`) in between. CPU is that of the
//! process, or of the Redis server, over what it applied; making the contributions is not in it.

mod ours;
mod peer;
mod report;

use std::io;

use benches::process::machine;
use clap::{Parser, Subcommand};

use ours::Case;
use report::Report;

#[derive(Parser)]
#[command(about = "What a contribution costs the engine, beside what it costs Redis")]
struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// Rounds; figures are medians over them.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// With ten million members, too: takes some 6 GiB of memory and minutes a round.
    #[arg(long)]
    ten_million: bool,
    /// Rounds of ten million members.
    #[arg(long, default_value_t = 1)]
    ten_million_rounds: usize,
    /// Members, in place of a million.
    #[arg(long, default_value_t = 1_000_000)]
    members: u64,
}

#[derive(Subcommand)]
enum Command {
    /// One case of ours, in this process: what a round starts.
    Case(Case),
}

fn main() -> io::Result<()> {
    let args = Args::parse();
    if let Some(Command::Case(case)) = args.command {
        return ours::measure(&case);
    }
    println!("{}", machine());
    run(args.members, args.rounds, 1.2)?;
    if args.ten_million {
        run(10 * args.members, args.ten_million_rounds, 2.5)?;
    }
    Ok(())
}

fn run(members: u64, rounds: usize, cpu_us_max: f64) -> io::Result<()> {
    let mut report = Report::default();
    for round in 1..=rounds {
        eprintln!("{members} members, round {round} of {rounds}");
        for case in Case::all(members) {
            report.add_ours(&case, ours::in_child(&case)?);
        }
        report.add_peer(peer::measure(members)?);
    }
    println!("\n{members} members, one window, medians of {rounds} rounds (least to most)\n");
    println!("{}", report.table(cpu_us_max));
    Ok(())
}
