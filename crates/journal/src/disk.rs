//! Everything that the embedded store asks of a file system: one flat folder of files.
//!
//! [`Disk`] is the seam at which tests fail, tear and weave; [`LocalDisk`] is a real folder, which it
//! locks against a second server. Nothing here knows what the files hold.

use std::fmt::Debug;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, FileExt, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// The file whose lock says that a server is at work here.
const LOCK_NAME: &str = "lock";

/// Boards are for the server's user alone, unless somebody gives them to a group.
const FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

/// How the names of a store's files begin. The audit log may lie beside the journal.
const OWN_NAMES: [&str; 5] = [LOCK_NAME, "journal-", "snapshot-", "clock-", "audit.log"];

/// The rights of others.
const OTHERS: u32 = 0o007;

/// A flat folder of files.
pub trait Disk: Debug + Send + Sync + 'static {
    /// Where it is, for messages.
    fn path(&self) -> &Path;

    /// The names of its files, in no order.
    fn list(&self) -> io::Result<Vec<String>>;

    /// Opens a file that is there, to read and to write.
    fn open(&self, name: &str) -> io::Result<Box<dyn DiskFile>>;

    /// Makes an empty file, in place of one of the same name.
    fn create(&self, name: &str) -> io::Result<Box<dyn DiskFile>>;

    /// Gives a file another name, in place of a file that has it: atomic.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Removes a file.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// Makes durable what was created, renamed and removed.
    fn sync_folder(&self) -> io::Result<()>;
}

/// One file of a [`Disk`]; every call says where in it.
pub trait DiskFile: Debug + Send + Sync {
    /// Its length, in bytes.
    fn size(&self) -> io::Result<u64>;

    /// Reads as many bytes as there are from `offset` on, up to the buffer's length.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Writes all bytes from `offset` on; past the end the file grows. After an error any part of
    /// them may be there.
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;

    /// Cuts it, or lengthens it with zeros.
    fn set_size(&self, bytes: u64) -> io::Result<()>;

    /// Makes its contents durable, and its length.
    fn sync(&self) -> io::Result<()>;
}

/// A folder could not be opened for this process alone.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another server has it open.
    #[error("{0}: another server is at work on this folder")]
    Locked(PathBuf),
    /// It could not be made, opened or locked.
    #[error("{0}: {1}")]
    Io(PathBuf, io::Error),
}

/// A folder of this machine's file system, for this process alone while it lives.
#[derive(Debug)]
pub struct LocalDisk {
    folder: PathBuf,
    writable: bool,
    /// Locked; the lock ends with it, and with the process.
    _lock: Option<File>,
}

impl LocalDisk {
    /// Opens a folder, made if it is not there.
    pub fn open(folder: &Path) -> Result<Self, OpenError> {
        let failed = |error| OpenError::Io(folder.to_owned(), error);
        make_folder(folder).map_err(failed)?;
        close_to_others(folder);
        let lock = OpenOptions::new()
            .create(true)
            .write(true)
            .truncate(false)
            .mode(FILE_MODE)
            .open(folder.join(LOCK_NAME))
            .map_err(failed)?;
        Ok(Self {
            folder: folder.to_owned(),
            writable: true,
            _lock: Some(locked(lock, folder)?),
        })
    }

    /// Opens a folder that is there, to look at it: nothing can be written.
    pub fn look_at(folder: &Path) -> Result<Self, OpenError> {
        let failed = |error| OpenError::Io(folder.to_owned(), error);
        let lock = match File::open(folder.join(LOCK_NAME)) {
            Ok(lock) => Some(locked(lock, folder)?),
            // A backup may have left it out; whoever is at work has made one.
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

/// Takes others' rights off the files of a store, and off its folder where there is nothing else in it: earlier
/// versions made them for everybody to read. What its owner has given to a group stays.
fn close_to_others(folder: &Path) {
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
            tracing::warn!(path = %path.display(), %error, "others of this machine may read boards: their rights could not be taken away");
        }
    }
}

/// Whether it is a file, not a link, with a name that a store gives.
fn is_own(entry: &fs::DirEntry) -> bool {
    let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
    let name = entry.file_name();
    let name = name.to_string_lossy();
    is_file && OWN_NAMES.iter().any(|own| name.starts_with(own))
}

/// The lock of a folder, if nobody else has it.
fn locked(lock: File, folder: &Path) -> Result<File, OpenError> {
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(OpenError::Locked(folder.to_owned())),
        Err(TryLockError::Error(error)) => Err(OpenError::Io(folder.to_owned(), error)),
    }
}

/// The names in a folder. One that is no text is none of ours.
fn names(folder: &Path) -> io::Result<impl Iterator<Item = String>> {
    let entries: Vec<_> = fs::read_dir(folder)?.collect::<io::Result<_>>()?;
    Ok(entries
        .into_iter()
        .filter_map(|entry| entry.file_name().into_string().ok()))
}

/// Makes a folder and what it lies in; what was made is durable in what was there.
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
            Err(io::Error::new(error.kind(), "is there, and is no folder"))
        }
        // Somebody else was faster.
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
        Ok(Box::new(options.open(self.path_of(name))?))
    }

    fn create(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(true);
        options.mode(FILE_MODE);
        Ok(Box::new(options.open(self.path_of(name))?))
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
