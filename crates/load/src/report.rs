//! The report of a load: [`render`].

use std::fmt::Write as _;
use std::time::Duration;

use commands::terminal::{Cells, printable, table};

use crate::args::LoadArgs;
use crate::tally::{Counts, OperationCounts};

/// The percentiles of the report.
pub(crate) const PERCENTILES: [(&str, f64); 5] = [
    ("p50", 50.0),
    ("p90", 90.0),
    ("p99", 99.0),
    ("p99.9", 99.9),
    ("p99.99", 99.99),
];

/// The measured capacity.
pub(crate) struct Capacity {
    /// Successful requests per second.
    pub(crate) rate: f64,
    /// Requests that failed meanwhile.
    failed: u64,
    /// One of the faults.
    fault: Option<String>,
}

impl Capacity {
    pub(crate) fn new(rate: f64, counts: &Counts) -> Self {
        Self {
            rate,
            failed: counts.all().failed,
            fault: counts.faults.keys().next().cloned(),
        }
    }

    /// Returns the error of a capacity of 0.
    pub(crate) fn none(&self) -> String {
        let failures = self.failures().unwrap_or_default();
        format!("no request succeeded while the capacity was measured{failures}")
    }

    fn failures(&self) -> Option<String> {
        let fault = printable(self.fault.as_ref()?);
        Some(format!(
            "; {} requests failed meanwhile, one of them: {fault}",
            self.failed
        ))
    }
}

/// What happened in a load.
pub(crate) struct Outcome {
    pub(crate) counts: Counts,
    /// Until the last response.
    pub(crate) elapsed: Duration,
    /// Requests due per second.
    pub(crate) rate: f64,
    /// The capacity, if it was measured.
    pub(crate) capacity: Option<Capacity>,
}

/// Formats a table of operations, then contributions, streams and faults, if there are any.
pub(crate) fn render(outcome: &Outcome, args: &LoadArgs) -> String {
    let Outcome {
        counts, elapsed, ..
    } = outcome;
    let mut text = String::new();
    if let (Some(capacity), Some(percent)) = (&outcome.capacity, args.of_capacity) {
        let _ = writeln!(
            text,
            "capacity  {:.0} requests a second, {} connections; the rate is {percent} % of it{}",
            capacity.rate,
            args.connections,
            capacity.failures().unwrap_or_default()
        );
    }
    let _ = writeln!(
        text,
        "rate  {:.0} requests a second due for {}, {} rooms, latency from the time at which each was due\n",
        outcome.rate,
        humantime::format_duration(args.duration),
        args.rooms
    );
    text.push_str(&operations(counts, *elapsed));
    let it = counts.contributions;
    if it.applied + it.duplicates + it.rejected + it.undecided > 0 {
        let _ = write!(
            text,
            "\n\ncontributions  {} applied ({} a second), {} duplicates, {} rejected, {} undecided",
            it.applied,
            a_second(it.applied, *elapsed),
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
            a_second(counts.streams.boards, *elapsed),
            counts.streams.interruptions
        );
    }
    let missed = counts.all().missed;
    if missed > 0 {
        let _ = write!(
            text,
            "\nmissed  {missed} requests were due and not sent, since others had no response (at most {} at a time, \
             --outstanding); the percentiles do not have them",
            args.outstanding
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

fn operations(counts: &Counts, elapsed: Duration) -> String {
    let numbers = ["requests", "a second", "failed", "missed"].into_iter();
    let numbers = numbers
        .chain(PERCENTILES.map(|(name, _)| name))
        .chain(["max"]);
    let mut columns = vec![("operation", Cells::Text)];
    columns.extend(numbers.map(|name| (name, Cells::Numbers)));
    let all = counts.all();
    let operations = counts.operations.iter();
    let operations = operations.map(|(operation, counts)| (operation.name(), counts));
    let rows = operations.chain([("all", &all)]).map(|(name, requests)| {
        let mut row = vec![name.to_owned()];
        row.extend(cells(requests, elapsed));
        row
    });
    table(&columns, rows)
}

fn cells(requests: &OperationCounts, elapsed: Duration) -> Vec<String> {
    let latency = &requests.latency_us;
    let mut cells = vec![
        (latency.len() + requests.failed).to_string(),
        a_second(latency.len(), elapsed),
        requests.failed.to_string(),
        requests.missed.to_string(),
    ];
    let times = PERCENTILES.map(|(_, percentile)| latency.value_at_percentile(percentile));
    let times = times.into_iter().chain([latency.max()]);
    // Without successful requests, there is no latency.
    cells.extend(times.map(|us| match latency.len() {
        0 => "-".to_owned(),
        _ => milliseconds(us),
    }));
    cells
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
    use super::*;
    use crate::mix::Operation;
    use crate::tally::{Contributions, Tally};
    use crate::tests::args;

    fn outcome(tally: &Tally) -> Outcome {
        Outcome {
            counts: tally.take(),
            elapsed: Duration::from_secs(10),
            rate: 70.0,
            capacity: Some(Capacity::new(100.0, &Counts::default())),
        }
    }

    #[test]
    fn the_report_contains_all_counts() {
        let tally = Tally::default();
        for ms in 1..=100 {
            tally.succeeded(Operation::Top, Duration::from_millis(ms));
        }
        tally.missed(Operation::Top);
        tally.failed(Operation::Write, "no\u{1b}route".to_owned());
        tally.contributed(Contributions {
            applied: 40,
            duplicates: 1,
            rejected: 2,
            undecided: 20,
        });
        tally.received_board();
        tally.interrupted("gone".to_owned());
        let outcome = outcome(&tally);
        assert!(!outcome.counts.is_clean());
        let report = render(&outcome, &args(&["--of-capacity", "70"]));
        let lines: Vec<String> = report
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        for line in [
            "capacity 100 requests a second, 64 connections; the rate is 70 % of it",
            "top 100 10 0 1 50.0 ms 90.0 ms 99.0 ms 100 ms 100 ms 100 ms",
            "write 1 0 1 0 - - - - - -",
            "all 101 10 1 1 50.0 ms 90.0 ms 99.0 ms 100 ms 100 ms 100 ms",
            "contributions 40 applied (4 a second), 1 duplicates, 2 rejected, 20 undecided",
            "streams 1 boards seen (0 a second), 1 interruptions",
            "1 times gone",
            "1 times no\\u{1b}route",
        ] {
            assert!(lines.iter().any(|other| other == line), "{line}: {report}");
        }
        assert!(
            report.contains("missed  1 requests were due and not sent"),
            "{report}"
        );
    }

    #[test]
    fn faults_beyond_the_limit_are_counted() {
        let tally = Tally::default();
        for number in 0..15 {
            tally.fault(format!("fault {number}"));
        }
        let report = render(&outcome(&tally), &args(&[]));
        assert!(report.ends_with("5 times  other failures"), "{report}");
    }

    #[test]
    fn failures_while_the_capacity_was_measured_are_reported() {
        let tally = Tally::default();
        tally.failed(Operation::Top, "no\nroute".to_owned());
        let capacity = Capacity::new(0.0, &tally.take());
        let failures = "; 1 requests failed meanwhile, one of them: no\\u{a}route";
        assert!(capacity.none().ends_with(failures), "{}", capacity.none());
        let mut outcome = outcome(&tally);
        outcome.capacity = Some(capacity);
        let report = render(&outcome, &args(&["--of-capacity", "70"]));
        let first = report.lines().next().unwrap();
        assert!(first.ends_with(failures), "{report}");
    }

    #[test]
    fn a_missed_request_is_not_clean() {
        let tally = Tally::default();
        tally.succeeded(Operation::Rank, Duration::ZERO);
        assert!(outcome(&tally).counts.is_clean());
        tally.missed(Operation::Rank);
        assert!(!outcome(&tally).counts.is_clean());
    }
}
