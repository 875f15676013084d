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
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use indicatif::style::{ProgressStyle, TemplateError};

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
use self::summary::ImportResult;
use crate::delivery::{Halt, INTERRUPTED, NOTICED_WITHIN, Stop};
use crate::runtime::Runtime;
use crate::terminal;

/// The number of batches that are read ahead.
const BATCHES_AHEAD_MAX: usize = 1;
const PROGRESS_SHOWN_EVERY: Duration = Duration::from_millis(200);

/// Runs the command.
pub fn run(args: &ImportArgs) -> Result<ExitCode, Box<dyn Error>> {
    let format = args
        .format()
        .unwrap_or_else(|(kind, message)| args::usage_error(kind, &message));
    let started = Instant::now();
    let progress = progress_bar();
    let file = args.file.display();
    let in_file = |error: &dyn Error| format!("{file}: {error}");
    let lines = Lines::open(&args.file, &progress).map_err(|error| in_file(&error))?;
    progress.set_style(style(&progress)?);
    let rows = open(format, lines, args.is_final).map_err(|error| in_file(&*error))?;
    let mut say = |message: String| {
        // The progress bar is hidden meanwhile.
        progress.suspend(|| terminal::report(&message));
    };
    if args.dry_run {
        let batches = Batches::new(rows, args.from_line.unwrap_or(1));
        return dry_run::run(args, batches, started, &mut say);
    }
    // From here on Ctrl-C waits for the current batch. Nothing was sent before.
    let stop = Stop::on_signals()?;
    let client = args.server.client()?;
    let runtime = Runtime::start()?;
    let server = Server {
        runtime: &runtime,
        client: client.clone(),
        stop: &stop,
    };
    let mut state = StateFile::of(args, server).map_err(|error| in_file(&error))?;
    let from_line = match &mut state {
        Some(state) => state.begin(args, &mut say),
        None => Ok(args.from_line.unwrap_or(1)),
    };
    let from_line = match from_line {
        Ok(from_line) => from_line,
        Err(Halt::Interrupted) => return Ok(ExitCode::from(INTERRUPTED)),
        Err(Halt::Failed(reason)) => return Err(reason.into()),
    };
    let mut delivery = Delivery::new(&runtime, &client, &stop, &mut say);
    let batches = Batches::new(rows, from_line);
    let outcome = send_all(batches, &mut delivery, &stop, state.as_mut());
    let summary = delivery.report.summary;
    progress.finish_and_clear();
    if let Err(Halt::Failed(reason)) = &outcome {
        terminal::report(reason);
    }
    let result = ImportResult {
        summary,
        seconds: started.elapsed().as_secs_f64(),
    };
    args.result.print(&result, ImportResult::text)?;
    Ok(match outcome {
        Err(Halt::Interrupted) => ExitCode::from(INTERRUPTED),
        Ok(()) if summary.is_clean() => ExitCode::SUCCESS,
        Ok(()) | Err(Halt::Failed(_)) => ExitCode::FAILURE,
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
    stop: &Stop,
    mut state: Option<&mut StateFile<'_>>,
) -> Result<(), Halt> {
    let mut next_line = batches.from_line;
    let (sender, receiver) = mpsc::sync_channel(BATCHES_AHEAD_MAX);
    let reader = thread::Builder::new()
        .name("reader".to_owned())
        .spawn(move || {
            for batch in batches {
                // The receiver is dropped when the import has ended early.
                if sender.send(batch).is_err() {
                    return;
                }
            }
        })
        .map_err(|error| delivery.report.end_before(next_line, &error.to_string()))?;
    while let Some(batch) = next_batch(&receiver, stop)
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
    batches: &Receiver<Result<Batch, ReadError>>,
    stop: &Stop,
) -> Result<Option<Batch>, String> {
    // The reader may wait for standard input, so that signals must be checked meanwhile.
    while !stop.requested() {
        match batches.recv_timeout(NOTICED_WITHIN) {
            Ok(batch) => return batch.map(Some).map_err(|error| error.to_string()),
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
    Err(Halt::Interrupted.to_string())
}

/// Returns a progress bar of the bytes read, hidden if standard error is not a terminal.
fn progress_bar() -> ProgressBar {
    let bar = ProgressBar::no_length();
    bar.enable_steady_tick(PROGRESS_SHOWN_EVERY);
    bar
}

fn style(bar: &ProgressBar) -> Result<ProgressStyle, TemplateError> {
    ProgressStyle::with_template(match bar.length() {
        Some(_) => "{wide_bar} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left",
        None => "{spinner} {bytes}, {bytes_per_sec}",
    })
}
