//! Measures the embedded store, compared with Redis with an append-only file.
//!
//!     durable_figures [--rounds 3] [--seconds 3] [--members 1000000] [--folder DIR]
//!                     [--only batches|singles|snapshots] [--store embedded|memory]
//!                     [--megaboard PATH]
//!
//! Each round measures every figure once, on new servers: `batches` the cost of contributions in batches, `singles` the
//! rate and latency of single contributions, `snapshots` the size of a snapshot, its effect on writers, and the time to
//! start from it. Contributions are sent over HTTP, and to Redis over its own protocol.

mod batches;
mod folder;
mod ours;
mod report;
mod settings;
mod singles;
mod snapshots;
mod writers;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use benches::child::sibling;
use benches::process::machine;
use benches::record;
use clap::{Parser, ValueEnum};

use report::{Report, Round};
use settings::{Settings, Store};

#[derive(Parser)]
#[command(about = "Measures the embedded store, compared with Redis with an append-only file")]
struct Args {
    /// Number of rounds. Figures are medians over them.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// How long single contributions are sent to each server in each round, in seconds.
    #[arg(long, default_value_t = 3)]
    seconds: u64,
    /// Number of members of the boards that receive batches.
    #[arg(long, default_value_t = 1_000_000)]
    members: u64,
    /// Folder for the data of all servers, on the disk to be measured. [default: the system's temporary folder]
    #[arg(long)]
    folder: Option<PathBuf>,
    /// Measure only these figures.
    #[arg(long, value_enum)]
    only: Option<Figures>,
    /// Store of the server. With `memory`, figures that require a folder are omitted.
    #[arg(long, value_enum, default_value_t = Store::Embedded)]
    store: Store,
    /// Path of the server. [default: the one in the folder of this program]
    #[arg(long, env = "MEGABOARD_BIN")]
    megaboard: Option<PathBuf>,
}

/// A group of figures.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Figures {
    Batches,
    Singles,
    Snapshots,
}

fn main() -> io::Result<()> {
    let args = Args::parse();
    let is_selected = |figures| {
        let is_possible = figures != Figures::Snapshots || args.store == Store::Embedded;
        is_possible && args.only.is_none_or(|only| only == figures)
    };
    let settings = Settings {
        megaboard: args.megaboard.map_or_else(|| sibling("megaboard"), Ok)?,
        folder: args.folder.unwrap_or_else(std::env::temp_dir),
        store: args.store,
        members: args.members,
        duration: Duration::from_secs(args.seconds),
    };
    println!("{}", machine());
    record::note(&folder::disk(&settings.folder)?)?;
    let mut report = Report::default();
    for round in 1..=args.rounds {
        eprintln!("round {round} of {}", args.rounds);
        report.add(Round {
            batches: is_selected(Figures::Batches)
                .then(|| batches::measure(&settings))
                .transpose()?,
            singles: is_selected(Figures::Singles)
                .then(|| singles::measure(&settings))
                .transpose()?,
            snapshots: is_selected(Figures::Snapshots)
                .then(|| snapshots::measure(&settings))
                .transpose()?,
        });
    }
    let title = format!(
        "{} members, medians of {} rounds (least to most)",
        args.members, args.rounds
    );
    record::table(&title, &report.table()?)
}
