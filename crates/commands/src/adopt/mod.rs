//! `megaboard adopt`: copies a sorted set of a Redis server to a board, while it may change.
//!
//! ```text
//! Redis ─► source ─► page ─╫─► standing ─► batch ─╫─► sending ─► server
//!          (by cursor)     ╫   (decoded)          ╫   (retries)
//! ```
//!
//! The next page is requested while one is decoded, and batches are sent while others are filled; memory is bounded by
//! these. Before, `fit` and `suspects` check the encoding; at the end, `check` compares the best entries of the board with those of
//! the source. The crate `encodings` decodes scores; the server validates contributions.

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
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use indicatif::style::{ProgressStyle, TemplateError};
use serde_json::Value;

pub use self::args::AdoptArgs;

use self::adoption::Adoption;
use crate::delivery::{Halt, INTERRUPTED, Stop};
use crate::runtime::Runtime;
use crate::terminal;

const PROGRESS_SHOWN_EVERY: Duration = Duration::from_millis(200);

/// Runs the command.
pub fn run(args: &AdoptArgs) -> Result<ExitCode, Box<dyn Error>> {
    let started = Instant::now();
    let stop = Stop::on_signals()?;
    let progress = ProgressBar::no_length();
    progress.set_style(style()?);
    progress.enable_steady_tick(PROGRESS_SHOWN_EVERY);
    let say = |message: String| progress.suspend(|| terminal::report(&message));
    let runtime = Runtime::start()?;
    let client = args.server.client()?;
    let adoption = Adoption::prepare(args, &runtime, &client, &stop, &progress, &say);
    let outcome = adoption.and_then(|it| it.run());
    progress.finish_and_clear();
    let report = match outcome {
        Ok(report) => report,
        Err(Halt::Interrupted) => return Ok(ExitCode::from(INTERRUPTED)),
        Err(Halt::Failed(reason)) => return Err(reason.into()),
    };
    for line in report.warnings.iter().chain(&report.differences) {
        say(line.clone());
    }
    let seconds = started.elapsed().as_secs_f64();
    let text = |_: &Value| report.summary(seconds);
    args.result.print(&report.json(seconds), text)?;
    Ok(if report.is_clean() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Returns the style of the progress bar, which is hidden if standard error is not a terminal.
fn style() -> Result<ProgressStyle, TemplateError> {
    ProgressStyle::with_template("{wide_bar} {human_pos} of {human_len}, {per_sec}, {eta} left")
}
