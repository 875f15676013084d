//! The beginning of a CSV file: [`open`] reads `sep=`, finds the delimiter and the columns.

use std::error::Error;
use std::io;

use super::columns::{Column, Role, count_in, find};
use super::record::{Record, Records};
use crate::import::lines::{LINE_BYTES_MAX, Line, Lines};
use crate::import::rows::NOT_UTF_8;

/// The delimiters that are tried if none is given: the one with which the header has the most of the columns.
const DELIMITERS: [u8; 3] = [b',', b';', b'\t'];

const EMPTY: &str = "the file is empty; a header is expected";
const UNFINISHED: &str =
    "the file ends within its header, as if it were still being written; --final takes it as it is";

/// The rows after a header.
pub(super) struct Opened {
    pub(super) records: Records,
    pub(super) columns: Vec<Column>,
    /// The number of cells in a row.
    pub(super) width: usize,
    pub(super) delimiter: u8,
}

/// Reads the header. Without `delimiter` it is that of the line `sep=`, or found.
pub(super) fn open(
    mut lines: Lines,
    names: Vec<(Role, String)>,
    delimiter: Option<u8>,
) -> Result<Opened, Box<dyn Error>> {
    let mut line = first_line(&mut lines)?;
    let declared = separator(&line);
    if declared.is_some() {
        line = first_line(&mut lines)?;
    }
    let delimiter = match delimiter.or(declared) {
        Some(delimiter) => delimiter,
        None => found_delimiter(&line, &names)?,
    };
    let mut records = Records::new(lines, line, delimiter);
    match records.next()? {
        None => Err(EMPTY.into()),
        Some((_, Record::Unfinished)) => Err(UNFINISHED.into()),
        Some((_, Record::Broken(reason))) => {
            Err(format!("the header could not be parsed: {reason}").into())
        }
        Some((_, Record::Cells)) => Ok(Opened {
            columns: names
                .into_iter()
                .map(|(role, name)| find(role, name, records.cells()))
                .collect::<Result<_, _>>()?,
            width: records.cells().len(),
            records,
            delimiter,
        }),
    }
}

/// Reads the first line that is not blank, with those after it that a quoted cell has.
fn first_line(lines: &mut Lines) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut header = Vec::new();
    let mut line = Vec::new();
    let mut quotes = Quotes::default();
    while let Some(read) = lines.next(&mut line)? {
        let text = line.trim_ascii_end();
        if header.is_empty() && text.is_empty() && read == Line::Whole {
            continue;
        }
        header.extend_from_slice(&line);
        if has_lone_carriage_return(text) {
            let advice = "convert it by `tr '\\r' '\\n'`";
            return Err(format!("its lines end with carriage returns alone: {advice}").into());
        }
        if read == Line::Unfinished {
            return Err(UNFINISHED.into());
        }
        if str::from_utf8(text).is_err() || text.contains(&0) {
            return Err(format!("the header is {NOT_UTF_8}").into());
        }
        if read == Line::TooLong || header.len() > LINE_BYTES_MAX {
            return Err("the header could not be parsed: it is longer than 1 MiB".into());
        }
        quotes.read(&line);
        if !quotes.are_open {
            break;
        }
    }
    if header.is_empty() {
        return Err(EMPTY.into());
    }
    Ok(header)
}

/// Whether a text ends within quotes. They open at the beginning of a cell alone, whatever the delimiter is.
#[derive(Default)]
struct Quotes {
    are_open: bool,
    last: Option<u8>,
}

impl Quotes {
    fn read(&mut self, text: &[u8]) {
        for &byte in text {
            let begins = self
                .last
                .is_none_or(|last| last == b'"' || DELIMITERS.contains(&last));
            if byte == b'"' && (self.are_open || begins) {
                self.are_open = !self.are_open;
            }
            self.last = Some(byte);
        }
    }
}

fn has_lone_carriage_return(text: &[u8]) -> bool {
    text.windows(2)
        .any(|pair| pair[0] == b'\r' && pair[1] != b'\n')
}

/// Returns the delimiter that a line `sep=;`, as Excel reads it, declares for the file.
fn separator(line: &[u8]) -> Option<u8> {
    // A tab is white space.
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let line = line
        .strip_prefix(b"\"")
        .and_then(|it| it.strip_suffix(b"\""))
        .unwrap_or(line);
    match line {
        [name @ .., b'=', delimiter] if name.eq_ignore_ascii_case(b"sep") => Some(*delimiter),
        _ => None,
    }
}

fn found_delimiter(line: &[u8], names: &[(Role, String)]) -> io::Result<u8> {
    let mut found = (0, DELIMITERS[0]);
    for delimiter in DELIMITERS {
        let mut records = Records::new(Lines::new(io::empty())?, line.to_vec(), delimiter);
        records.next()?;
        let count = count_in(records.cells(), names);
        if count > found.0 {
            found = (count, delimiter);
        }
    }
    Ok(found.1)
}
