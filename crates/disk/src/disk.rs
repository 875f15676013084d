//! [`Disk`] and [`DiskFile`]: every file system operation of the local store.

use std::fmt::Debug;
use std::io;
use std::path::Path;

/// A flat folder of files.
pub trait Disk: Debug + Send + Sync + 'static {
    /// Returns the path, for messages.
    fn path(&self) -> &Path;

    /// Returns the names of its files, in no particular order.
    fn list(&self) -> io::Result<Vec<String>>;

    /// Opens an existing file for reading and writing.
    fn open(&self, name: &str) -> io::Result<Box<dyn DiskFile>>;

    /// Creates an empty file, replacing one of the same name.
    fn create(&self, name: &str) -> io::Result<Box<dyn DiskFile>>;

    /// Renames a file atomically, replacing one of the new name.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Removes a file.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// Makes creations, renames and removals durable.
    fn sync_folder(&self) -> io::Result<()>;
}

/// One file of a [`Disk`]; every call names an offset.
pub trait DiskFile: Debug + Send + Sync {
    /// Returns its length, in bytes.
    fn size(&self) -> io::Result<u64>;

    /// Reads the bytes from `offset` on, up to the buffer's length or the end of the file.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Writes all bytes at `offset`, and extends the file if necessary. After an error, any part of them may have been
    /// written.
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;

    /// Truncates the file, or extends it with zeros.
    fn set_size(&self, bytes: u64) -> io::Result<()>;

    /// Makes its contents and its length durable.
    fn sync(&self) -> io::Result<()>;
}
