//! The report of a load: [`render`].

use std::fmt::Write as _;
use std::time::Duration;

use comfy_table::{Cell, CellAlignment, Table, presets};

use super::tally::{Counts, OperationCounts};
use crate::terminal::printable;

const PERCENTILES: [(&str, f64); 4] =
    [("p50", 50.0), ("p90", 90.0), ("p99", 99.0), ("p99.9", 99.9)];

/// Formats a table of operations, then contributions, streams and faults, if there are any. `unsent` is the number of
/// requests that were due and not sent in time.
pub(super) fn render(counts: &Counts, elapsed: Duration, unsent: u64) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let mut header = vec![Cell::new("operation")];
    header.extend(["requests", "a second", "failed"].map(right));
    header.extend(PERCENTILES.map(|(name, _)| right(name)));
    header.push(right("max"));
    table.set_header(header);
    for (operation, requests) in &counts.operations {
        let mut row = vec![Cell::new(operation.name())];
        row.extend(cells(requests, elapsed).map(|text| right(&text)));
        table.add_row(row);
    }
    let mut text = table.trim_fmt();
    let it = counts.contributions;
    if it.applied + it.duplicates + it.rejected + it.undecided > 0 {
        let _ = write!(
            text,
            "\n\ncontributions  {} applied ({} a second), {} duplicates, {} rejected, {} undecided",
            it.applied,
            a_second(it.applied, elapsed),
            it.duplicates,
            it.rejected,
            it.undecided
        );
    }
    if counts.streams.boards + counts.streams.interruptions > 0 {
        let _ = write!(
            text,
            "\nstreams  {} boards seen ({} a second), {} interruptions",
            counts.streams.boards,
            a_second(counts.streams.boards, elapsed),
            counts.streams.interruptions
        );
    }
    if unsent > 0 {
        let _ = write!(
            text,
            "\nbehind  {unsent} requests were due and not sent: the server, or --concurrency, does not allow this rate"
        );
    }
    for (fault, count) in &counts.faults {
        let _ = write!(text, "\n{count} times  {}", printable(fault));
    }
    if counts.other_faults > 0 {
        let _ = write!(text, "\n{} times  other failures", counts.other_faults);
    }
    text
}

fn right(text: &str) -> Cell {
    Cell::new(text).set_alignment(CellAlignment::Right)
}

fn cells(requests: &OperationCounts, elapsed: Duration) -> impl Iterator<Item = String> + use<> {
    let latency = &requests.latency_us;
    let mut cells = vec![
        (latency.len() + requests.failed).to_string(),
        a_second(latency.len(), elapsed),
        requests.failed.to_string(),
    ];
    let times = PERCENTILES.map(|(_, percentile)| latency.value_at_percentile(percentile));
    let times = times.into_iter().chain([latency.max()]);
    // Without successful requests, there is no latency.
    cells.extend(times.map(|us| match latency.len() {
        0 => "-".to_owned(),
        _ => milliseconds(us),
    }));
    cells.into_iter()
}

/// Formats about three significant digits.
#[expect(clippy::cast_precision_loss)]
fn milliseconds(us: u64) -> String {
    let ms = us as f64 / 1_000.0;
    match us {
        0..10_000 => format!("{ms:.2} ms"),
        10_000..100_000 => format!("{ms:.1} ms"),
        _ => format!("{ms:.0} ms"),
    }
}

#[expect(clippy::cast_precision_loss)]
fn a_second(count: u64, elapsed: Duration) -> String {
    format!("{:.0}", count as f64 / elapsed.as_secs_f64().max(0.001))
}

#[cfg(test)]
mod tests {
    use super::super::tally::{Contributions, Operation, Tally};
    use super::*;

    #[test]
    fn the_report_contains_all_counts() {
        let tally = Tally::default();
        for ms in 1..=100 {
            tally.succeeded(Operation::Top, Duration::from_millis(ms));
        }
        tally.failed(Operation::Contribute, "no\u{1b}route".to_owned());
        tally.contributed(Contributions {
            applied: 40,
            duplicates: 1,
            rejected: 2,
            undecided: 20,
        });
        tally.received_board();
        tally.interrupted("gone".to_owned());
        let counts = tally.take();
        assert!(!counts.is_clean());
        let report = render(&counts, Duration::from_secs(10), 7);
        let lines: Vec<Vec<&str>> = report
            .lines()
            .map(|it| it.split_whitespace().collect())
            .collect();
        assert_eq!(
            lines[1],
            "contribute 1 0 1 - - - - -".split(' ').collect::<Vec<_>>()
        );
        let top = "top 100 10 0 50.0 ms 90.0 ms 99.0 ms 100 ms 100 ms";
        assert_eq!(lines[2].join(" "), top);
        for part in [
            "40 applied (4 a second), 1 duplicates, 2 rejected, 20 undecided",
            "1 boards seen (0 a second), 1 interruptions",
            "7 requests were due and not sent",
            "1 times  gone",
            "1 times  no\\u{1b}route",
        ] {
            assert!(report.contains(part), "{part}: {report}");
        }
    }

    #[test]
    fn faults_beyond_the_limit_are_counted() {
        let tally = Tally::default();
        for number in 0..15 {
            tally.fault(format!("fault {number}"));
        }
        let counts = tally.take();
        assert!(render(&counts, Duration::from_secs(1), 0).ends_with("5 times  other failures"));
    }
}
