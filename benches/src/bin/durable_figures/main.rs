//! What the durable store costs, takes and promises, beside Redis with its log.
//!
//!     durable_figures [--rounds 3] [--seconds 3] [--members 1000000] [--folder DIR]
//!                     [--only batches|singles|snapshots] [--store embedded|memory]
//!                     [--megaboard PATH]
//!
//! Each round takes every figure once, each from servers of its own: `batches` is what a
//! contribution costs in bulk, `singles` how many come through one by one, `snapshots` what one
//! takes, what it does to writers, and how long a start from it takes. Whatever is written goes over
//! HTTP, and to Redis over its own protocol.

mod batches;
mod folder;
mod ours;
mod report;
mod singles;
mod snapshots;
mod writers;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use benches::child::beside;
use benches::process::machine;
use clap::{Parser, ValueEnum};

use report::{Report, Round};

#[derive(Parser)]
#[command(about = "What the durable store costs, takes and promises, beside Redis with its log")]
struct Args {
    /// Rounds; figures are medians over them.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// How long each server is sent single contributions a round.
    #[arg(long, default_value_t = 3)]
    seconds: u64,
    /// Members of the boards that take batches.
    #[arg(long, default_value_t = 1_000_000)]
    members: u64,
    /// Where the folders of all servers are made, on the disk that is measured; otherwise the
    /// system's for temporary files.
    #[arg(long)]
    folder: Option<PathBuf>,
    /// These figures alone.
    #[arg(long, value_enum)]
    only: Option<Figures>,
    /// The store; `memory` leaves out what a folder shows.
    #[arg(long, value_enum, default_value_t = Store::Embedded)]
    store: Store,
    /// The server; otherwise the one that was built beside this.
    #[arg(long, env = "MEGABOARD_BIN")]
    megaboard: Option<PathBuf>,
}

/// Where our server keeps its boards.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Store {
    Embedded,
    Memory,
}

/// Figures that are taken together.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Figures {
    Batches,
    Singles,
    Snapshots,
}

/// What every figure is taken with.
struct Settings {
    megaboard: PathBuf,
    folder: PathBuf,
    store: Store,
    members: u64,
    duration: Duration,
}

fn main() -> io::Result<()> {
    let args = Args::parse();
    let taken = |figures| {
        let shows = figures != Figures::Snapshots || args.store == Store::Embedded;
        shows && args.only.is_none_or(|only| only == figures)
    };
    let settings = Settings {
        megaboard: args.megaboard.map_or_else(|| beside("megaboard"), Ok)?,
        folder: args.folder.unwrap_or_else(std::env::temp_dir),
        store: args.store,
        members: args.members,
        duration: Duration::from_secs(args.seconds),
    };
    println!("{}", machine());
    println!("{}", folder::disk(&settings.folder)?);
    let mut report = Report::default();
    for round in 1..=args.rounds {
        eprintln!("round {round} of {}", args.rounds);
        report.add(Round {
            batches: taken(Figures::Batches)
                .then(|| batches::measure(&settings))
                .transpose()?,
            singles: taken(Figures::Singles)
                .then(|| singles::measure(&settings))
                .transpose()?,
            snapshots: taken(Figures::Snapshots)
                .then(|| snapshots::measure(&settings))
                .transpose()?,
        });
    }
    println!(
        "\n{} members, medians of {} rounds (least to most)\n",
        args.members, args.rounds
    );
    println!("{}", report.table());
    Ok(())
}
