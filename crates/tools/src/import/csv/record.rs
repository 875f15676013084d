//! Lines put together to CSV records: [`Records`], one at a time, in memory that is bounded.
//!
//! What the cells mean is not known here.

use std::io;

use csv_core::{ReadRecordResult, Reader};

use crate::import::lines::{LINE_BYTES_MAX, Line, Lines};

/// How a record came out.
pub(super) enum Record {
    /// Whole, in [`Records::cells`].
    Cells,
    /// Given up, for this reason; the next record begins on the line after.
    Broken(String),
}

/// Reads records; blank lines are none.
pub(super) struct Records {
    lines: Lines,
    parser: Reader,
    line: Vec<u8>,
    /// How much of `line` the parser has taken.
    taken: usize,
    /// The cells' bytes one after the other; longer than what is used of it.
    bytes: Vec<u8>,
    /// Where in `bytes` each cell ends; longer than what is used of it.
    ends: Vec<usize>,
    cells: usize,
}

impl Records {
    pub(super) fn new(lines: Lines) -> Self {
        Self {
            lines,
            parser: Reader::new(),
            line: Vec::new(),
            taken: 0,
            bytes: Vec::new(),
            ends: Vec::new(),
            cells: 0,
        }
    }

    /// The record read last.
    pub(super) fn cells(&self) -> Cells<'_> {
        Cells {
            bytes: &self.bytes,
            ends: &self.ends[..self.cells],
        }
    }

    /// Reads the next record and says on which line it begins; none at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<(u64, Record)>> {
        self.cells = 0;
        let mut bytes_used = 0;
        let mut first_line = None;
        loop {
            if self.taken == self.line.len() {
                self.taken = 0;
                match self.lines.next(&mut self.line)? {
                    Some(Line::Whole) => {}
                    Some(Line::TooLong) => {
                        let number = first_line.unwrap_or(self.lines.number());
                        return Ok(Some((number, self.give_up(number, TOO_LONG))));
                    }
                    None => {
                        return Ok(first_line.map(|number| (number, self.end(number, bytes_used))));
                    }
                }
            }
            let rest = &self.line[self.taken..];
            // A record has ended before this, or none has begun: the newline belongs to no cell.
            if first_line.is_none() && rest.iter().all(|byte| matches!(byte, b'\r' | b'\n')) {
                self.taken = self.line.len();
                continue;
            }
            let first_line = *first_line.get_or_insert(self.lines.number());
            if bytes_used + rest.len() > LINE_BYTES_MAX {
                return Ok(Some((first_line, self.give_up(first_line, TOO_LONG))));
            }
            // Every byte gives one byte of a cell or ends one cell, so this is always room enough.
            grow(&mut self.bytes, bytes_used + rest.len() + 1);
            grow(&mut self.ends, self.cells + rest.len() + 1);
            let (result, taken, written, ended) = self.parser.read_record(
                rest,
                &mut self.bytes[bytes_used..],
                &mut self.ends[self.cells..],
            );
            self.taken += taken;
            bytes_used += written;
            self.cells += ended;
            if result == ReadRecordResult::Record {
                return Ok(Some((first_line, Record::Cells)));
            }
        }
    }

    /// The file has ended within a record: properly where only the last newline is absent.
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
        } else {
            self.give_up(
                first_line,
                "a quote is not closed before the end of the file",
            )
        }
    }

    /// Reading goes on after the current line, outside of any quotes.
    fn give_up(&mut self, first_line: u64, reason: &str) -> Record {
        self.parser.reset();
        self.taken = self.line.len();
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
}
