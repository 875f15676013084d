//! [`Counts`]: the file of counts, and the comparison with it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::path::Path;

use serde::Deserialize;

/// How far a count may be from that of the file, with the same compiler.
const DIFFERENCE_MAX: f64 = 0.03;

/// How far it may be with another compiler, which makes other instructions of the same source.
const OTHER_COMPILER_DIFFERENCE_MAX: f64 = 0.10;

const HEAD: &str = "\
# Instructions of one run of each hot path, as `benches/run instructions` counts them; benches/README.md describes the
# paths. `benches/run instructions --write` makes this file. CI compares: within 3 % with this compiler, within 10 % with
# another.

";

/// Counted instructions by path.
pub(crate) struct Counts {
    /// The version of the compiler.
    pub(crate) rustc: String,
    pub(crate) counts: Vec<(String, u64)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    rustc: String,
    instructions: BTreeMap<String, u64>,
}

impl Counts {
    /// Reads the file.
    pub(crate) fn read(file: &Path) -> io::Result<Self> {
        let text = std::fs::read_to_string(file)
            .map_err(|error| io::Error::other(format!("{}: {error}", file.display())))?;
        let written: Written = toml::from_str(&text).map_err(io::Error::other)?;
        Ok(Self {
            rustc: written.rustc,
            counts: written.instructions.into_iter().collect(),
        })
    }

    /// Writes the file.
    pub(crate) fn write(&self, file: &Path) -> io::Result<()> {
        let mut text = format!("{HEAD}rustc = {:?}\n\n[instructions]\n", self.rustc);
        for (name, count) in &self.counts {
            writeln!(text, "{name} = {}", grouped(*count)).expect("memory takes any text");
        }
        std::fs::write(file, text)
    }

    fn of(&self, name: &str) -> Option<u64> {
        let mut counts = self.counts.iter();
        counts
            .find(|(other, _)| other == name)
            .map(|(_, count)| *count)
    }
}

/// Returns a table of counts against those of the file, and whether all are within the limit.
pub(crate) fn compare(file: &Counts, counted: &Counts) -> (String, bool) {
    let is_same = file.rustc == counted.rustc;
    let limit = if is_same {
        DIFFERENCE_MAX
    } else {
        OTHER_COMPILER_DIFFERENCE_MAX
    };
    let mut table = String::new();
    let mut is_within = true;
    let mut line = |text: String| writeln!(table, "{text}").expect("memory takes any text");
    if !is_same {
        line(format!(
            "THE COMPILER IS ANOTHER ONE: the file has {:?}, this is {:?}; the limit is {:.0} % instead of {:.0} %",
            file.rustc,
            counted.rustc,
            100.0 * limit,
            100.0 * DIFFERENCE_MAX
        ));
    }
    line(format!(
        "{:<28} {:>14} {:>14} {:>9}",
        "instructions", "file", "now", "change"
    ));
    for (name, now) in &counted.counts {
        let Some(before) = file.of(name) else {
            is_within = false;
            line(format!(
                "{name:<28} {:>14} {:>14} NOT IN THE FILE",
                "-",
                grouped(*now)
            ));
            continue;
        };
        let change = float(*now) / float(before) - 1.0;
        let verdict = match change {
            change if change.abs() <= limit => "",
            change if change > 0.0 => "  MORE",
            _ => "  FEWER",
        };
        is_within &= verdict.is_empty();
        let (before, now) = (grouped(before), grouped(*now));
        line(format!(
            "{name:<28} {before:>14} {now:>14} {:>+8.1}%{verdict}",
            100.0 * change
        ));
    }
    if !is_within {
        line(format!(
            "Counts differ by more than {:.0} %. If that is meant: benches/run instructions --write",
            100.0 * limit
        ));
    }
    (table, is_within)
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
const fn float(count: u64) -> f64 {
    count as f64
}

/// Formats a number with `_` between groups of three digits, as TOML accepts it.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('_');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(rustc: &str, count: u64) -> Counts {
        Counts {
            rustc: rustc.to_owned(),
            counts: vec![("top".to_owned(), count)],
        }
    }

    #[test]
    fn counts_are_compared_within_three_percent_and_within_ten_of_another_compiler() {
        let file = counts("rustc 1", 1_000);
        for (rustc, count, expected) in [
            ("rustc 1", 1_029, true),
            ("rustc 1", 1_031, false),
            ("rustc 1", 969, false),
            ("rustc 2", 1_099, true),
            ("rustc 2", 1_101, false),
        ] {
            let (table, is_within) = compare(&file, &counts(rustc, count));
            assert_eq!(is_within, expected, "{table}");
            assert_eq!(
                table.contains("THE COMPILER IS ANOTHER ONE"),
                rustc == "rustc 2"
            );
        }
    }

    #[test]
    fn a_path_that_the_file_does_not_have_is_a_difference() {
        let file = Counts {
            rustc: "rustc 1".to_owned(),
            counts: Vec::new(),
        };
        assert!(!compare(&file, &counts("rustc 1", 1)).1);
    }

    #[test]
    fn the_file_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("counts.toml");
        counts("rustc 1", 1_234_567).write(&file).unwrap();
        let read = Counts::read(&file).unwrap();
        assert_eq!(
            (read.rustc.as_str(), read.of("top")),
            ("rustc 1", Some(1_234_567))
        );
        assert!(
            std::fs::read_to_string(&file)
                .unwrap()
                .contains("top = 1_234_567")
        );
    }
}
