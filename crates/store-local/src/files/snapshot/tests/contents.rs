//! The contents of a snapshot: [`Contents`], written and read as a whole.

use std::sync::Arc;

use board::{Kind, KindName, Member, Profile, Timestamp};
use disk::Disk;
use shard_store::{KindRecord, ProfileChange};

use super::super::{
    PartHead, PartVisitor, Refusal, SnapshotError, SnapshotName, SnapshotReader, SnapshotWriter,
    Totals, Watermarks, WindowHead,
};

/// The contents of a snapshot.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Contents {
    pub(super) sequence: u64,
    pub(super) definitions: Vec<Arc<Kind>>,
    pub(super) parts: Vec<Part>,
    pub(super) profiles: Vec<(KindName, Vec<(Member, Profile)>)>,
    pub(super) kinds: Vec<KindRecord>,
}

/// Members and their standings.
pub(super) type Rows = Vec<(String, Vec<u64>)>;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Part {
    pub(super) head: PartHead,
    pub(super) watermarks: Option<Watermarks>,
    pub(super) ids: Vec<(Timestamp, Vec<[u32; 4]>)>,
    pub(super) windows: Vec<(WindowHead, Rows)>,
}

impl Contents {
    pub(super) fn begin<'a>(
        &self,
        disk: &'a dyn Disk,
    ) -> Result<SnapshotWriter<'a>, SnapshotError> {
        let mut writer = SnapshotWriter::create(disk, self.sequence)?;
        for (index, kind) in (0..).zip(&self.definitions) {
            assert_eq!(writer.add_kind(kind), index);
        }
        Ok(writer)
    }

    pub(super) fn write(&self, disk: &dyn Disk) -> Result<u64, SnapshotError> {
        let mut writer = self.begin(disk)?;
        for part in &self.parts {
            part.write(&mut writer)?;
        }
        for (kind, profiles) in &self.profiles {
            writer.profiles(kind, profiles)?;
        }
        writer.finish(&self.kinds)
    }

    fn totals(&self) -> Totals {
        let windows = || self.parts.iter().flat_map(|part| &part.windows);
        let ids = self.parts.iter().flat_map(|part| &part.ids);
        let profiles = self.profiles.iter().map(|(_, some)| some.len() as u64);
        Totals {
            parts: (self.parts.len() + self.profiles.len()) as u64,
            rows: windows().map(|(_, rows)| rows.len() as u64).sum::<u64>() + profiles.sum::<u64>(),
            ids: ids.map(|(_, ids)| ids.len() as u64).sum(),
        }
    }
}

impl Part {
    fn write(&self, writer: &mut SnapshotWriter<'_>) -> Result<(), SnapshotError> {
        writer.begin_part(&self.head)?;
        if let Some(watermarks) = &self.watermarks {
            writer.watermarks(watermarks)?;
        }
        for (began, ids) in &self.ids {
            writer.ids_generation(*began, ids.len() as u64)?;
            for id in ids {
                writer.id(*id)?;
            }
        }
        for (head, rows) in &self.windows {
            writer.window(head)?;
            for (member, words) in rows {
                writer.row(member.as_bytes(), words)?;
            }
        }
        writer.end_part()
    }
}

/// Reads a whole snapshot, including its totals.
pub(super) fn read_all(disk: &dyn Disk, name: &SnapshotName) -> Result<Contents, SnapshotError> {
    let reader = SnapshotReader::open(disk, name)?;
    let mut read_parts = ReadParts::default();
    for unit in 0..reader.units() {
        reader.read_unit(unit, &mut read_parts)?;
    }
    let contents = Contents {
        sequence: reader.sequence(),
        definitions: reader.definitions().to_vec(),
        parts: read_parts.parts,
        profiles: read_parts.profiles,
        kinds: reader.kinds().to_vec(),
    };
    assert_eq!(contents.totals(), reader.totals());
    Ok(contents)
}

/// Keeps the parts that a reader visits.
#[derive(Debug, Default)]
pub(super) struct ReadParts {
    pub(super) parts: Vec<Part>,
    /// By kind; each kind once.
    pub(super) profiles: Vec<(KindName, Vec<(Member, Profile)>)>,
    /// The member whose row is rejected.
    pub(super) rejects: Option<&'static [u8]>,
}

impl ReadParts {
    fn part(&mut self) -> &mut Part {
        self.parts.last_mut().expect("a head came before")
    }
}

impl PartVisitor for ReadParts {
    fn head(&mut self, head: &PartHead) -> Result<(), Refusal> {
        self.parts.push(Part {
            head: head.clone(),
            watermarks: None,
            ids: Vec::new(),
            windows: Vec::new(),
        });
        Ok(())
    }

    fn watermarks(&mut self, watermarks: &Watermarks) -> Result<(), Refusal> {
        self.part().watermarks = Some(*watermarks);
        Ok(())
    }

    fn ids_generation(&mut self, began: Timestamp, count: u64) -> Result<(), Refusal> {
        let room = Vec::with_capacity(usize::try_from(count).unwrap());
        self.part().ids.push((began, room));
        Ok(())
    }

    fn id(&mut self, id: [u32; 4]) -> Result<(), Refusal> {
        self.part().ids.last_mut().unwrap().1.push(id);
        Ok(())
    }

    fn window(&mut self, head: &WindowHead) -> Result<(), Refusal> {
        let room = Vec::with_capacity(usize::try_from(head.rows).unwrap());
        self.part().windows.push((*head, room));
        Ok(())
    }

    fn row(&mut self, member: &[u8], words: &[u64]) -> Result<(), Refusal> {
        if self.rejects == Some(member) {
            return Err(Refusal("no such member".to_owned()));
        }
        let row = (str::from_utf8(member).unwrap().to_owned(), words.to_vec());
        self.part().windows.last_mut().unwrap().1.push(row);
        Ok(())
    }

    fn profile(&mut self, kind: &KindName, change: ProfileChange) -> Result<(), Refusal> {
        if self.profiles.last().is_none_or(|(last, _)| last != kind) {
            self.profiles.push((kind.clone(), Vec::new()));
        }
        let of_kind = self.profiles.last_mut().unwrap();
        of_kind.1.push((change.member, change.profile.unwrap()));
        Ok(())
    }

    fn end(&mut self) -> Result<(), Refusal> {
        let part = self.part();
        for (head, rows) in &part.windows {
            assert_eq!(head.rows, rows.len() as u64);
        }
        Ok(())
    }
}
