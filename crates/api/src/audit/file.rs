//! The file of an audit log: lines are added to it, each of them whole or not at all.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::Path;

/// Whoever may read the file; others of the machine may not.
const FILE_MODE: u32 = 0o600;

/// The file, which is made where it is not there.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).mode(FILE_MODE);
    match options.open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        opened => return opened,
    }
    let file = options.create(true).open(path)?;
    // The file's name is durable with its folder alone.
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
    Ok(file)
}

/// What lines are added to.
pub(super) trait Lines: io::Write {
    /// Bytes that are there, and the last of them.
    fn end(&self) -> io::Result<(u64, Option<u8>)>;
    /// Makes durable what was written.
    fn sync(&self) -> io::Result<()>;
    /// Leaves so many bytes.
    fn cut_to(&self, bytes: u64) -> io::Result<()>;
}

impl Lines for File {
    fn end(&self) -> io::Result<(u64, Option<u8>)> {
        let bytes = self.metadata()?.len();
        let Some(last) = bytes.checked_sub(1) else {
            return Ok((0, None));
        };
        let mut byte = [0];
        self.read_exact_at(&mut byte, last)?;
        Ok((bytes, Some(byte[0])))
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }

    fn cut_to(&self, bytes: u64) -> io::Result<()> {
        self.set_len(bytes)
    }
}

/// Adds a line, or nothing of it.
pub(super) fn add(file: &mut impl Lines, mut line: Vec<u8>) -> io::Result<()> {
    let (bytes, last) = file.end()?;
    if last.is_some_and(|last| last != b'\n') {
        // A server that was killed here left a line without its end.
        line.insert(0, b'\n');
    }
    let added = file.write_all(&line).and_then(|()| file.sync());
    if added.is_err() {
        // Or the next line would be glued to what stands of this one. Where even that fails, it begins
        // on a line of its own.
        let _ = file.cut_to(bytes);
    }
    added
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// A disk that is full after so many bytes.
    struct Full {
        file: File,
        room: usize,
        cuts: bool,
    }

    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.room == 0 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            let written = self.file.write(&bytes[..bytes.len().min(self.room)])?;
            self.room -= written;
            Ok(written)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Lines for Full {
        fn end(&self) -> io::Result<(u64, Option<u8>)> {
            self.file.end()
        }

        fn sync(&self) -> io::Result<()> {
            Ok(())
        }

        fn cut_to(&self, bytes: u64) -> io::Result<()> {
            if self.cuts {
                return self.file.cut_to(bytes);
            }
            Err(io::ErrorKind::PermissionDenied.into())
        }
    }

    #[test]
    fn a_line_that_does_not_fit_leaves_nothing_that_the_next_is_glued_to() {
        let folder = tempfile::tempdir().unwrap();
        for cuts in [true, false] {
            let path = folder.path().join(format!("audit-{cuts}.log"));
            add(&mut open(&path).unwrap(), b"first\n".to_vec()).unwrap();
            let mut full = Full {
                file: open(&path).unwrap(),
                room: 3,
                cuts,
            };
            let refused = add(&mut full, b"second\n".to_vec());
            assert_eq!(refused.unwrap_err().kind(), io::ErrorKind::StorageFull);
            add(&mut open(&path).unwrap(), b"third\n".to_vec()).unwrap();
            let torn = if cuts { "" } else { "sec\n" };
            let expected = format!("first\n{torn}third\n");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
        }
    }
}
