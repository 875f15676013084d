//! The snapshots of a folder, by their names.

use std::io;

use super::SnapshotError;
use disk::Disk;

const PREFIX: &str = "snapshot-";
const SUFFIX: &str = ".snap";
const UNFINISHED: &str = ".tmp";
const DIGITS: usize = 20;

/// A snapshot's name, and the sequence in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotName {
    /// The name of the file.
    pub name: String,
    /// The first record of the journal that the snapshot may lack.
    pub sequence: u64,
}

impl SnapshotName {
    pub(super) fn of(sequence: u64) -> Self {
        Self {
            name: format!("{PREFIX}{sequence:0DIGITS$}{SUFFIX}"),
            sequence,
        }
    }

    /// Parses the name of a snapshot.
    pub(super) fn parse(name: &str) -> Option<Self> {
        let digits = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
        let plain = digits.len() == DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit());
        let sequence = digits.parse().ok().filter(|_| plain)?;
        let name = name.to_owned();
        Some(Self { name, sequence })
    }

    /// Returns its name while it is being written.
    pub(super) fn unfinished(&self) -> String {
        format!("{}{UNFINISHED}", self.name)
    }
}

/// Returns the existing snapshots, the newest first.
pub fn list(disk: &dyn Disk) -> Result<Vec<SnapshotName>, SnapshotError> {
    let names = names(disk)?.into_iter();
    let mut found: Vec<_> = names
        .filter_map(|name| SnapshotName::parse(&name))
        .collect();
    found.sort_unstable_by_key(|snapshot| std::cmp::Reverse(snapshot.sequence));
    Ok(found)
}

/// Removes the snapshots of smaller sequences.
pub fn remove_before(disk: &dyn Disk, sequence: u64) -> Result<(), SnapshotError> {
    let older = list(disk)?.into_iter();
    for snapshot in older.filter(|snapshot| snapshot.sequence < sequence) {
        remove(disk, &snapshot.name)?;
    }
    Ok(())
}

/// Removes unfinished snapshots. None may be in progress.
pub fn remove_unfinished(disk: &dyn Disk) -> Result<(), SnapshotError> {
    for name in names(disk)? {
        let snapshot = name.strip_suffix(UNFINISHED).and_then(SnapshotName::parse);
        if snapshot.is_some() {
            remove(disk, &name)?;
        }
    }
    Ok(())
}

fn names(disk: &dyn Disk) -> Result<Vec<String>, SnapshotError> {
    disk.list().map_err(SnapshotError::io(disk.path()))
}

fn remove(disk: &dyn Disk, name: &str) -> Result<(), SnapshotError> {
    match disk.remove(name) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(SnapshotError::io(&disk.path().join(name))(error))
        }
        _ => Ok(()),
    }
}
