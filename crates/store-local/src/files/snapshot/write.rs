//! Writes a snapshot through one buffer, and gives it its name when it is durable.

use board::{Kind, KindName, Member, Profile, Timestamp};

use super::format::{FRAME_BYTES_MAX, HEADER_BYTES, UNIT_BYTES, footer};
use super::frames::FrameWriter;
use super::part::{
    ELEMENT_BYTES_MAX, END, ID_BYTES, PROFILE_ELEMENT_BYTES_MAX, put_head, put_id, put_ids,
    put_profile_of, put_profiles_head, put_row, put_watermarks, put_window_head,
};
use super::table::{self, Texts, Unit};
use super::{PartHead, SnapshotError, SnapshotName, Totals, Watermarks, WindowHead};
use disk::Disk;
use shard_store::KindRecord;
use shard_store::kind_text::{encode_kind, encode_record};

/// A snapshot in progress. Dropped before [`SnapshotWriter::finish`] it leaves nothing behind.
///
/// A part is begun, its elements are added in their order, and it is ended. Adding elements out of order, or another
/// number of ids or rows than announced, is a bug and panics. After an error the writer has to be dropped.
#[derive(Debug)]
pub struct SnapshotWriter<'a> {
    disk: &'a dyn Disk,
    name: SnapshotName,
    frames: FrameWriter,
    units: Vec<Unit>,
    /// The offset of the current unit.
    unit_offset: u64,
    totals: Totals,
    definitions: Vec<Definition>,
    definition_texts: Texts,
    state: WriterState,
    /// Words of a row of the current part.
    words: usize,
    renamed: bool,
}

/// What is needed of a definition while parts refer to it.
#[derive(Debug)]
struct Definition {
    name: KindName,
    words: usize,
}

/// Which elements may follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WriterState {
    BetweenParts,
    /// Any element after the ones already written.
    InPart(PartProgress),
    /// This many more ids of a generation.
    Ids(u64, PartProgress),
    /// This many more rows.
    Rows(u64),
}

/// The last element of a part that was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PartProgress {
    Head,
    Watermarks,
    YoungerIds,
    ElderIds,
    Windows,
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
            units: Vec::new(),
            unit_offset: HEADER_BYTES as u64,
            totals: Totals::default(),
            definitions: Vec::new(),
            definition_texts: Texts::default(),
            state: WriterState::BetweenParts,
            words: 0,
            renamed: false,
        })
    }

    /// Adds a kind that parts refer to, and returns its index among the definitions. Boards share them: add each once.
    pub fn add_kind(&mut self, kind: &Kind) -> u32 {
        let mut json = Vec::new();
        encode_kind(&mut json, kind);
        self.definition_texts.push(&json);
        let index = u32::try_from(self.definitions.len()).expect("there are fewer than 2^32 kinds");
        self.definitions.push(Definition {
            name: kind.name().clone(),
            words: kind.rules().standing_len(),
        });
        index
    }

    /// Begins a part. Its kind has been added before.
    pub fn begin_part(&mut self, head: &PartHead) -> Result<(), SnapshotError> {
        let kind = &self.definitions[head.kind as usize];
        assert_eq!(kind.name, *head.name.kind(), "a part of another kind");
        assert_eq!(
            self.state,
            WriterState::BetweenParts,
            "a part begun in a part"
        );
        self.words = kind.words;
        put_head(self.frames.reserve(ELEMENT_BYTES_MAX)?, head);
        self.state = WriterState::InPart(PartProgress::Head);
        self.totals.parts += 1;
        Ok(())
    }

    /// Writes the watermarks; optional if no window was dropped.
    pub fn watermarks(&mut self, watermarks: &Watermarks) -> Result<(), SnapshotError> {
        self.pass(PartProgress::Head, PartProgress::Watermarks);
        put_watermarks(self.frames.reserve(ELEMENT_BYTES_MAX)?, watermarks);
        Ok(())
    }

    /// Announces the ids of a generation; the younger comes first.
    pub fn ids_generation(&mut self, began: Timestamp, count: u64) -> Result<(), SnapshotError> {
        let passed = if self.state == WriterState::InPart(PartProgress::YoungerIds) {
            PartProgress::ElderIds
        } else {
            PartProgress::YoungerIds
        };
        self.pass(PartProgress::ElderIds, passed);
        put_ids(self.frames.reserve(ELEMENT_BYTES_MAX)?, began, count);
        if count > 0 {
            self.state = WriterState::Ids(count, passed);
        }
        self.totals.ids += count;
        Ok(())
    }

    /// Writes an id of the current generation.
    pub fn id(&mut self, id: [u32; 4]) -> Result<(), SnapshotError> {
        self.state = match self.state {
            WriterState::Ids(1, passed) => WriterState::InPart(passed),
            WriterState::Ids(left, passed) => WriterState::Ids(left - 1, passed),
            _ => panic!("an id that was not announced"),
        };
        put_id(self.frames.reserve(ID_BYTES)?, id);
        Ok(())
    }

    /// Announces the rows of a window. A part's windows are sorted.
    pub fn window(&mut self, head: &WindowHead) -> Result<(), SnapshotError> {
        self.pass(PartProgress::Windows, PartProgress::Windows);
        put_window_head(self.frames.reserve(ELEMENT_BYTES_MAX)?, head);
        if head.rows > 0 {
            self.state = WriterState::Rows(head.rows);
        }
        self.totals.rows += head.rows;
        Ok(())
    }

    /// Writes a row of the current window: a member's bytes, and the words of its standing.
    pub fn row(&mut self, member: &[u8], words: &[u64]) -> Result<(), SnapshotError> {
        assert_eq!(words.len(), self.words, "a row of another kind");
        self.state = match self.state {
            WriterState::Rows(1) => WriterState::InPart(PartProgress::Windows),
            WriterState::Rows(left) => WriterState::Rows(left - 1),
            _ => panic!("a row that was not announced"),
        };
        put_row(self.frames.reserve(ELEMENT_BYTES_MAX)?, member, words);
        Ok(())
    }

    /// Ends a part.
    pub fn end_part(&mut self) -> Result<(), SnapshotError> {
        assert!(
            matches!(self.state, WriterState::InPart(_)),
            "{:?}",
            self.state
        );
        self.frames.reserve(ELEMENT_BYTES_MAX)?.push(END);
        self.state = WriterState::BetweenParts;
        self.end_unit_if_full()
    }

    /// Writes some profiles of a kind, between parts.
    pub fn profiles(
        &mut self,
        kind: &KindName,
        profiles: &[(Member, Profile)],
    ) -> Result<(), SnapshotError> {
        let state = self.state;
        assert_eq!(state, WriterState::BetweenParts, "profiles in a part");
        let count = profiles.len() as u64;
        put_profiles_head(self.frames.reserve(ELEMENT_BYTES_MAX)?, kind, count);
        for (member, profile) in profiles {
            let out = self.frames.reserve(PROFILE_ELEMENT_BYTES_MAX)?;
            put_profile_of(out, member, profile);
        }
        self.totals.parts += 1;
        self.totals.rows += count;
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
        assert_eq!(
            self.state,
            WriterState::BetweenParts,
            "a part was not ended"
        );
        self.end_unit()?;
        let mut texts = Texts::default();
        let mut json = Vec::new();
        for record in kinds {
            json.clear();
            encode_record(&mut json, record);
            texts.push(&json);
        }
        let table_offset = self.frames.end();
        let table = table::encode(&self.units, &self.definition_texts, &texts);
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

    /// Moves on to `now`, which must not follow an element later than `latest`.
    fn pass(&mut self, latest: PartProgress, now: PartProgress) {
        let fits =
            matches!(self.state, WriterState::InPart(passed) if passed <= latest && passed <= now);
        assert!(fits, "{now:?} after {:?}", self.state);
        self.state = WriterState::InPart(now);
    }

    fn end_unit(&mut self) -> Result<(), SnapshotError> {
        self.frames.flush()?;
        let end = self.frames.end();
        if end > self.unit_offset {
            self.units.push(Unit {
                offset: self.unit_offset,
                bytes: end - self.unit_offset,
                totals: std::mem::take(&mut self.totals),
            });
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
