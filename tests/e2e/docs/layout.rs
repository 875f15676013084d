//! Pages are read in terminals and reviewed side by side: lines have at most 100 columns. The README
//! is short, and its figures are those of the report.

use super::{page, pages_in};

const COLUMNS_MAX: usize = 100;

/// Made by `benches/run --report`, with a line for each paragraph.
const REPORT: &str = "docs/benchmarks.md";

/// Returns whether a line can be longer: a row of a table cannot be wrapped.
fn is_row(line: &str) -> bool {
    line.trim_start().starts_with('|')
}

#[test]
fn lines_of_pages_have_at_most_100_columns() {
    let mut pages = pages_in("docs");
    pages.extend(pages_in("docs/decisions"));
    pages.push("README.md".to_owned());
    pages.retain(|path| path != REPORT);
    assert!(pages.len() > 30, "{pages:?}");
    let mut long = Vec::new();
    for path in pages {
        for (number, line) in (1..).zip(page(&path).lines()) {
            let columns = line.chars().count();
            if columns > COLUMNS_MAX && !is_row(line) {
                long.push(format!("{path}:{number}: {columns} columns"));
            }
        }
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn the_readme_has_about_100_lines() {
    let lines = page("README.md").lines().count();
    assert!(lines <= 110, "{lines}");
}

/// What stands in a cell without a figure.
const NOT_MEASURED: &str = "not measured";

/// Returns the rows of the table below a heading, and asserts that all figures of the columns after
/// the first are in the report.
fn measured_rows(path: &str, heading: &str, columns: usize) -> Vec<String> {
    let (text, report) = (page(path), page(REPORT));
    let (_, text) = text.split_once(&format!("\n## {heading}\n")).unwrap();
    let (table, _) = text.split_once("\n## ").unwrap();
    let rows: Vec<&str> = table.lines().filter(|line| is_row(line)).skip(2).collect();
    for row in &rows {
        let cells = row.split(" | ").skip(1).take(columns);
        for cell in cells.filter(|cell| !cell.starts_with(NOT_MEASURED)) {
            let numbers = cell.split(' ').map(|word| word.replace(',', ""));
            let figures: Vec<String> = numbers
                .filter(|word| word.starts_with(|each: char| each.is_ascii_digit()))
                .collect();
            assert!(!figures.is_empty(), "{path}: {row}");
            for figure in figures {
                let is_measured = report.split([' ', ';']).any(|word| word == figure);
                assert!(is_measured, "{REPORT} has no {figure} of {path}: {row}");
            }
        }
    }
    rows.into_iter().map(str::to_owned).collect()
}

#[test]
fn the_figures_of_the_readme_are_those_of_the_report() {
    assert_eq!(measured_rows("README.md", "Figures", 3).len(), 5);
}

#[test]
fn the_figures_for_sizing_are_those_of_the_report() {
    let rows = measured_rows("docs/operations.md", "Sizing", 1);
    assert!(rows.len() > 10, "{rows:?}");
}
