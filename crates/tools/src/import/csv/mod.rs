//! CSV with a header as rows: [`CsvRows`] turns each into a contribution.
//!
//! The grammar is `csv-core`'s. It is fed line by line, which is what gives a row the number of the
//! line it really begins on, after quoted newlines and blank lines, and bounds what a quote left
//! open can swallow. Exact integers only: nothing is rounded, trimmed or guessed.

mod columns;
mod record;

use std::io;

use serde::Serialize;

pub(super) use columns::{ColumnNames, HeaderError, SubjectSource};

use self::columns::{Columns, Place};
use self::record::{Record, Records};
use super::lines::Lines;
use super::rows::{Resend, Row, RowKind, Rows};

/// Reads the rows under a header.
pub(super) struct CsvRows {
    records: Records,
    columns: Columns,
    kind: String,
    /// The text that stands for an absent cell, as an empty one does.
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
            .needed()
            .any(|place| is_missing(cells.get(place.index)))
        {
            return Ok(RowKind::Skipped);
        }
        let text = |place: &Place| {
            std::str::from_utf8(cells.get(place.index))
                .map_err(|_| format!("{}: not UTF-8", place.name))
        };
        let contribution = || {
            let points = text(&self.columns.points)?;
            Ok::<_, String>(Contribution {
                board: format!(
                    "{}/{}",
                    self.kind,
                    match &self.columns.subject {
                        SubjectSource::Fixed(subject) => subject,
                        SubjectSource::Column(place) => text(place)?,
                    }
                ),
                member: text(&self.columns.member)?,
                points: exact_integer(points).ok_or_else(|| {
                    format!(
                        "{}: \"{points}\" is not an exact integer",
                        self.columns.points.name
                    )
                })?,
                at: self.columns.at.as_ref().map(text).transpose()?.map(At::of),
                id: self.columns.id.as_ref().map(text).transpose()?,
            })
        };
        match contribution() {
            Ok(contribution) => {
                serde_json::to_writer(&mut *out, &contribution)?;
                out.push(b'\n');
                Ok(RowKind::Contribution {
                    resend: match contribution.id {
                        Some(_) => Resend::Known,
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

/// A row as the server takes it.
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

/// A time: epoch milliseconds go as a number, all else as the text it is.
#[derive(Serialize)]
#[serde(untagged)]
enum At<'a> {
    Millis(i64),
    Text(&'a str),
}

impl<'a> At<'a> {
    fn of(text: &'a str) -> Self {
        exact_integer(text).map_or(Self::Text(text), Self::Millis)
    }
}

/// Digits, with `-` before them or nothing: `12.0`, `1e3`, `0x10`, `+5` and ` 5` are none, so that
/// a column of something else is not taken for points.
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
