//! `megaboard adopt`: copies a sorted set of a Redis server to a board, while it may change.
//!
//! ```text
//! Redis ─► source ─► page ─╫─► standing ─► batch ─╫─► sending ─► server
//!          (by cursor)     ╫   (decoded)          ╫   (retries)
//! ```
//!
//! The next page is requested while one is decoded, and batches are sent while others are filled; memory is bounded by
//! these. Before, `fit` and `suspects` check the encoding; at the end, `check` compares the best entries of the board
//! with those of the source. The crate `encodings` decodes scores; the server validates contributions.

mod adoption;
mod args;
mod check;
mod fit;
mod page;
mod report;
mod sending;
mod source;
mod standing;
mod suspects;
mod target;

use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

use serde_json::Value;

pub use self::args::AdoptArgs;

use self::adoption::Adoption;
use crate::delivery::Stop;
use crate::reads::Reads;
use crate::runtime::Runtime;
use crate::terminal;

/// Runs the command.
pub fn run(args: &AdoptArgs) -> Result<ExitCode, Box<dyn Error>> {
    let started = Instant::now();
    let progress =
        terminal::progress("{wide_bar} {human_pos} of {human_len}, {per_sec}, {eta} left");
    let say = |message: String| progress.suspend(|| terminal::report(&message));
    let runtime = Runtime::start()?;
    let reads = Reads {
        runtime: &runtime,
        client: &args.server.client()?,
        stop: &runtime.block_on(async { Stop::on_signals() })?,
        say: &say,
    };
    let adoption = Adoption::prepare(args, reads, &progress);
    let outcome = adoption.and_then(|it| it.run());
    progress.finish_and_clear();
    let report = outcome?;
    for line in report.warnings.iter().chain(&report.differences) {
        say(line.clone());
    }
    let seconds = started.elapsed().as_secs_f64();
    let text = |_: &Value| report.summary(seconds);
    args.result.print(&report.json(seconds), text)?;
    Ok(crate::status(report.is_clean()))
}
