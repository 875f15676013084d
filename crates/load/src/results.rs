//! The results of a load as files: [`write()`].

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use hdrhistogram::Histogram;
use serde_json::{Map, Value, json};

use crate::args::LoadArgs;
use crate::report::{Outcome, PERCENTILES};
use crate::tally::OperationCounts;

/// Values per halving of the distance to 100 %, as HDR plotters have them.
const TICKS_PER_HALVING: u32 = 5;

/// Creates the folder of the results, before the load: its figures would be lost if it could not be written.
pub(crate) fn create(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))
}

/// Writes `load.json`, and a `.hgrm` of each operation and of all, into a folder that exists.
pub(crate) fn write(folder: &Path, outcome: &Outcome, args: &LoadArgs) -> io::Result<()> {
    let all = outcome.counts.all();
    let named = named(outcome, &all);
    for (name, counts) in &named {
        let path = folder.join(format!("{name}.hgrm"));
        fs::write(path, hgrm(&counts.latency_us))?;
    }
    fs::write(
        folder.join("load.json"),
        format!("{:#}\n", json(outcome, args)),
    )
}

/// Returns all counts as JSON.
pub(crate) fn json(outcome: &Outcome, args: &LoadArgs) -> Value {
    let all = outcome.counts.all();
    let named = named(outcome, &all);
    let contributions = outcome.counts.contributions;
    json!({
        "rate": outcome.rate,
        "capacity": outcome.capacity.as_ref().map(|capacity| capacity.rate),
        "seconds": outcome.elapsed.as_secs_f64(),
        "rooms": args.rooms,
        "members": args.members,
        "connections": args.connections,
        "outstanding": args.outstanding,
        "mix": args.mix.to_string(),
        "operations": named.iter().map(|(name, counts)| summary(name, counts)).collect::<Vec<_>>(),
        "contributions": {
            "applied": contributions.applied,
            "duplicates": contributions.duplicates,
            "rejected": contributions.rejected,
            "undecided": contributions.undecided,
        },
    })
}

/// Returns the operations and all of them together, by name.
fn named<'a>(
    outcome: &'a Outcome,
    all: &'a OperationCounts,
) -> Vec<(&'static str, &'a OperationCounts)> {
    let operations = outcome.counts.operations.iter();
    let operations = operations.map(|(operation, counts)| (operation.name(), counts));
    operations.chain([("all", all)]).collect()
}

fn summary(name: &str, counts: &OperationCounts) -> Value {
    let latency = &counts.latency_us;
    let times =
        PERCENTILES.map(|(name, percentile)| (name, latency.value_at_percentile(percentile)));
    let times = times.into_iter().chain([("max", latency.max())]);
    let times: Map<String, Value> = times
        .map(|(name, us)| (name.to_owned(), Value::from(us)))
        .collect();
    json!({
        "operation": name,
        "requests": latency.len() + counts.failed,
        "failed": counts.failed,
        "missed": counts.missed,
        "latency_us": times,
    })
}

/// Formats a percentile distribution in milliseconds, in the text format of HDR plotters.
fn hgrm(latency_us: &Histogram<u64>) -> String {
    let mut text = "       Value     Percentile TotalCount 1/(1-Percentile)\n\n".to_owned();
    let mut count = 0;
    for it in latency_us.iter_quantiles(TICKS_PER_HALVING) {
        let (value, part) = (ms(it.value_iterated_to()), it.quantile_iterated_to());
        count += it.count_since_last_iteration();
        let _ = write!(text, "{value:12.3} {part:14.12} {count:10}");
        if part < 1.0 {
            let _ = write!(text, " {:14.2}", (1.0 - part).recip());
        }
        text.push('\n');
    }
    let _ = writeln!(
        text,
        "#[Mean    = {:12.3}, StdDeviation   = {:12.3}]\n#[Max     = {:12.3}, Total count    = {:12}]\n\
         #[Buckets = {:12}, SubBuckets     = {:12}]",
        latency_us.mean() / 1_000.0,
        latency_us.stdev() / 1_000.0,
        ms(latency_us.max()),
        latency_us.len(),
        latency_us.buckets(),
        (2 * 10_u32.pow(latency_us.sigfig().into())).next_power_of_two(),
    );
    text
}

#[expect(clippy::cast_precision_loss)]
fn ms(us: u64) -> f64 {
    us as f64 / 1_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_cannot_be_created_is_named() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml/results");
        let error = create(&folder).unwrap_err();
        assert!(error.contains("Cargo.toml/results: "), "{error}");
    }

    #[test]
    fn a_distribution_has_the_format_of_hdrhistogram() {
        let mut latency = Histogram::new_with_bounds(1, 1_000_000, 3).unwrap();
        (1..=1_000).for_each(|us| latency.record(us).unwrap());
        let text = hgrm(&latency);
        let lines: Vec<Vec<&str>> = text
            .lines()
            .map(|line| line.split_whitespace().collect())
            .collect();
        assert_eq!(
            lines[0],
            ["Value", "Percentile", "TotalCount", "1/(1-Percentile)"]
        );
        assert_eq!(lines[2], ["0.001", "0.000000000000", "1", "1.00"]);
        let median = lines
            .iter()
            .find(|line| line.get(1) == Some(&"0.500000000000"));
        assert_eq!(
            median,
            Some(&vec!["0.500", "0.500000000000", "500", "2.00"])
        );
        // The last one is all values, and has no distance to 100 %.
        let last = lines.iter().rfind(|line| !line[0].starts_with('#'));
        assert_eq!(last, Some(&vec!["1.000", "1.000000000000", "1000"]));
        assert!(text.contains("Total count    =         1000]"), "{text}");
        assert!(text.ends_with("SubBuckets     =         2048]\n"), "{text}");
    }
}
