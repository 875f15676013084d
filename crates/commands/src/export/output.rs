//! The output of an export: [`Output`], standard output or a file that is replaced atomically.

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use disk::{Links, open_regular};

const BUFFER_BYTES: usize = 256 << 10;

/// An open output. A file is written with the suffix `.partial`, locked, and renamed when it is complete.
pub(super) struct Output {
    writer: Option<BufWriter<Box<dyn Write>>>,
    name: String,
    partial: Option<PartialFile>,
}

/// A file that is renamed when it is complete.
struct PartialFile {
    /// Locked.
    file: File,
    path: PathBuf,
    final_path: PathBuf,
    is_renamed: bool,
}

impl Output {
    /// Opens the file, or standard output.
    pub(super) fn open(path: Option<&Path>) -> Result<Self, String> {
        let Some(path) = path else {
            return Ok(Self::new(Box::new(io::stdout()), "standard output", None));
        };
        let name = path.display().to_string();
        let failed = |error| format!("{name}: {error}");
        // A pipe or a terminal cannot be replaced by a file.
        if fs::metadata(path).is_ok_and(|about| !about.is_file()) {
            let file = File::options().write(true).open(path).map_err(failed)?;
            return Ok(Self::new(Box::new(file), &name, None));
        }
        let mut partial: OsString = path.as_os_str().to_owned();
        partial.push(".partial");
        let partial = PathBuf::from(partial);
        let file =
            open_locked(&partial).map_err(|error| format!("{}: {error}", partial.display()))?;
        let partial = PartialFile {
            file: file.try_clone().map_err(failed)?,
            path: partial,
            final_path: path.to_owned(),
            is_renamed: false,
        };
        Ok(Self::new(Box::new(file), &name, Some(partial)))
    }

    fn new(writer: Box<dyn Write>, name: &str, partial: Option<PartialFile>) -> Self {
        Self {
            writer: Some(BufWriter::with_capacity(BUFFER_BYTES, writer)),
            name: name.to_owned(),
            partial,
        }
    }

    /// Writes one line.
    pub(super) fn line(&mut self, line: &impl serde::Serialize) -> Result<(), String> {
        let Some(writer) = &mut self.writer else {
            return Ok(());
        };
        let written = serde_json::to_writer(&mut *writer, line).map_err(io::Error::from);
        let written = written.and_then(|()| writer.write_all(b"\n"));
        written.map_err(|error| format!("{}: {error}", self.name))
    }

    /// Flushes the output, syncs a file and renames it. Returns a warning if the folder could not be synced, so that
    /// the name may not be durable.
    pub(super) fn finish(self) -> Result<Option<String>, String> {
        self.finish_by(sync_folder)
    }

    fn finish_by(
        mut self,
        sync_folder: impl FnOnce(&Path) -> io::Result<()>,
    ) -> Result<Option<String>, String> {
        let renamed = self.flush_and_rename();
        renamed.map_err(|error| format!("{}: {error}", self.name))?;
        // The file is complete and has its name, so an error of its folder is only a warning.
        let partial = self.partial.as_ref();
        let unsynced = partial.and_then(|partial| sync_folder(&partial.final_path).err());
        Ok(unsynced.map(|error| {
            format!(
                "{}: complete and in place, but may not survive a power cut: its folder cannot be synced: \
                 {error}",
                self.name
            )
        }))
    }

    fn flush_and_rename(&mut self) -> io::Result<()> {
        if let Some(mut writer) = self.writer.take() {
            writer.flush()?;
        }
        if let Some(partial) = &mut self.partial {
            partial.file.sync_all()?;
            fs::rename(&partial.path, &partial.final_path)?;
            partial.is_renamed = true;
        }
        Ok(())
    }
}

impl Drop for Output {
    /// Removes the file unless [`finish`](Self::finish) has renamed it.
    fn drop(&mut self) {
        if let Some(partial) = self.partial.take_if(|partial| !partial.is_renamed) {
            let _ = fs::remove_file(&partial.path);
        }
    }
}

/// Opens a file, locks it and truncates it. On file systems without locks, it is not locked.
fn open_locked(path: &Path) -> io::Result<File> {
    loop {
        // Another export may be writing the file, so it is truncated after it is locked.
        let mut options = File::options();
        options.write(true).create(true).truncate(false);
        let file = open_regular(&mut options, path, Links::Rejected)?;
        check_lock(&file.try_lock())?;
        // Another export may have renamed the file before it was locked here.
        let (opened, named) = (file.metadata()?, fs::metadata(path));
        if named.is_ok_and(|named| (named.dev(), named.ino()) == (opened.dev(), opened.ino())) {
            file.set_len(0)?;
            return Ok(file);
        }
    }
}

/// Returns an error if another export has the lock. Other errors are ignored: some network file systems have no locks.
fn check_lock(result: &Result<(), TryLockError>) -> io::Result<()> {
    match result {
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
        Err(TryLockError::WouldBlock) => {
            Err(io::Error::other("another export is writing this file"))
        }
    }
}

/// Syncs the folder of a file, so that its name is durable.
fn sync_folder(file: &Path) -> io::Result<()> {
    let folder = file.parent().filter(|it| !it.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_only_when_it_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("boards.ndjson");
        fs::write(&path, "before").unwrap();
        let mut output = Output::open(Some(&path)).unwrap();
        output.line(&1).unwrap();
        drop(output);
        assert_eq!(fs::read_to_string(&path).unwrap(), "before");
        let mut output = Output::open(Some(&path)).unwrap();
        output.line(&1).unwrap();
        output.line(&2).unwrap();
        output.finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "1\n2\n");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn one_export_at_a_time_writes_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("boards.ndjson");
        // A killed export has left this.
        fs::write(folder.path().join("boards.ndjson.partial"), "1\n2\n3\n").unwrap();
        let mut first = Output::open(Some(&path)).unwrap();
        first.line(&1).unwrap();
        let error = Output::open(Some(&path)).err().unwrap();
        let expected = "boards.ndjson.partial: another export is writing this file";
        assert!(error.ends_with(expected), "{error}");
        first.finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "1\n");
        Output::open(Some(&path)).unwrap().finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "");
    }

    #[test]
    fn a_file_system_without_locks_is_supported() {
        let unsupported = Err(TryLockError::Error(io::ErrorKind::Unsupported.into()));
        assert!(check_lock(&unsupported).is_ok());
        assert!(check_lock(&Err(TryLockError::WouldBlock)).is_err());
    }

    #[test]
    fn a_folder_that_cannot_be_synced_is_a_warning() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("boards.ndjson");
        let write = || {
            let mut output = Output::open(Some(&path)).unwrap();
            output.line(&1).unwrap();
            output
        };
        let warning = write().finish_by(|_| Err(io::ErrorKind::InvalidInput.into()));
        let warning = warning.unwrap().unwrap();
        assert!(warning.contains("boards.ndjson: complete and in place"));
        assert_eq!(fs::read_to_string(&path).unwrap(), "1\n");
        assert_eq!(write().finish(), Ok(None));
    }

    #[test]
    fn an_error_contains_the_path() {
        let error = Output::open(Some(Path::new("/no/such/folder/x.ndjson"))).err();
        assert!(error.unwrap().contains("/no/such/folder/x.ndjson"));
    }
}
