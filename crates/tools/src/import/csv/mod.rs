//! Reading CSV with a header: [`CsvRows`] converts each row to a contribution.
//!
//! `csv-core` parses the file line by line. So each row has the number of the line on which it begins, also after
//! quoted newlines and blank lines, and an unclosed quote consumes a limited number of lines. Integers must be exact:
//! nothing is rounded or trimmed.

mod columns;
mod record;

use std::io;

use serde::Serialize;

pub(super) use columns::{ColumnNames, HeaderError, SubjectSource};

use self::columns::{Column, Columns};
use self::record::{Record, Records};
use super::lines::Lines;
use super::rows::{Resend, Row, RowKind, Rows};

/// Reads the rows after the header.
pub(super) struct CsvRows {
    records: Records,
    columns: Columns,
    kind: String,
    /// A text that marks a missing value, in addition to the empty cell.
    missing: Option<String>,
}

impl CsvRows {
    /// Reads the header and finds the columns in it.
    pub(super) fn open(
        lines: Lines,
        kind: &str,
        names: ColumnNames,
        missing: Option<String>,
    ) -> Result<Self, HeaderError> {
        let mut records = Records::new(lines);
        let columns = match records.next()? {
            None => return Err(HeaderError::Empty),
            Some((_, Record::Broken(reason))) => return Err(HeaderError::Broken(reason)),
            Some((_, Record::Cells)) => Columns::find(names, records.cells())?,
        };
        Ok(Self {
            records,
            columns,
            kind: kind.to_owned(),
            missing,
        })
    }

    /// Converts the last record to a contribution, which is appended to `out`.
    fn convert(&self, out: &mut Vec<u8>) -> io::Result<RowKind> {
        let cells = self.records.cells();
        if cells.len() != self.columns.width {
            return Ok(RowKind::Unreadable(format!(
                "{} cells, but the header has {}",
                cells.len(),
                self.columns.width
            )));
        }
        let is_missing = |cell: &[u8]| {
            cell.is_empty()
                || self
                    .missing
                    .as_ref()
                    .is_some_and(|text| text.as_bytes() == cell)
        };
        if self
            .columns
            .required()
            .any(|column| is_missing(cells.get(column.index)))
        {
            return Ok(RowKind::Skipped);
        }
        let text = |column: &Column| {
            std::str::from_utf8(cells.get(column.index))
                .map_err(|_| format!("{}: not UTF-8", column.name))
        };
        let contribution = || {
            let points = text(&self.columns.points)?;
            Ok::<_, String>(Contribution {
                board: format!(
                    "{}/{}",
                    self.kind,
                    match &self.columns.subject {
                        SubjectSource::Fixed(subject) => subject,
                        SubjectSource::Column(column) => text(column)?,
                    }
                ),
                member: text(&self.columns.member)?,
                points: exact_integer(points).ok_or_else(|| {
                    format!(
                        "{}: \"{points}\" is not an exact integer",
                        self.columns.points.name
                    )
                })?,
                at: self
                    .columns
                    .at
                    .as_ref()
                    .map(text)
                    .transpose()?
                    .map(At::parse),
                id: self.columns.id.as_ref().map(text).transpose()?,
            })
        };
        match contribution() {
            Ok(contribution) => {
                serde_json::to_writer(&mut *out, &contribution)?;
                out.push(b'\n');
                Ok(RowKind::Contribution {
                    resend: match contribution.id {
                        Some(_) => Resend::Always,
                        None => Resend::Never,
                    },
                })
            }
            Err(reason) => Ok(RowKind::Unreadable(reason)),
        }
    }
}

impl Rows for CsvRows {
    fn next(&mut self, out: &mut Vec<u8>) -> io::Result<Option<Row>> {
        let Some((line, record)) = self.records.next()? else {
            return Ok(None);
        };
        let kind = match record {
            Record::Cells => self.convert(out)?,
            Record::Broken(reason) => RowKind::Unreadable(reason),
        };
        Ok(Some(Row { line, kind }))
    }
}

/// The wire format of a row.
#[derive(Serialize)]
struct Contribution<'a> {
    board: String,
    member: &'a str,
    points: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<At<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
}

/// A time: epoch milliseconds as a number, or any other text unchanged.
#[derive(Serialize)]
#[serde(untagged)]
enum At<'a> {
    Millis(i64),
    Text(&'a str),
}

impl<'a> At<'a> {
    fn parse(text: &'a str) -> Self {
        exact_integer(text).map_or(Self::Text(text), Self::Millis)
    }
}

/// Parses digits with an optional `-`. `12.0`, `1e3`, `0x10`, `+5` and ` 5` are rejected, so that another column is not
/// mistaken for points.
fn exact_integer(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        text.parse().ok()
    } else {
        None
    }
}

#[cfg(test)]
mod tests;
