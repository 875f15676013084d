//! Writes a snapshot through one buffer, and gives it its name when it is durable.

use board::limits::{NAME_BYTES_MAX, PROFILE_BYTES_MAX};
use board::{Kind, KindName, Member, Profile, STANDING_WORDS_MAX};

use super::format::{FRAME_BYTES_MAX, HEADER_BYTES, UNIT_BYTES, footer};
use super::frames::FrameWriter;
use super::{Element, SnapshotError, SnapshotName, Table};
use disk::Disk;
use shard_store::kind_text::{encode_kind, encode_record};
use shard_store::{KindRecord, ProfileChange};

/// Maximum bytes of a number.
const NUMBER_BYTES_MAX: usize = 10;

/// Maximum bytes of a row: a name after its length, and eight words.
const ROW_BYTES_MAX: usize = 2 + NAME_BYTES_MAX + STANDING_WORDS_MAX * NUMBER_BYTES_MAX;

/// Maximum bytes of an element: a name, and at most 22 numbers and texts of up to 10 bytes.
const ELEMENT_BYTES_MAX: usize = 1 << 10;

/// Maximum bytes of a member and its profile, each after its length.
const PROFILE_ELEMENT_BYTES_MAX: usize = 2 + NAME_BYTES_MAX + 1 + 3 + PROFILE_BYTES_MAX;

/// A snapshot in progress. Dropped before [`SnapshotWriter::finish`] it leaves nothing behind.
///
/// The elements of parts are added in their order, and after each the ids, rows or profiles that it announces. Another
/// number than announced is a bug and panics; readers check the order. After an error the writer has to be dropped.
#[derive(Debug)]
pub struct SnapshotWriter<'a> {
    disk: &'a dyn Disk,
    name: SnapshotName,
    frames: FrameWriter,
    table: Table,
    /// The offset of the current unit.
    unit_offset: u64,
    /// How many of what the last element announced are still to come.
    announced: u64,
    renamed: bool,
}

impl<'a> SnapshotWriter<'a> {
    /// Creates a snapshot of everything before this sequence of the journal.
    pub fn create(disk: &'a dyn Disk, sequence: u64) -> Result<Self, SnapshotError> {
        let name = SnapshotName::of(sequence);
        let unfinished = name.unfinished();
        let path = disk.path().join(&unfinished);
        let file = disk.create(&unfinished).map_err(SnapshotError::io(&path))?;
        let frames = FrameWriter::new(file, path, sequence).inspect_err(|_| {
            // If this fails too, the next start removes it.
            drop(disk.remove(&unfinished));
        })?;
        Ok(Self {
            disk,
            name,
            frames,
            table: Table::default(),
            unit_offset: HEADER_BYTES as u64,
            announced: 0,
            renamed: false,
        })
    }

    /// Adds a kind that parts refer to, and returns its index among the definitions. Boards share them: add each once.
    pub fn add_kind(&mut self, kind: &Kind) -> u32 {
        self.table.definitions.push(encode_kind(kind));
        let index = self.table.definitions.len() - 1;
        u32::try_from(index).expect("there are fewer than 2^32 kinds")
    }

    /// Writes an element.
    pub fn element(&mut self, element: &Element) -> Result<(), SnapshotError> {
        assert_eq!(self.announced, 0, "{element:?} follows too few");
        self.announced = match element {
            Element::Ids { count, .. } | Element::Profiles { count, .. } => *count,
            Element::Window(head) => head.rows,
            Element::Head(_) | Element::Dropped(_) | Element::End => 0,
        };
        self.frames.put(element, ELEMENT_BYTES_MAX)?;
        if *element == Element::End {
            self.end_unit_if_full()?;
        }
        Ok(())
    }

    fn count_announced(&mut self) {
        let left = self.announced.checked_sub(1);
        self.announced = left.expect("more follow an element than it announced");
    }

    /// Writes an id of the current generation.
    pub fn id(&mut self, id: [u32; 4]) -> Result<(), SnapshotError> {
        self.count_announced();
        self.frames.put(&id, ROW_BYTES_MAX)
    }

    /// Writes a row of the current window: a member's bytes, and the words of its standing.
    pub fn row(&mut self, member: &[u8], words: &[u64]) -> Result<(), SnapshotError> {
        self.count_announced();
        let member = str::from_utf8(member).expect("a stored member is UTF-8");
        self.frames.put(&member, ROW_BYTES_MAX)?;
        for word in words {
            self.frames.put(word, 0)?;
        }
        Ok(())
    }

    /// Writes some profiles of a kind, between parts.
    pub fn profiles(
        &mut self,
        kind: &KindName,
        profiles: &[(Member, Profile)],
    ) -> Result<(), SnapshotError> {
        self.element(&Element::Profiles {
            kind: kind.clone(),
            count: profiles.len() as u64,
        })?;
        for (member, profile) in profiles {
            self.count_announced();
            let change = ProfileChange {
                member: member.clone(),
                profile: Some(profile.clone()),
            };
            self.frames.put(&change, PROFILE_ELEMENT_BYTES_MAX)?;
        }
        self.end_unit_if_full()
    }

    fn end_unit_if_full(&mut self) -> Result<(), SnapshotError> {
        if self.frames.end() - self.unit_offset >= UNIT_BYTES {
            self.end_unit()?;
        }
        Ok(())
    }

    /// Makes the snapshot durable, with all kinds as they are at its sequence, and returns the file's length.
    ///
    /// If syncing the folder fails at the end, the snapshot is complete, but may not exist after a crash.
    pub fn finish<'k>(
        mut self,
        kinds: impl IntoIterator<Item = &'k KindRecord>,
    ) -> Result<u64, SnapshotError> {
        assert_eq!(self.announced, 0, "the end follows too few");
        self.end_unit()?;
        self.table.kinds = kinds.into_iter().map(encode_record).collect();
        let table_offset = self.frames.end();
        let table = postcard::to_stdvec(&self.table).expect("a vector takes everything");
        for piece in table.chunks(FRAME_BYTES_MAX) {
            self.frames.reserve(piece.len())?.extend_from_slice(piece);
        }
        let bytes = self
            .frames
            .finish(&footer(self.name.sequence, table_offset))?;
        let SnapshotName { name, .. } = &self.name;
        let path = self.disk.path().join(name);
        let renamed = self.disk.rename(&self.name.unfinished(), name);
        renamed.map_err(SnapshotError::io(&path))?;
        self.renamed = true;
        let synced = self.disk.sync_folder();
        synced.map_err(SnapshotError::io(self.disk.path()))?;
        Ok(bytes)
    }

    fn end_unit(&mut self) -> Result<(), SnapshotError> {
        self.frames.flush()?;
        let end = self.frames.end();
        if end > self.unit_offset {
            self.table.units.push(end - self.unit_offset);
            self.unit_offset = end;
        }
        Ok(())
    }
}

impl Drop for SnapshotWriter<'_> {
    fn drop(&mut self) {
        if !self.renamed {
            // An unfinished snapshot takes disk space. If this fails, it is removed at the next
            // start.
            drop(self.disk.remove(&self.name.unfinished()));
        }
    }
}
