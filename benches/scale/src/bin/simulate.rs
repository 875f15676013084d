//! Computes the tables of `docs/scale.md` from `benches/unit-costs.toml`.
//!
//!     simulate [--units benches/unit-costs.toml] [--document docs/scale.md] [--write]
//!
//! Prints them, and says whether the document has them. With `--write` it puts them there. The simulation is seeded, and
//! neither reads a clock: the same file gives the same tables on every machine.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use scale::document::with_blocks;
use scale::tables::compute;
use scale::units::UnitCosts;

#[derive(Parser)]
#[command(about = "Computes the tables of docs/scale.md from measured unit costs")]
struct Args {
    /// The measured unit costs.
    #[arg(long, default_value = "benches/unit-costs.toml")]
    units: PathBuf,
    /// The document.
    #[arg(long, default_value = "docs/scale.md")]
    document: PathBuf,
    /// Write the tables into the document.
    #[arg(long)]
    write: bool,
}

fn main() -> io::Result<ExitCode> {
    let args = Args::parse();
    let (blocks, _) = compute(&UnitCosts::read(&args.units)?);
    for block in &blocks {
        println!("{}\n\n{}", block.name, block.text);
    }
    let document = std::fs::read_to_string(&args.document)?;
    let text = with_blocks(&document, &blocks).map_err(io::Error::other)?;
    if args.write {
        std::fs::write(&args.document, text)?;
    } else if text != document {
        let document = args.document.display();
        eprintln!("{document} has other tables: benches/run simulate --write");
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}
