//! The file of an audit log: lines are added to it, each of them whole or not at all, and files before it
//! are kept up to a number.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// Only the server's user may read and write the file.
const FILE_MODE: u32 = 0o600;

/// How much a log may take on its disk: files of so many bytes, the current one and those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditLimits {
    /// Bytes of a file. A line that would make it longer begins the next one.
    pub file_bytes_max: u64,
    /// Files before the current one; the oldest is deleted first.
    pub files_kept: u32,
}

impl Default for AuditLimits {
    fn default() -> Self {
        Self {
            file_bytes_max: 64 << 20,
            files_kept: 7,
        }
    }
}

/// The log as it is on its disk.
#[derive(Debug)]
pub(crate) struct Files {
    path: PathBuf,
    limits: AuditLimits,
}

impl Files {
    pub(crate) const fn new(path: PathBuf, limits: AuditLimits) -> Self {
        Self { path, limits }
    }

    /// Adds a line, in the next file where this one is full.
    pub(crate) fn add(&self, line: Vec<u8>) -> io::Result<()> {
        let mut file = open(&self.path)?;
        let (bytes, _) = file.end()?;
        // With the end of a line that a crash may have left without one.
        let line_bytes = line.len() as u64 + 1;
        if bytes > 0 && bytes + line_bytes > self.limits.file_bytes_max {
            self.rotate()?;
            file = open(&self.path)?;
        }
        add(&mut file, line)
    }

    /// Renames each file to the next number; the oldest is replaced. What is interrupted leaves numbers
    /// out, and is gone on with by the next rotation.
    fn rotate(&self) -> io::Result<()> {
        for number in (0..self.limits.files_kept).rev() {
            match std::fs::rename(self.numbered(number), self.numbered(number + 1)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        if self.limits.files_kept == 0 {
            std::fs::remove_file(&self.path)?;
        }
        sync_folder(&self.path)
    }

    /// `audit.log`, `audit.log.1`, `audit.log.2`.
    fn numbered(&self, number: u32) -> PathBuf {
        let mut path = self.path.clone().into_os_string();
        if number > 0 {
            path.push(format!(".{number}"));
        }
        path.into()
    }
}

/// The file, which is created where it is not there.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).mode(FILE_MODE);
    match options.open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        opened => return opened,
    }
    let file = options.create(true).open(path)?;
    // The file's name is durable with its folder alone.
    sync_folder(path)?;
    Ok(file)
}

fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// What lines are added to.
pub(crate) trait Lines: io::Write {
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
pub(crate) fn add(file: &mut impl Lines, mut line: Vec<u8>) -> io::Result<()> {
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

    #[test]
    fn a_log_takes_no_more_than_its_limit_and_the_newest_lines_stay() {
        let folder = tempfile::tempdir().unwrap();
        let limits = AuditLimits {
            file_bytes_max: 40,
            files_kept: 2,
        };
        let files = Files::new(folder.path().join("audit.log"), limits);
        let read = || {
            let text = |name| std::fs::read_to_string(folder.path().join(name)).unwrap_or_default();
            ["audit.log.2", "audit.log.1", "audit.log"].map(text)
        };
        let mut all = String::new();
        for number in 0..50 {
            let line = format!("line {number}\n");
            all.push_str(&line);
            files.add(line.into_bytes()).unwrap();
            let held = read();
            assert!(held.iter().all(|text| text.len() <= 40), "{held:?}");
            assert!(all.ends_with(&held.concat()), "{held:?}");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
        assert!(read().iter().all(|text| !text.is_empty()));
        // A line is never refused for its length.
        files.add(vec![b'x'; 100]).unwrap();
        assert_eq!(read()[2].len(), 100);
    }

    #[test]
    fn without_files_before_it_a_full_one_begins_anew() {
        let folder = tempfile::tempdir().unwrap();
        let limits = AuditLimits {
            file_bytes_max: 10,
            files_kept: 0,
        };
        let files = Files::new(folder.path().join("audit.log"), limits);
        for number in 0..5 {
            files.add(format!("line {number}\n").into_bytes()).unwrap();
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        let text = std::fs::read_to_string(folder.path().join("audit.log")).unwrap();
        assert_eq!(text, "line 4\n");
    }
}
