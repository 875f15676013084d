//! Counts the instructions of hot paths, and compares them with `benches/instructions.toml`.
//!
//!     instructions [--file benches/instructions.toml] [--write] [PATH]...
//!
//! Each path runs in this process under callgrind: requests over a socket to the whole service on one thread, with fixed
//! seeds and a clock of its own. Counts do not depend on what else the machine does. They do depend on the compiler,
//! whose version is in the file.

mod counting;
mod file;
mod paths;
mod service;

use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use clap::Parser;

use counting::{count, run};
use file::{Counts, compare};
use paths::{PATHS, Path};

#[derive(Parser)]
#[command(about = "Counts the instructions of hot paths, and compares them with a file")]
struct Args {
    /// File of counts.
    #[arg(long, default_value = "benches/instructions.toml")]
    file: PathBuf,
    /// Write the counts into the file instead of comparing them.
    #[arg(long)]
    write: bool,
    /// Only run this path, in this process: for callgrind.
    #[arg(long, hide = true)]
    run: Option<String>,
    /// Only these paths.
    paths: Vec<String>,
}

fn main() -> io::Result<ExitCode> {
    let args = Args::parse();
    if let Some(name) = &args.run {
        run(named(name)?);
        return Ok(ExitCode::SUCCESS);
    }
    let selected: Vec<&Path> = if args.paths.is_empty() {
        PATHS.iter().collect()
    } else {
        args.paths
            .iter()
            .map(|name| named(name))
            .collect::<Result<_, _>>()?
    };
    let counts = Counts {
        rustc: rustc_version()?,
        counts: count_all(&selected)?,
    };
    if args.write {
        counts.write(&args.file)?;
        return Ok(ExitCode::SUCCESS);
    }
    let (table, is_within) = compare(&Counts::read(&args.file)?, &counts);
    println!("{table}");
    Ok(if is_within {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn named(name: &str) -> io::Result<&'static Path> {
    let path = PATHS.iter().find(|path| path.name == name);
    path.ok_or_else(|| io::Error::other(format!("there is no path {name:?}")))
}

/// Counts all paths, as many at a time as there are cores.
fn count_all(paths: &[&Path]) -> io::Result<Vec<(String, u64)>> {
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let (next, counted) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let count = count(path);
                    let mut counted = counted.lock().expect("no thread panics with it");
                    counted.push((path.name, count));
                }
            });
        }
    });
    let counted = counted.into_inner().expect("no thread panics with it");
    let of = |path: &&Path| {
        let mut counted = counted.iter();
        let (name, count) = counted.find(|(name, _)| *name == path.name)?;
        Some((name, count))
    };
    let counts = paths
        .iter()
        .filter_map(of)
        .map(|(name, count)| match count {
            Ok(count) => Ok(((*name).to_owned(), *count)),
            Err(error) => Err(io::Error::other(error.to_string())),
        });
    counts.collect()
}

fn rustc_version() -> io::Result<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("--version").output()?;
    Ok(String::from_utf8_lossy(&version.stdout).trim().to_owned())
}
