//! `megaboard import`: sends a file of contributions to a server.
//!
//! ```text
//! file ─► lines ─► csv | ndjson ─► batch ─╫─► delivery ─► server
//!                 (rows)                  ╫   (report, summary)
//! ```
//!
//! One thread reads, another sends: the next batch is read while one is sent, and memory is bounded by these two.
//! `delivery` decides which lines are sent again, and `report` counts and reports outcomes. Only the server validates
//! contributions.

mod args;
mod batch;
mod csv;
mod delivery;
mod dry_run;
mod lines;
mod ndjson;
mod report;
mod rows;
mod server;
mod state;
mod summary;

#[cfg(test)]
mod tests;

use std::error::Error;
use std::process::ExitCode;
use std::thread;
use std::time::Instant;

use indicatif::ProgressStyle;
use serde_json::Value;
use tokio::sync::mpsc::{self, Receiver};

pub use self::args::ImportArgs;

use self::args::Format;
use self::batch::{Batch, Batches, ReadError};
use self::csv::CsvRows;
use self::delivery::Delivery;
use self::lines::Lines;
use self::ndjson::NdjsonRows;
use self::rows::Rows;
use self::server::Server;
use self::state::StateFile;
use crate::delivery::{Halt, INTERRUPTED, Stop};
use crate::reads::Reads;
use crate::runtime::Runtime;
use crate::terminal;

/// The number of batches that are read ahead.
const BATCHES_AHEAD_MAX: usize = 1;

/// Runs the command.
pub fn run(args: &ImportArgs) -> Result<ExitCode, Box<dyn Error>> {
    let format = args
        .format()
        .unwrap_or_else(|(kind, message)| args::usage_error(kind, &message));
    let started = Instant::now();
    let progress = terminal::progress("{spinner} {bytes}, {bytes_per_sec}");
    let file = args.file.display();
    let in_file = |error: &dyn Error| format!("{file}: {error}");
    let lines = Lines::open(&args.file, &progress).map_err(|error| in_file(&error))?;
    if progress.length().is_some() {
        progress.set_style(ProgressStyle::with_template(
            "{wide_bar} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left",
        )?);
    }
    let rows = open(format, lines, args.is_final).map_err(|error| in_file(&*error))?;
    // The progress bar is hidden meanwhile.
    let say = |message: String| progress.suspend(|| terminal::report(&message));
    if args.dry_run {
        let batches = Batches::new(rows, args.from_line.unwrap_or(1));
        return dry_run::run(args, batches, started, &say);
    }
    let runtime = Runtime::start()?;
    // From here on Ctrl-C waits for the current batch. Nothing was sent before.
    let stop = runtime.block_on(async { Stop::on_signals() })?;
    let reads = Reads {
        runtime: &runtime,
        client: &args.server.client()?,
        stop: &stop,
        say: &say,
    };
    let mut state = StateFile::of(args, Server(reads)).map_err(|error| in_file(&error))?;
    let from_line = match &mut state {
        Some(state) => state.begin(args)?,
        None => args.from_line.unwrap_or(1),
    };
    let mut delivery = Delivery::new(reads);
    let batches = Batches::new(rows, from_line);
    let outcome = send_all(batches, &mut delivery, state.as_mut());
    let summary = delivery.report.summary;
    progress.finish_and_clear();
    if let Err(Halt::Failed(reason)) = &outcome {
        terminal::report(reason);
    }
    let seconds = started.elapsed().as_secs_f64();
    let mut result = serde_json::to_value(summary)?;
    result["seconds"] = seconds.into();
    let text = |_: &Value| format!("{summary}; took {seconds:.2} s");
    args.result.print(&result, text)?;
    Ok(match outcome {
        Err(Halt::Interrupted) => ExitCode::from(INTERRUPTED),
        outcome => crate::status(outcome.is_ok() && summary.is_clean()),
    })
}

/// Opens the rows of a file.
fn open(format: Format, mut lines: Lines, is_final: bool) -> Result<Box<dyn Rows>, Box<dyn Error>> {
    lines.is_final = is_final;
    Ok(match format {
        Format::Ndjson => Box::new(NdjsonRows::open(lines)?),
        Format::Csv(format) => Box::new(CsvRows::open(lines, format)?),
    })
}

/// Reads batches in another thread and sends them in this one. An error reports the line to continue from.
fn send_all(
    batches: Batches,
    delivery: &mut Delivery<'_>,
    mut state: Option<&mut StateFile<'_>>,
) -> Result<(), Halt> {
    let mut next_line = batches.from_line;
    let (sender, mut receiver) = mpsc::channel(BATCHES_AHEAD_MAX);
    let reader = thread::Builder::new()
        .name("reader".to_owned())
        .spawn(move || {
            for batch in batches {
                // The receiver is dropped when the import has ended early.
                if sender.blocking_send(batch).is_err() {
                    return;
                }
            }
        })
        .map_err(|error| delivery.report.end_before(next_line, &error.to_string()))?;
    while let Some(batch) = next_batch(delivery, &mut receiver)
        .map_err(|reason| delivery.report.end_before(next_line, &reason))?
    {
        if let Some(state) = &mut state {
            let kept = state.sending(&batch, &mut delivery.report);
            kept.map_err(|reason| delivery.report.end_before(next_line, &reason))?;
        }
        let delivered = delivery.deliver(&batch);
        next_line = batch.last_line + 1;
        if let Some(state) = &mut state {
            let report = &mut delivery.report;
            let kept = match (&delivered, report.resumption) {
                (Ok(()), _) => state.sent(&batch, report),
                (Err(_), Some(at)) => state.ended(at, &batch, report),
                (Err(_), None) => Ok(()),
            };
            kept.map_err(|reason| report.end_before(next_line, &reason))?;
        }
        delivered?;
    }
    // The channel is also closed if the reader panicked before the end of the file.
    reader.join().map_err(|_| {
        let report = &mut delivery.report;
        report.end_before(next_line, "reading the file failed; see above")
    })?;
    let kept = state.map_or(Ok(()), |state| state.completed(&mut delivery.report));
    kept.map_err(Halt::Failed)
}

/// Returns the next batch, `None` when the reader has ended, or an error if it failed or a signal was received.
fn next_batch(
    delivery: &Delivery<'_>,
    batches: &mut Receiver<Result<Batch, ReadError>>,
) -> Result<Option<Batch>, String> {
    // The reader may wait for standard input.
    let next = delivery.reads.until_stopped(batches.recv());
    let next = next.map_err(|halt| halt.to_string())?;
    next.transpose().map_err(|error| error.to_string())
}
