//! The files of an audit log: [`Files`].
//!
//! A line is appended whole or not at all. Full files are rotated, and a configured number of them is kept.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use disk::{Links, open_regular};

/// Permits only the server's user to read and write the file.
const FILE_MODE: u32 = 0o600;

/// The size of an audit log on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditLimits {
    /// Bytes of a file. A line that would make it longer begins the next file.
    pub file_bytes_max: u64,
    /// The number of files kept besides the current one. The oldest is deleted first.
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

/// The current file of a log and the rotated files.
#[derive(Debug)]
pub(crate) struct Files {
    path: PathBuf,
    limits: AuditLimits,
}

impl Files {
    pub(crate) const fn new(path: PathBuf, limits: AuditLimits) -> Self {
        Self { path, limits }
    }

    /// Appends a line. If the current file is full, begins the next one.
    pub(crate) fn append(&self, line: Vec<u8>) -> io::Result<()> {
        let mut file = open(&self.path)?;
        let (bytes, _) = file.end()?;
        // Includes the line feed that a torn line may need.
        let line_bytes = line.len() as u64 + 1;
        if bytes > 0 && bytes + line_bytes > self.limits.file_bytes_max {
            self.rotate()?;
            file = open(&self.path)?;
        }
        append(&mut file, line)
    }

    /// Returns the files that exist, the newest first.
    pub(crate) fn newest_first(&self) -> impl Iterator<Item = io::Result<File>> {
        let open = |number| {
            let mut options = OpenOptions::new();
            open_regular(options.read(true), &self.numbered(number), Links::Followed)
        };
        let opened = (0..=self.limits.files_kept).map(open);
        opened.filter(
            |opened| !matches!(opened, Err(error) if error.kind() == io::ErrorKind::NotFound),
        )
    }

    /// Renames each file to the next number. The oldest is replaced. An interrupted rotation leaves a gap in the
    /// numbers, and the next rotation continues it.
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

    /// Returns the path with this number: `audit.log`, `audit.log.1`, `audit.log.2`.
    fn numbered(&self, number: u32) -> PathBuf {
        let mut path = self.path.clone().into_os_string();
        if number > 0 {
            path.push(format!(".{number}"));
        }
        path.into()
    }
}

/// Opens the file. Creates it if it does not exist.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).mode(FILE_MODE);
    match open_regular(&mut options, path, Links::Followed) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        opened => return opened,
    }
    let file = open_regular(options.create(true), path, Links::Followed)?;
    // The file's name is durable once its folder is synced.
    sync_folder(path)?;
    Ok(file)
}

fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// A file that lines are appended to.
trait LineFile: io::Write {
    /// Returns the length, and the last byte.
    fn end(&self) -> io::Result<(u64, Option<u8>)>;
    /// Makes written bytes durable.
    fn sync(&self) -> io::Result<()>;
    /// Truncates the file to this length.
    fn truncate(&self, bytes: u64) -> io::Result<()>;
}

impl LineFile for File {
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

    fn truncate(&self, bytes: u64) -> io::Result<()> {
        self.set_len(bytes)
    }
}

/// Appends the whole line, or nothing.
fn append(file: &mut impl LineFile, mut line: Vec<u8>) -> io::Result<()> {
    let (bytes, last) = file.end()?;
    if last.is_some_and(|last| last != b'\n') {
        // A crash tore the last line.
        line.insert(0, b'\n');
    }
    let appended = file.write_all(&line).and_then(|()| file.sync());
    if appended.is_err() {
        // Removes what was written of the line. If that fails, too, the next line begins with a line feed.
        let _ = file.truncate(bytes);
    }
    appended
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// A file on a disk with little space left.
    struct FullDiskFile {
        file: File,
        free_bytes: usize,
        can_truncate: bool,
    }

    impl Write for FullDiskFile {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.free_bytes == 0 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            let written = self
                .file
                .write(&bytes[..bytes.len().min(self.free_bytes)])?;
            self.free_bytes -= written;
            Ok(written)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl LineFile for FullDiskFile {
        fn end(&self) -> io::Result<(u64, Option<u8>)> {
            self.file.end()
        }

        fn sync(&self) -> io::Result<()> {
            Ok(())
        }

        fn truncate(&self, bytes: u64) -> io::Result<()> {
            if self.can_truncate {
                return self.file.truncate(bytes);
            }
            Err(io::ErrorKind::PermissionDenied.into())
        }
    }

    #[test]
    fn a_line_that_did_not_fit_is_not_joined_with_the_next() {
        let folder = tempfile::tempdir().unwrap();
        for can_truncate in [true, false] {
            let path = folder.path().join(format!("audit-{can_truncate}.log"));
            append(&mut open(&path).unwrap(), b"first\n".to_vec()).unwrap();
            let mut full = FullDiskFile {
                file: open(&path).unwrap(),
                free_bytes: 3,
                can_truncate,
            };
            let error = append(&mut full, b"second\n".to_vec()).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::StorageFull);
            append(&mut open(&path).unwrap(), b"third\n".to_vec()).unwrap();
            let torn = if can_truncate { "" } else { "sec\n" };
            let expected = format!("first\n{torn}third\n");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
        }
    }

    #[test]
    fn a_log_keeps_to_its_limits_and_keeps_the_newest_lines() {
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
            files.append(line.into_bytes()).unwrap();
            let kept = read();
            assert!(kept.iter().all(|text| text.len() <= 40), "{kept:?}");
            assert!(all.ends_with(&kept.concat()), "{kept:?}");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
        assert!(read().iter().all(|text| !text.is_empty()));
        // A line longer than a file is not rejected.
        files.append(vec![b'x'; 100]).unwrap();
        assert_eq!(read()[2].len(), 100);
    }

    #[test]
    fn without_rotated_files_a_full_file_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let limits = AuditLimits {
            file_bytes_max: 10,
            files_kept: 0,
        };
        let files = Files::new(folder.path().join("audit.log"), limits);
        for number in 0..5 {
            files
                .append(format!("line {number}\n").into_bytes())
                .unwrap();
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        let text = std::fs::read_to_string(folder.path().join("audit.log")).unwrap();
        assert_eq!(text, "line 4\n");
    }
}
