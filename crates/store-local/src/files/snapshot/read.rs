//! Reads a snapshot: first its header, table and footer, then its units, in any order.

use std::path::PathBuf;
use std::sync::Arc;

use board::{Kind, KindName, STANDING_WORDS_MAX, Window};

use super::super::bytes::Malformed;
use super::format::{FOOTER_BYTES, HEADER_BYTES, HeaderError, take_footer, take_header};
use super::frames::{FrameReader, read_exactly};
use super::part::{
    END, HEAD, ID_BYTES, IDS, PROFILE_ELEMENT_BYTES_MIN, PROFILES, WATERMARKS, WINDOW,
    row_bytes_min, take_head, take_id, take_ids, take_profile_of, take_profiles_head, take_row,
    take_watermarks, take_window_head,
};
use super::table::{self, Table};
use super::{PartHead, PartVisitor, Refusal, SnapshotError, SnapshotName, Totals};
use disk::{Disk, DiskFile};
use shard_store::KindRecord;

/// A snapshot whose header, table and footer have been checked. Its units are checked when they are read.
#[derive(Debug)]
pub struct SnapshotReader {
    file: Box<dyn DiskFile>,
    path: PathBuf,
    sequence: u64,
    file_bytes: u64,
    table: Table,
}

impl SnapshotReader {
    /// Opens a snapshot by its name.
    pub fn open(disk: &dyn Disk, name: &SnapshotName) -> Result<Self, SnapshotError> {
        let path = disk.path().join(&name.name);
        let file = disk.open(&name.name).map_err(SnapshotError::io(&path))?;
        let file_bytes = file.size().map_err(SnapshotError::io(&path))?;
        let mut header = [0; HEADER_BYTES];
        read_exactly(&*file, &path, &mut header, 0)?;
        let sequence = take_header(&header).map_err(|wrong| match wrong {
            HeaderError::Foreign => SnapshotError::Foreign { file: path.clone() },
            HeaderError::Damaged(what) => SnapshotError::damaged(&path, 0)(what),
        })?;
        if sequence != name.sequence {
            let what = Malformed::Wrong("the header is that of another snapshot");
            return Err(SnapshotError::damaged(&path, 0)(what));
        }
        let begin = HEADER_BYTES as u64;
        let footer_offset = file_bytes.saturating_sub(FOOTER_BYTES as u64).max(begin);
        let mut footer = [0; FOOTER_BYTES];
        read_exactly(&*file, &path, &mut footer, footer_offset)?;
        let damaged = SnapshotError::damaged(&path, footer_offset);
        let table_offset = take_footer(&footer, sequence).map_err(damaged)?;
        if !(begin..=footer_offset).contains(&table_offset) {
            let what = Malformed::OutOfRange("the offset of the table", table_offset);
            return Err(SnapshotError::damaged(&path, footer_offset)(what));
        }
        let stretch = table_offset..footer_offset;
        let mut frames = FrameReader::new(&*file, &path, sequence, stretch);
        let mut text = Vec::new();
        while !frames.is_at_end() {
            text.extend_from_slice(frames.bytes()?.take_rest());
            frames.left(0);
        }
        let table = table::decode(&text, begin, table_offset)
            .map_err(SnapshotError::damaged(&path, table_offset))?;
        Ok(Self {
            file,
            path,
            sequence,
            file_bytes,
            table,
        })
    }

    /// Returns the sequence from which the journal has to be replayed.
    #[must_use]
    pub const fn sequence(&self) -> u64 {
        self.sequence
    }

    /// Returns the file's length.
    #[must_use]
    pub const fn file_bytes(&self) -> u64 {
        self.file_bytes
    }

    /// Returns the kinds as they were at that sequence.
    #[must_use]
    pub fn kinds(&self) -> &[KindRecord] {
        &self.table.kinds
    }

    /// Returns the kinds that parts refer to by index.
    #[must_use]
    pub fn definitions(&self) -> &[Arc<Kind>] {
        &self.table.definitions
    }

    /// Returns the number of units. Each can be read independently.
    #[must_use]
    pub fn units(&self) -> usize {
        self.table.units.len()
    }

    /// Returns the bytes of a unit.
    #[cfg(test)]
    #[must_use]
    pub fn unit_bytes(&self, unit: usize) -> u64 {
        self.table.units[unit].bytes
    }

    /// Returns the totals of all units.
    #[cfg(test)]
    #[must_use]
    pub fn totals(&self) -> Totals {
        let units = self.table.units.iter();
        units.fold(Totals::default(), |sum, unit| Totals {
            parts: sum.parts.saturating_add(unit.totals.parts),
            rows: sum.rows.saturating_add(unit.totals.rows),
            ids: sum.ids.saturating_add(unit.totals.ids),
        })
    }

    /// Passes the contents of a unit to a visitor. If this returns an error, discard what was visited.
    pub fn read_unit(
        &self,
        unit: usize,
        visitor: &mut dyn PartVisitor,
    ) -> Result<(), SnapshotError> {
        let unit = &self.table.units[unit];
        let stretch = unit.offset..unit.offset + unit.bytes;
        let mut reading = Reading {
            frames: FrameReader::new(&*self.file, &self.path, self.sequence, stretch),
            definitions: &self.table.definitions,
            visitor,
            totals: Totals::default(),
        };
        while !reading.frames.is_at_end() {
            reading.part()?;
        }
        if reading.totals == unit.totals {
            Ok(())
        } else {
            let what = Malformed::Wrong("a unit does not match the table");
            Err(reading.frames.damaged(what))
        }
    }
}

/// What follows in a unit.
enum Begun {
    Part(PartHead),
    /// So many profiles of a kind.
    Profiles((KindName, u64)),
}

/// A unit that is being read.
struct Reading<'a> {
    frames: FrameReader<'a>,
    definitions: &'a [Arc<Kind>],
    visitor: &'a mut dyn PartVisitor,
    totals: Totals,
}

impl Reading<'_> {
    /// Reads a part, or some profiles.
    fn part(&mut self) -> Result<(), SnapshotError> {
        let definitions = self.definitions;
        let name = |kind: u32| Some(definitions.get(kind as usize)?.name().clone());
        let begun = self.frames.take(|bytes| match bytes.byte("a part")? {
            HEAD => take_head(bytes, name).map(Begun::Part),
            PROFILES => take_profiles_head(bytes).map(Begun::Profiles),
            _ => Err(Malformed::Wrong("a part does not begin with its head")),
        })?;
        let head = match begun {
            Begun::Part(head) => head,
            Begun::Profiles((kind, count)) => return self.profiles(&kind, count),
        };
        let refused = self.visitor.head(&head);
        self.visited(refused)?;
        self.totals.parts += 1;
        let words = definitions[head.kind as usize].rules().standing_len();
        let mut last = HEAD;
        let mut generations = 0;
        let mut window = None;
        loop {
            let element = self.frames.take(|bytes| bytes.byte("a part"))?;
            let in_order = match element {
                WATERMARKS => last < WATERMARKS,
                IDS => last <= IDS && generations < 2,
                WINDOW => last <= WINDOW,
                END => true,
                _ => false,
            };
            if !in_order {
                let what = Malformed::OutOfRange("the next of a part", u64::from(element));
                return Err(self.frames.damaged(what));
            }
            last = element;
            match element {
                WATERMARKS => self.watermarks()?,
                IDS => {
                    generations += 1;
                    self.ids()?;
                }
                WINDOW => window = Some(self.window(words, window)?),
                _ => break,
            }
        }
        let refused = self.visitor.end();
        self.visited(refused)
    }

    fn profiles(&mut self, kind: &KindName, count: u64) -> Result<(), SnapshotError> {
        self.check_count("a number of profiles", count, PROFILE_ELEMENT_BYTES_MIN)?;
        for _ in 0..count {
            let profile = self.frames.take(take_profile_of)?;
            let refused = self.visitor.profile(kind, profile);
            self.visited(refused)?;
        }
        self.totals.parts += 1;
        self.totals.rows += count;
        Ok(())
    }

    fn watermarks(&mut self) -> Result<(), SnapshotError> {
        let watermarks = self.frames.take(take_watermarks)?;
        let refused = self.visitor.watermarks(&watermarks);
        self.visited(refused)
    }

    fn ids(&mut self) -> Result<(), SnapshotError> {
        let (began, count) = self.frames.take(take_ids)?;
        self.check_count("a number of ids", count, ID_BYTES)?;
        let refused = self.visitor.ids_generation(began, count);
        self.visited(refused)?;
        for _ in 0..count {
            let id = self.frames.take(take_id)?;
            let refused = self.visitor.id(id);
            self.visited(refused)?;
        }
        self.totals.ids += count;
        Ok(())
    }

    /// Reads a window, which must follow `last`, and its rows.
    fn window(&mut self, words: usize, last: Option<Window>) -> Result<Window, SnapshotError> {
        let head = self.frames.take(take_window_head)?;
        if last.is_some_and(|last| last >= head.window) {
            let what = Malformed::Wrong("the windows of a part are not in order");
            return Err(self.frames.damaged(what));
        }
        self.check_count("a number of rows", head.rows, row_bytes_min(words))?;
        let refused = self.visitor.window(&head);
        self.visited(refused)?;
        self.rows(words, head.rows)?;
        self.totals.rows += head.rows;
        Ok(head.window)
    }

    fn rows(&mut self, words: usize, count: u64) -> Result<(), SnapshotError> {
        let mut standing = [0; STANDING_WORDS_MAX];
        let standing = &mut standing[..words];
        for _ in 0..count {
            let mut bytes = self.frames.bytes()?;
            let taken = take_row(&mut bytes, standing);
            let left = bytes.len();
            let refused = match taken {
                Ok(member) => self.visitor.row(member, standing),
                Err(what) => {
                    self.frames.left(left);
                    return Err(self.frames.damaged(what));
                }
            };
            self.frames.left(left);
            self.visited(refused)?;
        }
        Ok(())
    }

    /// Rejects a count that the remaining bytes of the unit cannot contain.
    fn check_count(
        &self,
        what: &'static str,
        count: u64,
        bytes_each: usize,
    ) -> Result<(), SnapshotError> {
        if count <= self.frames.bytes_left() / bytes_each as u64 {
            Ok(())
        } else {
            Err(self.frames.damaged(Malformed::OutOfRange(what, count)))
        }
    }

    fn visited(&self, said: Result<(), Refusal>) -> Result<(), SnapshotError> {
        said.map_err(|why| SnapshotError::Refused {
            file: self.frames.path().to_owned(),
            offset: self.frames.offset(),
            why,
        })
    }
}
