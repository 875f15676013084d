//! [`Segment`]: a file of a journal, its name and its creation.
//!
//! Errors contain the path of the segment. This module does not know the contents, except the header.

use std::io;
use std::path::PathBuf;

use disk::{Disk, DiskFile};

use crate::format::{SEGMENT_HEADER_BYTES, SegmentHeader};
use crate::sequence::Sequence;

/// The number of zeros that are written with one call.
pub(super) const ZEROS_STEP_BYTES: usize = 1 << 20;

pub(super) static ZEROS: [u8; ZEROS_STEP_BYTES] = [0; ZEROS_STEP_BYTES];

const NAME_PREFIX: &str = "journal-";
const NAME_SUFFIX: &str = ".log";
const NAME_DIGITS: usize = 20;

/// The suffix of a file that is being created.
const UNFINISHED: &str = ".tmp";

/// An open file of the journal.
#[derive(Debug)]
pub(super) struct Segment {
    path: PathBuf,
    file: Box<dyn DiskFile>,
}

/// A segment could not be created.
#[derive(Debug)]
pub(super) enum CreateError {
    /// The segment does not exist.
    Absent(io::Error),
    /// The segment may exist.
    Uncertain(io::Error),
}

impl CreateError {
    pub(super) fn into_error(self) -> io::Error {
        match self {
            Self::Absent(error) | Self::Uncertain(error) => error,
        }
    }
}

/// Returns the name of the segment whose first record is `first`.
pub(super) fn name_of(first: Sequence) -> String {
    format!("{NAME_PREFIX}{:0NAME_DIGITS$}{NAME_SUFFIX}", first.0)
}

/// Returns the first sequence of each segment of a folder, in order.
pub(super) fn list(disk: &dyn Disk) -> io::Result<Vec<Sequence>> {
    let names = disk.list().map_err(|error| in_folder(disk, &error))?;
    let mut firsts: Vec<Sequence> = names.iter().filter_map(|name| first_of(name)).collect();
    firsts.sort_unstable();
    Ok(firsts)
}

/// Removes files whose creation was interrupted by a crash.
pub(super) fn remove_unfinished(disk: &dyn Disk) -> io::Result<()> {
    for name in disk.list().map_err(|error| in_folder(disk, &error))? {
        if name.starts_with(NAME_PREFIX) && name.ends_with(UNFINISHED) {
            remove(disk, &name)?;
        }
    }
    Ok(())
}

/// Removes a file, if it exists.
pub(super) fn remove(disk: &dyn Disk, name: &str) -> io::Result<()> {
    match disk.remove(name) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(naming(&disk.path().join(name), &error))
        }
        _ => Ok(()),
    }
}

/// Makes creations, renames and removals durable.
pub(super) fn sync_folder(disk: &dyn Disk) -> io::Result<()> {
    disk.sync_folder().map_err(|error| in_folder(disk, &error))
}

/// Returns whether the error is a lack of disk space, which may be temporary.
pub(super) fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    )
}

fn first_of(name: &str) -> Option<Sequence> {
    let digits = name.strip_prefix(NAME_PREFIX)?.strip_suffix(NAME_SUFFIX)?;
    let first = Sequence(digits.parse().ok()?);
    (name_of(first) == name).then_some(first)
}

fn in_folder(disk: &dyn Disk, error: &io::Error) -> io::Error {
    naming(disk.path(), error)
}

pub(super) fn naming(path: &std::path::Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

impl Segment {
    /// Opens an existing segment.
    pub(super) fn open(disk: &dyn Disk, first: Sequence) -> io::Result<Self> {
        let name = name_of(first);
        let path = disk.path().join(&name);
        match disk.open(&name) {
            Ok(file) => Ok(Self { path, file }),
            Err(error) => Err(naming(&path, &error)),
        }
    }

    /// Creates a segment. It has its final name only once the header and `zeros` are durable.
    pub(super) fn create(
        disk: &dyn Disk,
        header: SegmentHeader,
        zeros: u64,
    ) -> Result<Self, CreateError> {
        let name = name_of(header.first);
        let unfinished = format!("{name}{UNFINISHED}");
        let segment = Self::prepare(disk, &unfinished, header, zeros)
            .and_then(|file| match disk.rename(&unfinished, &name) {
                Err(error) if is_full(&error) => Err(error),
                renamed => Ok((file, renamed)),
            })
            .map_err(|error| {
                // Frees the disk space. Errors are ignored.
                let _ = disk.remove(&unfinished);
                CreateError::Absent(naming(&disk.path().join(&unfinished), &error))
            });
        let (file, renamed) = segment?;
        let path = disk.path().join(&name);
        renamed.map_err(|error| CreateError::Uncertain(naming(&path, &error)))?;
        sync_folder(disk).map_err(CreateError::Uncertain)?;
        Ok(Self { path, file })
    }

    fn prepare(
        disk: &dyn Disk,
        name: &str,
        header: SegmentHeader,
        zeros: u64,
    ) -> io::Result<Box<dyn DiskFile>> {
        let file = disk.create(name)?;
        file.write_at(&header.encode(), 0)?;
        let mut at = SEGMENT_HEADER_BYTES as u64;
        let end = at + zeros;
        while at < end {
            let step = usize::try_from(end - at).map_or(ZEROS.len(), |left| left.min(ZEROS.len()));
            file.write_at(&ZEROS[..step], at)?;
            at += step as u64;
        }
        file.sync()?;
        Ok(file)
    }

    pub(super) fn path(&self) -> &std::path::Path {
        &self.path
    }

    pub(super) fn size(&self) -> io::Result<u64> {
        self.with_path(self.file.size())
    }

    pub(super) fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.with_path(self.file.read_at(buffer, offset))
    }

    pub(super) fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.with_path(self.file.write_at(bytes, offset))
    }

    /// Writes at most [`ZEROS_STEP_BYTES`] zeros.
    pub(super) fn write_zeros(&self, bytes: usize, offset: u64) -> io::Result<()> {
        self.write_at(&ZEROS[..bytes], offset)
    }

    pub(super) fn set_size(&self, bytes: u64) -> io::Result<()> {
        self.with_path(self.file.set_size(bytes))
    }

    pub(super) fn sync(&self) -> io::Result<()> {
        self.with_path(self.file.sync())
    }

    fn with_path<T>(&self, result: io::Result<T>) -> io::Result<T> {
        result.map_err(|error| naming(&self.path, &error))
    }
}
