//! Parsing CSV records: [`Records`], one at a time, in bounded memory.

use std::io;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use crate::import::lines::{Extent, LINE_BYTES_MAX, Line, Lines};

/// The result of reading a record.
pub(super) enum Record {
    /// [`Records::cells`] returns its cells.
    Cells,
    /// The record is invalid, for this reason. The next one begins on the line after.
    Broken(String),
    /// The file ends within it.
    Unfinished,
}

/// Reads records. Blank lines are ignored.
pub(super) struct Records {
    lines: Lines,
    parser: Reader,
    line: Vec<u8>,
    /// The number of bytes of `line` that were parsed.
    parsed: usize,
    /// The concatenated bytes of the cells; may be longer than the part in use.
    bytes: Vec<u8>,
    /// The end of each cell in `bytes`; may be longer than the part in use.
    ends: Vec<usize>,
    /// The number of cells.
    cells: usize,
}

impl Records {
    /// Creates a reader of `line`, the last line that was read, and those after it.
    pub(super) fn new(lines: Lines, line: Vec<u8>, delimiter: u8) -> Self {
        Self {
            lines,
            parser: ReaderBuilder::new().delimiter(delimiter).build(),
            line,
            parsed: 0,
            bytes: Vec::new(),
            ends: Vec::new(),
            cells: 0,
        }
    }

    /// Returns what was read so far.
    pub(super) fn extent(&self) -> Extent {
        self.lines.extent()
    }

    /// Returns the cells of the last record.
    pub(super) fn cells(&self) -> Cells<'_> {
        Cells {
            bytes: &self.bytes,
            ends: &self.ends[..self.cells],
        }
    }

    /// Reads the next record. Returns the line on which it begins, or `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<(u64, Record)>> {
        self.cells = 0;
        let mut bytes_used = 0;
        let mut first_line = None;
        loop {
            if self.parsed == self.line.len() {
                self.parsed = 0;
                match self.lines.next(&mut self.line)? {
                    Some(Line::Whole) => {}
                    Some(Line::TooLong) => {
                        let number = first_line.unwrap_or(self.lines.number());
                        return Ok(Some((number, self.give_up(number, TOO_LONG))));
                    }
                    Some(Line::Unfinished) => {
                        let number = first_line.unwrap_or(self.lines.number());
                        return Ok(Some((number, Record::Unfinished)));
                    }
                    None => {
                        return Ok(first_line.map(|number| (number, self.end(number, bytes_used))));
                    }
                }
            }
            // Outside of a record, a newline belongs to no cell.
            if first_line.is_none() && self.is_line_parsed() {
                self.parsed = self.line.len();
                continue;
            }
            let unparsed = &self.line[self.parsed..];
            let first_line = *first_line.get_or_insert(self.lines.number());
            if bytes_used + unparsed.len() > LINE_BYTES_MAX {
                return Ok(Some((first_line, self.give_up(first_line, TOO_LONG))));
            }
            // Each byte of input results in at most one byte of a cell or one end of a cell.
            grow(&mut self.bytes, bytes_used + unparsed.len() + 1);
            grow(&mut self.ends, self.cells + unparsed.len() + 1);
            let (result, parsed, written, ended) = self.parser.read_record(
                unparsed,
                &mut self.bytes[bytes_used..],
                &mut self.ends[self.cells..],
            );
            self.parsed += parsed;
            bytes_used += written;
            self.cells += ended;
            if result == ReadRecordResult::Record {
                let record = if self.is_line_parsed() {
                    Record::Cells
                } else {
                    self.give_up(first_line, "a carriage return is within the line")
                };
                return Ok(Some((first_line, record)));
            }
        }
    }

    /// Returns whether nothing but its end is left of the line.
    fn is_line_parsed(&self) -> bool {
        let mut unparsed = self.line[self.parsed..].iter();
        unparsed.all(|byte| matches!(byte, b'\r' | b'\n'))
    }

    /// Ends a record at the end of the file. It is complete if only the last newline is missing.
    fn end(&mut self, first_line: u64, bytes_used: usize) -> Record {
        grow(&mut self.bytes, bytes_used + 2);
        grow(&mut self.ends, self.cells + 2);
        let (result, _, _, ended) = self.parser.read_record(
            b"\n",
            &mut self.bytes[bytes_used..],
            &mut self.ends[self.cells..],
        );
        self.cells += ended;
        if result == ReadRecordResult::Record {
            Record::Cells
        } else if !self.lines.is_final {
            Record::Unfinished
        } else {
            self.give_up(
                first_line,
                "a quote is not closed before the end of the file",
            )
        }
    }

    /// Skips the current record. Reading continues on the next line, outside of quotes.
    fn give_up(&mut self, first_line: u64, reason: &str) -> Record {
        self.parser.reset();
        self.parsed = self.line.len();
        let last_line = self.lines.number();
        Record::Broken(if last_line > first_line {
            format!("{reason}; lines up to {last_line} are skipped with it")
        } else {
            reason.to_owned()
        })
    }
}

const TOO_LONG: &str = "longer than 1 MiB, perhaps because a quote is not closed";

fn grow<T: Clone + Default>(buffer: &mut Vec<T>, len: usize) {
    if buffer.len() < len {
        buffer.resize(len, T::default());
    }
}

/// The cells of one record.
#[derive(Clone, Copy)]
pub(super) struct Cells<'a> {
    bytes: &'a [u8],
    ends: &'a [usize],
}

impl<'a> Cells<'a> {
    pub(super) fn len(self) -> usize {
        self.ends.len()
    }

    pub(super) fn get(self, index: usize) -> &'a [u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.bytes[start..self.ends[index]]
    }

    pub(super) fn iter(self) -> impl Iterator<Item = &'a [u8]> {
        (0..self.len()).map(move |index| self.get(index))
    }
}
