//! Measures the cost of a contribution in the engine, compared with Redis.
//!
//!     engine_figures [--rounds 3] [--ten-million]
//!
//! Each case runs in a separate process (`ours`), so that it does not reuse memory of another case. Each round measures
//! every case once, and Redis (`peer`). CPU is that of the process, or of the Redis server, while it applies
//! contributions; generating them is not included.

mod ours;
mod peer;
mod report;

use std::io;

use benches::process::machine;
use benches::record;
use clap::{Parser, Subcommand};

use ours::Case;
use report::Report;

#[derive(Parser)]
#[command(about = "Measures the cost of a contribution in the engine, compared with Redis")]
struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// Number of rounds. Figures are medians over them.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Also measure ten million members, which takes about 6 GiB of memory and several minutes per round.
    #[arg(long)]
    ten_million: bool,
    /// Number of rounds with ten million members.
    #[arg(long, default_value_t = 1)]
    ten_million_rounds: usize,
    /// Number of members.
    #[arg(long, default_value_t = 1_000_000)]
    members: u64,
}

#[derive(Subcommand)]
enum Command {
    /// Measure one case in this process. Each round runs this command for each case.
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
    let title =
        format!("{members} members, one window, medians of {rounds} rounds (least to most)");
    record::table(&title, &report.table(cpu_us_max)?)
}
