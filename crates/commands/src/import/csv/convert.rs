//! Converting the cells of a row to a contribution: [`Converter`].

use std::collections::BTreeMap;
use std::io;

use serde::Serialize;

use super::columns::{Column, Role};
use super::record::Cells;
use crate::delivery::Resend;
use crate::import::rows::{NOT_UTF_8, RowKind};
use crate::integer;

/// The maximum length of a cell in a message.
const SHOWN_CHARS: usize = 200;

/// The exponent from which on spreadsheets show numbers in this form: those of twelve digits and more.
const SHORTENED_FROM: u32 = 11;

/// Converts rows.
pub(super) struct Converter {
    pub(super) kind: String,
    /// The subject of all rows, if no column has it.
    pub(super) subject: String,
    pub(super) columns: Vec<Column>,
    /// The number of cells in a row.
    pub(super) width: usize,
    /// A text that marks a missing value, in addition to the empty cell.
    pub(super) missing: Option<String>,
    /// Whether 1.000 may be a thousand: so it is where commas are in numbers, and something else between cells.
    pub(super) is_grouped_by_points: bool,
    /// The columns with a warning about rounded numbers.
    pub(super) rounded: Vec<usize>,
    pub(super) warnings: Vec<String>,
}

/// The wire format of a row.
#[derive(Default, Serialize)]
struct Contribution<'a> {
    board: String,
    member: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<i64>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    values: BTreeMap<&'a str, i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<At<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
}

/// A time: digits as a number, or any other text unchanged.
#[derive(Serialize)]
#[serde(untagged)]
enum At<'a> {
    Number(i64),
    Text(&'a str),
}

impl<'a> At<'a> {
    fn parse(text: &'a str) -> Self {
        text.parse().map_or(Self::Text(text), Self::Number)
    }
}

impl Converter {
    /// Converts the row that begins on this line to a contribution, which is appended to `out`.
    pub(super) fn convert(
        &mut self,
        line: u64,
        cells: Cells<'_>,
        out: &mut Vec<u8>,
    ) -> io::Result<RowKind> {
        if cells.len() != self.width {
            let (found, expected) = (cells.len(), self.width);
            let reason = format!("{found} cells, but the header has {expected}");
            return Ok(RowKind::Unreadable(reason));
        }
        if let Some(columns) = self.missing_columns(cells) {
            return Ok(RowKind::Skipped(columns));
        }
        let contribution = match self.contribution(cells) {
            Ok(contribution) => contribution,
            Err(reason) => return Ok(RowKind::Unreadable(reason)),
        };
        serde_json::to_writer(&mut *out, &contribution)?;
        out.push(b'\n');
        let resend = match contribution.id {
            Some(_) => Resend::Always,
            None => Resend::Never,
        };
        self.check_rounded(line, cells);
        Ok(RowKind::Contribution { resend })
    }

    /// Returns the column for want of which the row is skipped, or the columns.
    fn missing_columns(&self, cells: Cells<'_>) -> Option<String> {
        let is_missing = |column: &Column| self.is_missing(column, cells);
        let (fields, required): (Vec<_>, Vec<_>) =
            self.columns.iter().partition(|column| column.is_field());
        if let Some(column) = required.into_iter().find(|column| is_missing(column)) {
            return Some(column.name.clone());
        }
        if fields.is_empty() || !fields.iter().all(|column| is_missing(column)) {
            return None;
        }
        let names = fields.iter().map(|column| column.name.as_str());
        Some(names.collect::<Vec<_>>().join(", "))
    }

    fn is_missing(&self, column: &Column, cells: Cells<'_>) -> bool {
        let cell = cells.get(column.index);
        let missing = self.missing.as_ref().map(String::as_bytes);
        cell.is_empty() || missing == Some(cell)
    }

    fn contribution<'a>(&'a self, cells: Cells<'a>) -> Result<Contribution<'a>, String> {
        let mut contribution = Contribution::default();
        let mut subject = self.subject.as_str();
        for column in &self.columns {
            let text = text(column, cells)?;
            match &column.role {
                Role::Subject => subject = text,
                Role::Member => contribution.member = text,
                Role::Id => contribution.id = Some(text),
                Role::Points => contribution.points = Some(self.integer(column, text)?),
                Role::Field(_) if self.is_missing(column, cells) => {}
                Role::Field(field) => {
                    let value = self.integer(column, text)?;
                    contribution.values.insert(field, value);
                }
                Role::At => contribution.at = Some(At::parse(text)),
            }
        }
        contribution.board = format!("{}/{subject}", self.kind);
        Ok(contribution)
    }

    fn integer(&self, column: &Column, text: &str) -> Result<i64, String> {
        let wrong = |reason: &dyn std::fmt::Display| {
            let shown: String = text.chars().take(SHOWN_CHARS).collect();
            format!("{}: \"{shown}\" {reason}", column.name)
        };
        let is_in_thousands = is_in_thousands(text);
        match integer::parse(text) {
            Ok(_) if is_in_thousands && self.is_grouped_by_points => Err(wrong(
                &"may have a thousands separator: write it without one",
            )),
            Ok(number) => Ok(number),
            Err(error) if is_in_thousands || text.contains(is_separator) => Err(wrong(&format!(
                "{error}: write it without thousands separators and with a decimal point"
            ))),
            Err(error) => Err(wrong(&error)),
        }
    }

    /// Warns once for each column of names or values that has a number as spreadsheets shorten long ones.
    fn check_rounded(&mut self, line: u64, cells: Cells<'_>) {
        for column in &self.columns {
            let exponent_min = match column.role {
                Role::Subject | Role::Member | Role::Id => 0,
                // A value of fewer digits is whole, and may be written like this.
                Role::Points | Role::Field(_) => SHORTENED_FROM,
                Role::At => continue,
            };
            let cell = cells.get(column.index);
            let is_shortened = rounded_exponent(cell).is_some_and(|it| it >= exponent_min);
            if !is_shortened || self.rounded.contains(&column.index) {
                continue;
            }
            self.rounded.push(column.index);
            let (name, cell) = (&column.name, String::from_utf8_lossy(cell));
            self.warnings.push(format!(
                "line {line}: {name}: \"{cell}\" looks like a longer number that a spreadsheet has rounded, so that \
                 different ones become equal: format the column as text, and export it again"
            ));
        }
    }
}

fn text<'a>(column: &Column, cells: Cells<'a>) -> Result<&'a str, String> {
    let cell = str::from_utf8(cells.get(column.index));
    cell.map_err(|_| format!("{}: {NOT_UTF_8}", column.name))
}

/// Returns whether it is a separator of thousands, or a decimal comma.
fn is_separator(char: char) -> bool {
    matches!(
        char,
        ',' | '\'' | '’' | ' ' | '\u{a0}' | '\u{2009}' | '\u{202f}'
    )
}

/// Returns whether a number looks like 1.000 or 1.234.567.
fn is_in_thousands(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let mut groups = digits.split('.');
    let is_group = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    let begins = groups
        .next()
        .is_some_and(|it| is_group(it) && (1..=3).contains(&it.len()));
    let mut groups = groups.peekable();
    begins && groups.peek().is_some() && groups.all(|group| is_group(group) && group.len() == 3)
}

/// Returns the exponent of a cell that looks like 2.02312E+16, or 2,02312E+16.
fn rounded_exponent(cell: &[u8]) -> Option<u32> {
    let is_digits = |digits: &[u8]| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    let (first, rest) = cell.split_first()?;
    let at = rest
        .windows(2)
        .position(|pair| matches!(pair, b"E+" | b"e+"))?;
    let (fraction, exponent) = (&rest[..at], &rest[at + 2..]);
    let is_fraction = match fraction {
        [] => true,
        [b'.' | b',', digits @ ..] => is_digits(digits),
        _ => false,
    };
    if !(first.is_ascii_digit() && is_fraction && is_digits(exponent)) {
        return None;
    }
    str::from_utf8(exponent).ok()?.parse().ok()
}
