//! Writing a snapshot: everything through one buffer, and the name only when all is durable.

use board::{Kind, KindName, Timestamp};

use super::format::{FRAME_BYTES_MAX, HEADER_BYTES, UNIT_BYTES, footer};
use super::frames::FrameWriter;
use super::part::{
    ELEMENT_BYTES_MAX, END, ID_BYTES, put_head, put_id, put_ids, put_row, put_watermarks,
    put_window_head,
};
use super::table::{self, Texts, Unit};
use super::{PartHead, SnapshotError, SnapshotName, Totals, Watermarks, WindowHead};
use journal::Disk;
use shard_store::KindRecord;
use shard_store::kind_text::{put_kind, put_record};

/// A snapshot in the making. Dropped before [`SnapshotWriter::finish`] it leaves nothing.
///
/// A part is begun, told in the order of its elements, and ended; whoever breaks the order, or tells
/// another number of ids or rows than was announced, has a bug and panics: what would be written is
/// no part. After an error nothing but dropping it makes sense.
#[derive(Debug)]
pub(crate) struct SnapshotWriter<'a> {
    disk: &'a dyn Disk,
    name: SnapshotName,
    frames: FrameWriter,
    units: Vec<Unit>,
    /// Of the unit in the making.
    unit_offset: u64,
    totals: Totals,
    definitions: Vec<Definition>,
    definition_texts: Texts,
    place: Place,
    /// Words of a row of the part at hand.
    words: usize,
    renamed: bool,
}

/// What is needed of a definition while parts refer to it.
#[derive(Debug)]
struct Definition {
    name: KindName,
    words: usize,
}

/// What may come next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    BetweenParts,
    /// Any element that comes behind these.
    InPart(Passed),
    /// So many ids, of which generation.
    Ids(u64, Passed),
    /// So many rows.
    Rows(u64),
}

/// How far a part has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Passed {
    Head,
    Watermarks,
    YoungerIds,
    ElderIds,
    Windows,
}

impl<'a> SnapshotWriter<'a> {
    /// Begins a snapshot that tells everything before this sequence of the journal.
    pub(crate) fn create(disk: &'a dyn Disk, sequence: u64) -> Result<Self, SnapshotError> {
        let name = SnapshotName::of(sequence);
        let unfinished = name.unfinished();
        let path = disk.path().join(&unfinished);
        let file = disk.create(&unfinished).map_err(SnapshotError::io(&path))?;
        let frames = FrameWriter::new(file, path, sequence).inspect_err(|_| {
            // Best left to the next start, where this fails too.
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
            place: Place::BetweenParts,
            words: 0,
            renamed: false,
        })
    }

    /// Adds a kind that parts refer to; its place among the definitions. Many boards share one: add
    /// it once.
    pub(crate) fn add_kind(&mut self, kind: &Kind) -> u32 {
        let mut json = Vec::new();
        put_kind(&mut json, kind);
        self.definition_texts.push(&json);
        let index = u32::try_from(self.definitions.len()).expect("kinds are not that many");
        self.definitions.push(Definition {
            name: kind.name().clone(),
            words: kind.rules().standing_len(),
        });
        index
    }

    /// Begins a part. Its kind was added.
    pub(crate) fn begin_part(&mut self, head: &PartHead) -> Result<(), SnapshotError> {
        let kind = &self.definitions[head.kind as usize];
        assert_eq!(kind.name, *head.name.kind(), "a part of another kind");
        assert_eq!(self.place, Place::BetweenParts, "a part begun in a part");
        self.words = kind.words;
        put_head(self.frames.room(ELEMENT_BYTES_MAX)?, head);
        self.place = Place::InPart(Passed::Head);
        self.totals.parts += 1;
        Ok(())
    }

    /// Where windows were dropped; need not be told where none was.
    pub(crate) fn watermarks(&mut self, watermarks: &Watermarks) -> Result<(), SnapshotError> {
        self.pass(Passed::Head, Passed::Watermarks);
        put_watermarks(self.frames.room(ELEMENT_BYTES_MAX)?, watermarks);
        Ok(())
    }

    /// Announces the ids of a generation; the younger is told first.
    pub(crate) fn ids_generation(
        &mut self,
        began: Timestamp,
        count: u64,
    ) -> Result<(), SnapshotError> {
        let passed = if self.place == Place::InPart(Passed::YoungerIds) {
            Passed::ElderIds
        } else {
            Passed::YoungerIds
        };
        self.pass(Passed::ElderIds, passed);
        put_ids(self.frames.room(ELEMENT_BYTES_MAX)?, began, count);
        if count > 0 {
            self.place = Place::Ids(count, passed);
        }
        self.totals.ids += count;
        Ok(())
    }

    /// An id of the generation at hand.
    pub(crate) fn id(&mut self, id: [u32; 4]) -> Result<(), SnapshotError> {
        self.place = match self.place {
            Place::Ids(1, passed) => Place::InPart(passed),
            Place::Ids(left, passed) => Place::Ids(left - 1, passed),
            _ => panic!("an id that was not announced"),
        };
        put_id(self.frames.room(ID_BYTES)?, id);
        Ok(())
    }

    /// Announces the rows of a window. A part's windows come in their order.
    pub(crate) fn window(&mut self, head: &WindowHead) -> Result<(), SnapshotError> {
        self.pass(Passed::Windows, Passed::Windows);
        put_window_head(self.frames.room(ELEMENT_BYTES_MAX)?, head);
        if head.rows > 0 {
            self.place = Place::Rows(head.rows);
        }
        self.totals.rows += head.rows;
        Ok(())
    }

    /// A row of the window at hand: a member's bytes, and as many words as a standing has.
    pub(crate) fn row(&mut self, member: &[u8], words: &[u64]) -> Result<(), SnapshotError> {
        assert_eq!(words.len(), self.words, "a row of another kind");
        self.place = match self.place {
            Place::Rows(1) => Place::InPart(Passed::Windows),
            Place::Rows(left) => Place::Rows(left - 1),
            _ => panic!("a row that was not announced"),
        };
        put_row(self.frames.room(ELEMENT_BYTES_MAX)?, member, words);
        Ok(())
    }

    /// Ends a part.
    pub(crate) fn end_part(&mut self) -> Result<(), SnapshotError> {
        assert!(matches!(self.place, Place::InPart(_)), "{:?}", self.place);
        self.frames.room(ELEMENT_BYTES_MAX)?.push(END);
        self.place = Place::BetweenParts;
        if self.frames.end() - self.unit_offset >= UNIT_BYTES {
            self.end_unit()?;
        }
        Ok(())
    }

    /// Makes the snapshot durable, with all kinds as they are at its sequence; the file's bytes.
    ///
    /// An error that comes last, when the folder is synced, leaves a whole snapshot of which it is not
    /// known whether it is there after a crash.
    pub(crate) fn finish<'k>(
        mut self,
        kinds: impl IntoIterator<Item = &'k KindRecord>,
    ) -> Result<u64, SnapshotError> {
        assert_eq!(self.place, Place::BetweenParts, "a part was not ended");
        self.end_unit()?;
        let mut texts = Texts::default();
        let mut json = Vec::new();
        for record in kinds {
            json.clear();
            put_record(&mut json, record);
            texts.push(&json);
        }
        let table_offset = self.frames.end();
        let table = table::encode(&self.units, &self.definition_texts, &texts);
        for piece in table.chunks(FRAME_BYTES_MAX) {
            self.frames.room(piece.len())?.extend_from_slice(piece);
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

    /// Goes on from an element that is no later than `latest`.
    fn pass(&mut self, latest: Passed, now: Passed) {
        let fits = matches!(self.place, Place::InPart(passed) if passed <= latest && passed <= now);
        assert!(fits, "{now:?} behind {:?}", self.place);
        self.place = Place::InPart(now);
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
            // It is no snapshot, and takes room that others may need. If it stays, it is removed at
            // the next start.
            drop(self.disk.remove(&self.name.unfinished()));
        }
    }
}
