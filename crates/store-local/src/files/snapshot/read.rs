//! Reads a snapshot: first its header, table and footer, then its units, in any order.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use board::{Kind, KindName, STANDING_WORDS_MAX, Window};
use disk::{Disk, DiskFile};
use shard_store::kind_text::{decode_kind, decode_record};
use shard_store::{KindRecord, ProfileChange};

use super::format::{FOOTER_BYTES, HEADER_BYTES, header, is_of_this_format, take_footer};
use super::frames::{FrameReader, read_exactly};
use super::{
    Element, PartHead, PartVisitor, Refusal, SnapshotError, SnapshotName, Table, WindowHead,
};

/// A snapshot whose header, table and footer have been checked. Its units are checked when they are read.
#[derive(Debug)]
pub struct SnapshotReader {
    file: Box<dyn DiskFile>,
    path: PathBuf,
    sequence: u64,
    file_bytes: u64,
    /// Where each unit is.
    units: Vec<Range<u64>>,
    definitions: Vec<Arc<Kind>>,
    kinds: Vec<KindRecord>,
}

impl SnapshotReader {
    /// Opens a snapshot by its name.
    pub fn open(disk: &dyn Disk, name: &SnapshotName) -> Result<Self, SnapshotError> {
        let path = disk.path().join(&name.name);
        let file = disk.open(&name.name).map_err(SnapshotError::io(&path))?;
        let file_bytes = file.size().map_err(SnapshotError::io(&path))?;
        let mut head = [0; HEADER_BYTES];
        read_exactly(&*file, &path, &mut head, 0)?;
        if !is_of_this_format(&head) {
            return Err(SnapshotError::Foreign { file: path });
        }
        let sequence = name.sequence;
        if head != header(sequence) {
            let what = "the header does not match its checksum, or is that of another snapshot";
            return Err(SnapshotError::damaged(&path, 0, what));
        }
        let begin = HEADER_BYTES as u64;
        let footer_offset = file_bytes.saturating_sub(FOOTER_BYTES as u64).max(begin);
        let mut footer = [0; FOOTER_BYTES];
        read_exactly(&*file, &path, &mut footer, footer_offset)?;
        let table_offset = take_footer(&footer, sequence)
            .filter(|offset| (begin..=footer_offset).contains(offset));
        let table_offset = table_offset.ok_or_else(|| {
            let what = "it does not end with the footer of this snapshot";
            SnapshotError::damaged(&path, footer_offset, what)
        })?;
        let stretch = table_offset..footer_offset;
        let mut frames = FrameReader::new(&*file, &path, sequence, stretch);
        let mut bytes = Vec::new();
        while !frames.is_at_end() {
            bytes.extend_from_slice(frames.bytes()?);
            frames.skip();
        }
        let damaged = |what: String| SnapshotError::damaged(&path, table_offset, what);
        let table: Table = postcard::from_bytes(&bytes).map_err(|e| damaged(e.to_string()))?;
        let mut end = begin;
        let units = table.units.iter().map(|bytes| {
            let unit = end..end.saturating_add(*bytes);
            end = unit.end;
            unit
        });
        let units = units.collect();
        if end != table_offset {
            return Err(damaged("the units do not end at the table".to_owned()));
        }
        let definitions = table.definitions.iter();
        let definitions = definitions.map(|json| decode_kind(json).map(Arc::new));
        let kinds = table.kinds.iter().map(|json| decode_record(json));
        Ok(Self {
            sequence,
            file_bytes,
            units,
            definitions: definitions
                .collect::<Result<_, _>>()
                .map_err(|error| damaged(error.to_string()))?,
            kinds: kinds
                .collect::<Result<_, _>>()
                .map_err(|error| damaged(error.to_string()))?,
            file,
            path,
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
        &self.kinds
    }

    /// Returns the kinds that parts refer to by index.
    #[must_use]
    pub fn definitions(&self) -> &[Arc<Kind>] {
        &self.definitions
    }

    /// Returns the number of units. Each can be read independently.
    #[must_use]
    pub fn units(&self) -> usize {
        self.units.len()
    }

    /// Returns the bytes of a unit.
    #[cfg(test)]
    #[must_use]
    pub fn unit_bytes(&self, unit: usize) -> u64 {
        self.units[unit].end - self.units[unit].start
    }

    /// Passes the contents of a unit to a visitor. If this returns an error, discard what was visited.
    pub fn read_unit(
        &self,
        unit: usize,
        visitor: &mut dyn PartVisitor,
    ) -> Result<(), SnapshotError> {
        let stretch = self.units[unit].clone();
        let mut reading = Reading {
            frames: FrameReader::new(&*self.file, &self.path, self.sequence, stretch),
            definitions: &self.definitions,
            visitor,
        };
        while !reading.frames.is_at_end() {
            reading.part()?;
        }
        Ok(())
    }
}

/// A unit that is being read.
struct Reading<'a> {
    frames: FrameReader<'a>,
    definitions: &'a [Arc<Kind>],
    visitor: &'a mut dyn PartVisitor,
}

impl Reading<'_> {
    /// Reads a part, or some profiles. The visitor receives what is in order.
    fn part(&mut self) -> Result<(), SnapshotError> {
        let element = self.element()?;
        let words = match &element {
            Element::Head(head) => self.words_of(head)?,
            Element::Profiles { .. } => 0,
            _ => return Err(self.frames.damaged("a part does not begin with its head")),
        };
        self.visit(&element)?;
        if let Element::Profiles { kind, count } = &element {
            return self.profiles(kind, *count);
        }
        let (mut stage, mut generations) = (0, 0);
        let mut window: Option<Window> = None;
        loop {
            let element = self.element()?;
            let next = match element {
                Element::Head(_) | Element::Profiles { .. } => 0,
                Element::Dropped(_) => 1,
                Element::Ids { .. } => 2,
                Element::Window(_) => 3,
                Element::End => 4,
            };
            generations += usize::from(next == 2);
            let is_repeated = next == stage && next == 1;
            if next == 0 || next < stage || is_repeated || generations > 2 {
                return Err(self
                    .frames
                    .damaged("the elements of a part are not in order"));
            }
            stage = next;
            self.visit(&element)?;
            match element {
                Element::Ids { count, .. } => self.ids(count)?,
                Element::Window(head) => {
                    if window.is_some_and(|last| last >= head.window) {
                        return Err(self
                            .frames
                            .damaged("the windows of a part are not in order"));
                    }
                    window = Some(head.window);
                    self.rows(words, &head)?;
                }
                Element::End => return Ok(()),
                _ => {}
            }
        }
    }

    /// Reads an element. What it announces is limited by the bytes that follow.
    fn element(&mut self) -> Result<Element, SnapshotError> {
        let element: Element = self.frames.take()?;
        let announced = match &element {
            // Each takes at least a byte.
            Element::Ids { count, .. } | Element::Profiles { count, .. } => *count,
            Element::Window(head) => head.rows,
            Element::Head(_) | Element::Dropped(_) | Element::End => 0,
        };
        if announced > self.frames.bytes_left() {
            return Err(self.frames.damaged("more is announced than follows"));
        }
        Ok(element)
    }

    fn visit(&mut self, element: &Element) -> Result<(), SnapshotError> {
        let refused = self.visitor.element(element);
        self.visited(refused)
    }

    /// Checks the head of a part, and returns the words of its rows.
    fn words_of(&self, head: &PartHead) -> Result<usize, SnapshotError> {
        let is_one = head.parts == 1 || head.parts == head.shards.get();
        match self.definitions.get(head.kind as usize) {
            Some(kind) if is_one && head.part < head.parts => Ok(kind.rules().standing_len()),
            _ => Err(self.frames.damaged("the head of a part is invalid")),
        }
    }

    fn profiles(&mut self, kind: &KindName, count: u64) -> Result<(), SnapshotError> {
        for _ in 0..count {
            let profile: ProfileChange = self.frames.take()?;
            let refused = self.visitor.profile(kind, profile);
            self.visited(refused)?;
        }
        Ok(())
    }

    fn ids(&mut self, count: u64) -> Result<(), SnapshotError> {
        for _ in 0..count {
            let id = self.frames.take()?;
            let refused = self.visitor.id(id);
            self.visited(refused)?;
        }
        Ok(())
    }

    fn rows(&mut self, words: usize, head: &WindowHead) -> Result<(), SnapshotError> {
        let mut standing = [0; STANDING_WORDS_MAX];
        let standing = &mut standing[..words];
        for _ in 0..head.rows {
            let member = self.frames.row(standing)?;
            let refused = self.visitor.row(member, standing);
            self.visited(refused)?;
        }
        Ok(())
    }

    fn visited(&self, said: Result<(), Refusal>) -> Result<(), SnapshotError> {
        said.map_err(|why| SnapshotError::Refused {
            file: self.frames.path().to_owned(),
            offset: self.frames.offset(),
            why,
        })
    }
}
