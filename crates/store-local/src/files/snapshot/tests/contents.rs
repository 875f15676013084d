//! The contents of a snapshot: [`Contents`], written and read as a whole.

use std::sync::Arc;

use board::{Kind, KindName, Member, Period, Profile, Timestamp};
use disk::Disk;
use shard_store::{KindRecord, ProfileChange};

use super::super::{
    Element, PartHead, PartVisitor, Refusal, SnapshotError, SnapshotName, SnapshotReader,
    SnapshotWriter, WindowHead,
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
    pub(super) dropped: Option<Vec<(Period, Timestamp)>>,
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
}

impl Part {
    fn write(&self, writer: &mut SnapshotWriter<'_>) -> Result<(), SnapshotError> {
        writer.element(&Element::Head(self.head.clone()))?;
        if let Some(dropped) = &self.dropped {
            writer.element(&Element::Dropped(dropped.clone()))?;
        }
        for (began, ids) in &self.ids {
            writer.element(&Element::Ids {
                began: *began,
                count: ids.len() as u64,
            })?;
            for id in ids {
                writer.id(*id)?;
            }
        }
        for (head, rows) in &self.windows {
            writer.element(&Element::Window(*head))?;
            for (member, words) in rows {
                writer.row(member.as_bytes(), words)?;
            }
        }
        writer.element(&Element::End)
    }
}

/// Reads a whole snapshot.
pub(super) fn read_all(disk: &dyn Disk, name: &SnapshotName) -> Result<Contents, SnapshotError> {
    let reader = SnapshotReader::open(disk, name)?;
    let mut read_parts = ReadParts::default();
    for unit in 0..reader.units() {
        reader.read_unit(unit, &mut read_parts)?;
    }
    Ok(Contents {
        sequence: reader.sequence(),
        definitions: reader.definitions().to_vec(),
        parts: read_parts.parts,
        profiles: read_parts.profiles,
        kinds: reader.kinds().to_vec(),
    })
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
    fn element(&mut self, element: &Element) -> Result<(), Refusal> {
        match element {
            Element::Head(head) => self.parts.push(Part {
                head: head.clone(),
                dropped: None,
                ids: Vec::new(),
                windows: Vec::new(),
            }),
            Element::Dropped(dropped) => self.part().dropped = Some(dropped.clone()),
            Element::Ids { began, count } => {
                let room = Vec::with_capacity(usize::try_from(*count).unwrap());
                self.part().ids.push((*began, room));
            }
            Element::Window(head) => {
                let room = Vec::with_capacity(usize::try_from(head.rows).unwrap());
                self.part().windows.push((*head, room));
            }
            Element::End => {
                for (head, rows) in &self.part().windows {
                    assert_eq!(head.rows, rows.len() as u64);
                }
            }
            Element::Profiles { kind, .. } => self.profiles.push((kind.clone(), Vec::new())),
        }
        Ok(())
    }

    fn id(&mut self, id: [u32; 4]) -> Result<(), Refusal> {
        self.part().ids.last_mut().unwrap().1.push(id);
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

    fn profile(&mut self, _: &KindName, change: ProfileChange) -> Result<(), Refusal> {
        let of_kind = self.profiles.last_mut().unwrap();
        of_kind.1.push((change.member, change.profile.unwrap()));
        Ok(())
    }
}
