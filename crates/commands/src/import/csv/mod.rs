//! Reading CSV with a header: [`CsvRows`] converts each row to a contribution.
//!
//! ```text
//! lines ─► header (sep=, delimiter, columns) ─► record (cells) ─► convert (JSON)
//! ```
//!
//! `csv-core` parses the file line by line. So each row has the number of the line on which it begins, also after
//! quoted newlines and blank lines, and an unclosed quote consumes a limited number of lines. Integers must be exact:
//! nothing is rounded or trimmed.

mod columns;
mod convert;
mod header;
mod record;

use std::error::Error;
use std::io;

pub(super) use columns::Role;

use self::convert::Converter;
use self::header::Opened;
use self::record::{Record, Records};
use super::lines::{Extent, Lines};
use super::rows::{Row, RowKind, Rows};

/// How a file is converted.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct CsvFormat {
    pub(super) kind: String,
    /// The subject of all rows, if no column has it.
    pub(super) subject: String,
    /// The names of the columns.
    pub(super) columns: Vec<(Role, String)>,
    /// A text that marks a missing value, in addition to the empty cell.
    pub(super) missing: Option<String>,
    /// What separates cells; `None` to find it.
    pub(super) delimiter: Option<u8>,
}

/// Reads the rows after the header.
pub(super) struct CsvRows {
    records: Records,
    converter: Converter,
}

impl CsvRows {
    /// Reads the header and finds the columns in it.
    pub(super) fn open(lines: Lines, format: CsvFormat) -> Result<Self, Box<dyn Error>> {
        let opened = header::open(lines, format.columns, format.delimiter)?;
        let Opened {
            records,
            columns,
            width,
            delimiter,
        } = opened;
        let converter = Converter {
            kind: format.kind,
            subject: format.subject,
            missing: format.missing,
            columns,
            width,
            is_grouped_by_points: delimiter != b',',
            rounded: Vec::new(),
            warnings: Vec::new(),
        };
        Ok(Self { records, converter })
    }
}

impl Rows for CsvRows {
    fn next(&mut self, out: &mut Vec<u8>) -> io::Result<Option<Row>> {
        let Some((line, record)) = self.records.next()? else {
            return Ok(None);
        };
        let kind = match record {
            Record::Cells => self.converter.convert(line, self.records.cells(), out)?,
            Record::Broken(reason) => RowKind::Unreadable(reason),
            Record::Unfinished => RowKind::Unfinished,
        };
        Ok(Some(Row { line, kind }))
    }

    fn extent(&self) -> Extent {
        self.records.extent()
    }

    fn warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.converter.warnings)
    }
}

#[cfg(test)]
mod tests;
