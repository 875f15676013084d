//! `--dry-run`: reads the whole file as an import does, and sends nothing.

use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

use serde_json::json;

use super::args::ImportArgs;
use super::batch::Batches;
use super::report::Report;
use super::summary::Summary;
use crate::delivery::Stop;

/// The number of contributions that are shown.
const EXAMPLES_MAX: usize = 3;

/// Reads all batches, reports the rows that would not be sent, and shows the first that would.
pub(super) fn run(
    args: &ImportArgs,
    batches: Batches,
    started: Instant,
    say: &(dyn Fn(String) + Sync),
) -> Result<ExitCode, Box<dyn Error>> {
    // Signals end the process: nothing is under way.
    let stop = Stop::default();
    let mut report = Report::new(&stop, say);
    let mut would_send = 0;
    for batch in batches {
        let batch = batch?;
        let examples = EXAMPLES_MAX
            .saturating_sub(would_send)
            .min(batch.outgoing.len());
        for (index, line) in batch.outgoing[..examples].iter().enumerate() {
            let contribution = String::from_utf8_lossy(batch.lines.line(index));
            (report.say)(format!("line {line}: {}", contribution.trim_end()));
        }
        would_send += batch.outgoing.len();
        report.unsent(&batch);
    }
    let summary = report.summary;
    let Summary {
        skipped,
        unreadable,
        unfinished,
        ..
    } = summary;
    let seconds = started.elapsed().as_secs_f64();
    let result = json!({
        "would_send": would_send, "skipped": skipped, "unreadable": unreadable, "unfinished": unfinished,
        "seconds": seconds,
    });
    args.result.print(&result, |_| {
        format!(
            "nothing was sent: {would_send} contributions would be, skipped {skipped}, not readable {unreadable}, \
             unfinished {unfinished}; took {seconds:.2} s"
        )
    })?;
    Ok(crate::status(summary.is_clean()))
}
