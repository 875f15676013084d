//! Figures as data, from which `report` makes `docs/benchmarks.md`: [`Figure`].
//!
//! A program prints its figures, and, if `MEGABOARD_BENCH_DATA` names a folder, also appends them to a file there, one
//! JSON object a line. The file has the name of the program.

use std::env;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::PathBuf;

use comfy_table::{Row, Table};
use serde::{Deserialize, Serialize};

use crate::figures::verdict;

/// The variable that names the folder.
pub const DATA: &str = "MEGABOARD_BENCH_DATA";

/// Something to show in the report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Figure {
    /// A table.
    Table {
        /// What it shows.
        title: String,
        /// The header.
        columns: Vec<String>,
        /// The rows, each with as many cells as there are columns, or fewer.
        rows: Vec<Vec<String>>,
    },
    /// An image.
    Image {
        /// What it shows.
        title: String,
        /// The name of the file, without a folder.
        file: String,
        /// The contents.
        svg: String,
    },
    /// A paragraph.
    Note(String),
    /// A goal, and whether it is met.
    Goal {
        /// What is measured.
        what: String,
        /// The figure of Megaboard, and the one that it is compared with.
        measured: String,
        /// The compared value.
        value: f64,
        /// The goal.
        goal: Bound,
    },
}

/// A bound of a value.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// The greatest value that meets the goal.
    AtMost(f64),
    /// The least value that meets the goal.
    AtLeast(f64),
}

impl Bound {
    /// Returns whether a value is within the bound.
    #[must_use]
    pub fn is_met(self, value: f64) -> bool {
        match self {
            Self::AtMost(most) => value <= most,
            Self::AtLeast(least) => value >= least,
        }
    }

    /// Formats the bound.
    #[must_use]
    pub fn text(self) -> String {
        match self {
            Self::AtMost(most) => format!("at most {most}"),
            Self::AtLeast(least) => format!("at least {least}"),
        }
    }

    /// Formats the bound and whether it is met.
    #[must_use]
    pub fn verdict(self, value: f64) -> String {
        verdict(self.is_met(value), &self.text())
    }
}

/// Prints and records a table.
pub fn table(title: &str, table: &Table) -> io::Result<()> {
    println!("\n{title}\n\n{table}");
    let cells = |row: &Row| row.cell_iter().map(comfy_table::Cell::content).collect();
    record(&Figure::Table {
        title: title.to_owned(),
        columns: table.header().map(cells).unwrap_or_default(),
        rows: table.row_iter().map(cells).collect(),
    })
}

/// Prints and records a paragraph.
pub fn note(text: &str) -> io::Result<()> {
    println!("\n{text}");
    record(&Figure::Note(text.to_owned()))
}

/// Records an image.
pub fn image(title: &str, file: &str, svg: String) -> io::Result<()> {
    record(&Figure::Image {
        title: title.to_owned(),
        file: file.to_owned(),
        svg,
    })
}

/// Records whether a goal is met. `measured` has both figures if it is a ratio. Returns the verdict, for a table.
pub fn goal(what: &str, measured: &str, value: f64, goal: Bound) -> io::Result<String> {
    record(&Figure::Goal {
        what: what.to_owned(),
        measured: measured.to_owned(),
        value,
        goal,
    })?;
    Ok(goal.verdict(value))
}

fn record(figure: &Figure) -> io::Result<()> {
    let Some(folder) = env::var_os(DATA).map(PathBuf::from) else {
        return Ok(());
    };
    let program = env::current_exe()?;
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    let path = folder.join(format!("{name}.jsonl"));
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    let line = serde_json::to_string(figure).map_err(io::Error::other)?;
    writeln!(file, "{line}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_is_met_within_its_bound() {
        assert!(Bound::AtMost(1.25).is_met(1.25) && !Bound::AtMost(1.25).is_met(1.3));
        assert!(Bound::AtLeast(0.9).is_met(1.0) && !Bound::AtLeast(0.9).is_met(0.8));
        assert_eq!(Bound::AtLeast(0.9).verdict(1.0), "at least 0.9: met");
    }

    #[test]
    fn figures_are_read_as_they_were_written() {
        for figure in [
            Figure::Note("two cores".to_owned()),
            Figure::Table {
                title: "t".to_owned(),
                columns: vec!["a".to_owned()],
                rows: vec![vec!["1".to_owned()], Vec::new()],
            },
            Figure::Goal {
                what: "rank".to_owned(),
                measured: "8 µs".to_owned(),
                value: 8.0,
                goal: Bound::AtMost(10.0),
            },
        ] {
            let line = serde_json::to_string(&figure).unwrap();
            assert_eq!(serde_json::from_str::<Figure>(&line).unwrap(), figure);
        }
    }
}
