//! Measures the cost of boards on Redis, for Redis, compared with plain sorted sets.
//!
//!     redis_figures [--rounds 9] [--members 1000000] [--only writes|spread|reads|lookups]
//!                   [--cases one,best] [--megaboard PATH]
//!
//! `writes` is the cost of a contribution, and the memory of a member; `spread` the rate over three servers; `reads`
//! the cost of a cached top and of a merge; `lookups` that of a member's rank and of a deep page. All boards are kept,
//! and short rounds measure them in turn. CPU is that of the Redis servers only; `durable_figures` measures that of
//! Megaboard.

mod board;
mod lookups;
mod peer;
mod reads;
mod report;
mod served;
mod settings;
mod spread;
mod writes;

use std::io;
use std::path::PathBuf;

use benches::child::sibling;
use benches::process::machine;
use clap::{Parser, ValueEnum};

use board::Case;
use settings::Settings;

#[derive(Parser)]
#[command(
    about = "Measures the cost of boards on Redis, for Redis, compared with plain sorted sets"
)]
struct Args {
    /// Number of rounds. Figures are medians over them.
    #[arg(long, default_value_t = 9)]
    rounds: usize,
    /// Number of members of the boards for writes and lookups.
    #[arg(long, default_value_t = 1_000_000)]
    members: u64,
    /// Measure only these figures.
    #[arg(long, value_enum)]
    only: Option<Figures>,
    /// Boards for writes, separated by commas. [default: all]
    #[arg(long, value_enum, value_delimiter = ',')]
    cases: Vec<Case>,
    /// Path of the server. [default: the one in the folder of this program]
    #[arg(long, env = "MEGABOARD_BIN")]
    megaboard: Option<PathBuf>,
}

/// A group of figures.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Figures {
    Writes,
    Spread,
    Reads,
    Lookups,
}

fn main() -> io::Result<()> {
    let args = Args::parse();
    let settings = Settings {
        megaboard: args.megaboard.map_or_else(|| sibling("megaboard"), Ok)?,
        members: args.members,
        rounds: args.rounds,
        cases: if args.cases.is_empty() {
            Case::value_variants().to_vec()
        } else {
            args.cases
        },
    };
    // The store's connections run on this runtime; `block_on` of `futures` drives the store on this thread.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    let _entered = runtime.enter();
    println!("{}", machine());
    let is_selected = |figures| args.only.is_none_or(|only| only == figures);
    if is_selected(Figures::Writes) {
        report::writes(&writes::measure(&settings)?, &settings)?;
    }
    if is_selected(Figures::Spread) {
        report::spread(&spread::measure(&settings)?, &settings)?;
    }
    if is_selected(Figures::Reads) {
        report::reads(&reads::measure(&settings)?, &settings)?;
    }
    if is_selected(Figures::Lookups) {
        report::lookups(&lookups::measure(&settings)?, &settings)?;
    }
    Ok(())
}
