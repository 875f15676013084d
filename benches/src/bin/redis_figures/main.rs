//! What boards on Redis cost Redis, beside the plain commands that keep a board without ties by
//! time, windows, ids or shards.
//!
//!     redis_figures [--rounds 9] [--members 1000000] [--only writes|spread|reads]
//!                   [--megaboard PATH]
//!
//! `writes` is what a contribution costs Redis, and a member takes there; `spread` how many come
//! through over three servers; `reads` what a cached top and a merge cost. All boards stay loaded, and short rounds
//! take them in turn. CPU is that of the Redis servers alone: ours goes with `durable_figures`.

mod board;
mod peer;
mod reads;
mod report;
mod served;
mod spread;
mod writes;

use std::io;
use std::path::PathBuf;

use benches::child::beside;
use benches::process::machine;
use clap::{Parser, ValueEnum};

#[derive(Parser)]
#[command(about = "What boards on Redis cost Redis, beside its plain commands")]
struct Args {
    /// Rounds; figures are medians over them.
    #[arg(long, default_value_t = 9)]
    rounds: usize,
    /// Members of the boards that are written to.
    #[arg(long, default_value_t = 1_000_000)]
    members: u64,
    /// These figures alone.
    #[arg(long, value_enum)]
    only: Option<Figures>,
    /// The server; otherwise the one that was built beside this.
    #[arg(long, env = "MEGABOARD_BIN")]
    megaboard: Option<PathBuf>,
}

/// Figures that are taken together.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Figures {
    Writes,
    Spread,
    Reads,
}

/// What every figure is taken with.
struct Settings {
    megaboard: PathBuf,
    members: u64,
    rounds: usize,
}

fn main() -> io::Result<()> {
    let args = Args::parse();
    let settings = Settings {
        megaboard: args.megaboard.map_or_else(|| beside("megaboard"), Ok)?,
        members: args.members,
        rounds: args.rounds,
    };
    // The store's connections live on it; what drives the store waits outside.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    let _entered = runtime.enter();
    println!("{}", machine());
    let taken = |figures| args.only.is_none_or(|only| only == figures);
    if taken(Figures::Writes) {
        println!(
            "{}",
            report::writes(&writes::measure(&settings)?, &settings)
        );
    }
    if taken(Figures::Spread) {
        println!(
            "{}",
            report::spread(&spread::measure(&settings)?, &settings)
        );
    }
    if taken(Figures::Reads) {
        println!("{}", report::reads(&reads::measure(&settings)?, &settings));
    }
    Ok(())
}
