//! [`LocalDisk`]: a real folder, locked so that no second server can use it.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, FileExt, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use crate::disk::{Disk, DiskFile};
use crate::regular::{Links, open_regular};

/// The file whose lock marks a folder as in use by a server.
const LOCK_NAME: &str = "lock";

/// Only the server's user can read the boards, unless the owner grants permissions to a group.
const FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

/// Prefixes of the names of a store's files. The audit log may be in the same folder.
const OWN_NAMES: [&str; 5] = [LOCK_NAME, "journal-", "snapshot-", "clock-", "audit.log"];

/// The permission bits of others.
const OTHERS: u32 = 0o007;

/// A folder could not be opened for exclusive use.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another server has it open.
    #[error("{0}: another server is using this folder")]
    Locked(PathBuf),
    /// It could not be created, opened or locked.
    #[error("{0}: {1}")]
    Io(PathBuf, io::Error),
}

/// A folder of this machine's file system, locked by this process.
#[derive(Debug)]
pub struct LocalDisk {
    folder: PathBuf,
    writable: bool,
    /// Holds the lock, which is released on drop and at the end of the process.
    _lock: Option<File>,
}

impl LocalDisk {
    /// Opens a folder, and creates it if it does not exist.
    pub fn open(folder: &Path) -> Result<Self, OpenError> {
        let failed = |error| OpenError::Io(folder.to_owned(), error);
        make_folder(folder).map_err(failed)?;
        remove_others_permissions(folder);
        let mut options = OpenOptions::new();
        options.create(true).write(true).truncate(false);
        let lock = open_in(folder, LOCK_NAME, options.mode(FILE_MODE)).map_err(failed)?;
        Ok(Self {
            folder: folder.to_owned(),
            writable: true,
            _lock: Some(locked(lock, folder)?),
        })
    }

    /// Opens an existing folder for reading.
    pub fn open_read_only(folder: &Path) -> Result<Self, OpenError> {
        let failed = |error| OpenError::Io(folder.to_owned(), error);
        let lock = match open_in(folder, LOCK_NAME, OpenOptions::new().read(true)) {
            Ok(lock) => Some(locked(lock, folder)?),
            // A backup may lack the lock file; a running server would have created one.
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(failed(error)),
        };
        fs::read_dir(folder).map_err(failed)?;
        Ok(Self {
            folder: folder.to_owned(),
            writable: false,
            _lock: lock,
        })
    }

    fn path_of(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

/// Opens a file of a folder.
fn open_in(folder: &Path, name: &str, options: &mut OpenOptions) -> io::Result<File> {
    open_regular(options, &folder.join(name), Links::Rejected)
}

/// Removes the permissions of others from the files of a store, and from its folder if that contains nothing else:
/// a restored copy may be readable for everybody. Permissions of a group are kept.
fn remove_others_permissions(folder: &Path) {
    let inside = fs::read_dir(folder).into_iter().flatten().flatten();
    let (own, others): (Vec<_>, Vec<_>) = inside.partition(is_own);
    let whole = others.is_empty().then(|| folder.to_owned());
    for path in own.iter().map(fs::DirEntry::path).chain(whole) {
        let closed = fs::metadata(&path).and_then(|metadata| {
            let mode = metadata.permissions().mode();
            if mode & OTHERS == 0 {
                return Ok(());
            }
            fs::set_permissions(&path, Permissions::from_mode(mode & !OTHERS))
        });
        if let Err(error) = closed {
            tracing::warn!(path = %path.display(), %error, "other users of this machine may read boards: their permissions could not be removed");
        }
    }
}

/// Returns whether the entry is a file, not a link, with a name that a store uses.
fn is_own(entry: &fs::DirEntry) -> bool {
    let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
    let name = entry.file_name();
    let name = name.to_string_lossy();
    is_file && OWN_NAMES.iter().any(|own| name.starts_with(own))
}

/// Locks a folder, if no other process has locked it.
fn locked(lock: File, folder: &Path) -> Result<File, OpenError> {
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(OpenError::Locked(folder.to_owned())),
        Err(TryLockError::Error(error)) => Err(OpenError::Io(folder.to_owned(), error)),
    }
}

/// Returns the names in a folder. Names that are not UTF-8 are not files of a store.
fn names(folder: &Path) -> io::Result<impl Iterator<Item = String>> {
    let entries: Vec<_> = fs::read_dir(folder)?.collect::<io::Result<_>>()?;
    Ok(entries
        .into_iter()
        .filter_map(|entry| entry.file_name().into_string().ok()))
}

/// Creates a folder and its parents, and makes each durable in its parent.
fn make_folder(folder: &Path) -> io::Result<()> {
    let above = match folder.parent() {
        Some(above) if above.as_os_str().is_empty() => Path::new("."),
        Some(above) => above,
        None => return Ok(()),
    };
    if folder.is_dir() {
        return Ok(());
    }
    make_folder(above)?;
    match DirBuilder::new().mode(FOLDER_MODE).create(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && !folder.is_dir() => {
            Err(io::Error::new(error.kind(), "exists, and is not a folder"))
        }
        // Another process created it at the same time.
        Err(_) if folder.is_dir() => Ok(()),
        Err(error) => Err(error),
        Ok(()) => File::open(above)?.sync_all(),
    }
}

impl Disk for LocalDisk {
    fn path(&self) -> &Path {
        &self.folder
    }

    fn list(&self) -> io::Result<Vec<String>> {
        Ok(names(&self.folder)?
            .filter(|name| name != LOCK_NAME)
            .collect())
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        let mut options = OpenOptions::new();
        options.read(true).write(self.writable);
        Ok(Box::new(open_in(&self.folder, name, &mut options)?))
    }

    fn create(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(true);
        options.mode(FILE_MODE);
        Ok(Box::new(open_in(&self.folder, name, &mut options)?))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.path_of(from), self.path_of(to))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.path_of(name))
    }

    fn sync_folder(&self) -> io::Result<()> {
        File::open(&self.folder)?.sync_all()
    }
}

impl DiskFile for File {
    fn size(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut read = 0;
        while read < buffer.len() {
            match FileExt::read_at(self, &mut buffer[read..], offset + read as u64) {
                Ok(0) => break,
                Ok(bytes) => read += bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(read)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.write_all_at(bytes, offset)
    }

    fn set_size(&self, bytes: u64) -> io::Result<()> {
        self.set_len(bytes)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }
}
