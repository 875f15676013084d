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

#[test]
fn the_figures_of_the_readme_are_those_of_the_report() {
    let (readme, report) = (page("README.md"), page(REPORT));
    let (_, figures) = readme.split_once("\n## Figures\n").unwrap();
    let (figures, _) = figures.split_once("\n## ").unwrap();
    let rows: Vec<&str> = figures
        .lines()
        .filter(|line| is_row(line))
        .skip(2)
        .collect();
    assert_eq!(rows.len(), 5);
    for row in rows {
        for cell in row.split(" | ").skip(1) {
            let figure = cell.split(' ').next().unwrap().replace(',', "");
            let is_measured = report.split([' ', ';']).any(|word| word == figure);
            assert!(is_measured, "{REPORT} has no {figure}: {row}");
        }
    }
}
