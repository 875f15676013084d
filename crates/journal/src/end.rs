//! [`EndMark`]: the file `journal-end`, which records how far the journal is durable, apart from the journal.
//!
//! A journal whose end is missing looks like one that ended earlier. Here a start finds where the end was: at the last
//! stop, or at most `mark_after` before a crash. What it says is always true, since it is written after the sync of
//! what it is about; an old copy of it says less.
//!
//! The file has two slots, which are written in turn, in place. Each is shorter than a sector, so that a crash leaves
//! the earlier one intact. A segment's zeros are part of the mark: a segment shorter than that was cut.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use disk::{Disk, DiskFile};

use crate::format::{u32_at, u64_at};
use crate::segment::{self, naming};
use crate::sequence::Sequence;

/// The file.
pub(super) const NAME: &str = "journal-end";

const UNFINISHED: &str = "journal-end.tmp";

const MAGIC: [u8; 8] = *b"mbjrnend";

/// The offset of the second slot, and the length of a sector.
const SLOT_STEP: usize = 512;

const SLOTS: usize = 2;

/// Magic 8, number 8, segment 8, offset 8, next sequence 8, segment bytes 8, chain 4, checksum 4.
const SLOT_BYTES: usize = 56;

/// A position up to which the journal is durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DurableEnd {
    /// The first record of the segment that contains the position.
    pub(super) segment: Sequence,
    /// The offset after the last group.
    pub(super) offset: u64,
    /// The number of the record after the last group.
    pub(super) next: Sequence,
    /// The checksum of the last group.
    pub(super) chain: u32,
    /// The minimum length of the segment, with its zeros.
    pub(super) segment_bytes: u64,
}

/// Why the file cannot be used.
#[derive(Debug)]
pub(super) enum MarkError {
    Io(io::Error),
    Damaged(PathBuf),
}

/// The file, and what it records.
#[derive(Debug)]
pub(super) struct EndMark {
    disk: Arc<dyn Disk>,
    /// `None` until it is created.
    file: Option<Box<dyn DiskFile>>,
    /// The number of the next mark; odd ones are in the second slot.
    number: u64,
    recorded: Option<DurableEnd>,
    /// Set after a mark could not be written.
    failed: bool,
}

/// Reads the mark; `None` if there is no file.
pub(super) fn read(disk: &dyn Disk) -> Result<Option<DurableEnd>, MarkError> {
    let file = open(disk).map_err(MarkError::Io)?;
    let Some(file) = file else { return Ok(None) };
    let newest = newest(disk, &*file).map_err(MarkError::Io)?;
    let damaged = || MarkError::Damaged(disk.path().join(NAME));
    newest.map(|(_, end)| Some(end)).ok_or_else(damaged)
}

fn open(disk: &dyn Disk) -> io::Result<Option<Box<dyn DiskFile>>> {
    match disk.open(NAME) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(naming(&disk.path().join(NAME), &error)),
    }
}

/// Returns the slot that was written last, and its number.
fn newest(disk: &dyn Disk, file: &dyn DiskFile) -> io::Result<Option<(u64, DurableEnd)>> {
    let mut slots = [0; SLOT_STEP * SLOTS];
    let read = file.read_at(&mut slots, 0);
    let read = read.map_err(|error| naming(&disk.path().join(NAME), &error))?;
    let slots = slots[..read].chunks(SLOT_STEP);
    Ok(slots
        .filter_map(|slot| decode(slot.first_chunk()?))
        .max_by_key(|(number, _)| *number))
}

fn encode(number: u64, end: DurableEnd) -> [u8; SLOT_BYTES] {
    let mut bytes = [0; SLOT_BYTES];
    bytes[..8].copy_from_slice(&MAGIC);
    let numbers = [
        number,
        end.segment.0,
        end.offset,
        end.next.0,
        end.segment_bytes,
    ];
    for (field, number) in bytes[8..48].chunks_exact_mut(8).zip(numbers) {
        field.copy_from_slice(&number.to_le_bytes());
    }
    bytes[48..52].copy_from_slice(&end.chain.to_le_bytes());
    let checksum = crc32c::crc32c(&bytes[..52]);
    bytes[52..].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

fn decode(bytes: &[u8; SLOT_BYTES]) -> Option<(u64, DurableEnd)> {
    let is_intact = bytes[..8] == MAGIC && u32_at(bytes, 52) == crc32c::crc32c(&bytes[..52]);
    let end = DurableEnd {
        segment: Sequence(u64_at(bytes, 16)),
        offset: u64_at(bytes, 24),
        next: Sequence(u64_at(bytes, 32)),
        segment_bytes: u64_at(bytes, 40),
        chain: u32_at(bytes, 48),
    };
    is_intact.then(|| (u64_at(bytes, 8), end))
}

impl EndMark {
    /// Opens the file, if it exists.
    pub(super) fn open(disk: Arc<dyn Disk>) -> io::Result<Self> {
        let file = open(&*disk)?;
        let newest = match &file {
            Some(file) => newest(&*disk, &**file)?,
            None => None,
        };
        Ok(Self {
            file,
            disk,
            number: newest.map_or(0, |(number, _)| number.saturating_add(1)),
            recorded: newest.map(|(_, end)| end),
            failed: false,
        })
    }

    /// Returns what the file records.
    pub(super) const fn recorded(&self) -> Option<DurableEnd> {
        self.recorded
    }

    /// Records a position, durably. If this fails, the file says what it did before, or this.
    pub(super) fn write(&mut self, end: DurableEnd) -> io::Result<()> {
        let bytes = encode(self.number, end);
        match &self.file {
            Some(file) => {
                let slot = self.number % SLOTS as u64;
                file.write_at(&bytes, slot * SLOT_STEP as u64)?;
                file.sync()?;
            }
            None => self.file = Some(self.create(&bytes)?),
        }
        self.number += 1;
        self.recorded = Some(end);
        Ok(())
    }

    /// Records a position like [`write`](Self::write). If that fails, the journal continues: less of it is protected
    /// from a loss of its end. Returns whether it was recorded.
    pub(super) fn try_write(&mut self, end: DurableEnd) -> bool {
        let written = self.write(end);
        match &written {
            Err(error) if !self.failed => {
                let file = self.disk.path().join(NAME);
                tracing::warn!(file = %file.display(), %error, "the end of the journal could not be marked");
            }
            _ => {}
        }
        self.failed = written.is_err();
        written.is_ok()
    }

    /// Creates the file: it has its name once it is complete.
    fn create(&self, first: &[u8; SLOT_BYTES]) -> io::Result<Box<dyn DiskFile>> {
        let mut slots = [0; SLOT_STEP * SLOTS];
        slots[..SLOT_BYTES].copy_from_slice(first);
        let file = self.disk.create(UNFINISHED)?;
        file.write_at(&slots, 0)?;
        file.sync()?;
        self.disk.rename(UNFINISHED, NAME)?;
        segment::sync_folder(&*self.disk)?;
        Ok(file)
    }
}
