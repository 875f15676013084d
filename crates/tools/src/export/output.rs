//! Where an export goes: [`Output`], standard output or a file that is there whole or not at all.

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

const BUFFER_BYTES: usize = 256 << 10;

/// An output under way. A file is written beside its place, under its name with `.partial` behind
/// it, and takes its place when it is done. Of several exports to one place, one at a time has that name.
pub(super) struct Output {
    to: Option<BufWriter<Box<dyn Write>>>,
    name: String,
    renamed: Option<Renamed>,
}

struct Renamed {
    /// Locked.
    file: File,
    partial: PathBuf,
    place: PathBuf,
    is_in_place: bool,
}

impl Output {
    /// Opens the file, or standard output.
    pub(super) fn open(path: Option<&Path>) -> Result<Self, String> {
        let Some(place) = path else {
            return Ok(Self::of(Box::new(io::stdout()), "standard output", None));
        };
        let name = place.display().to_string();
        let failed = |error| format!("{name}: {error}");
        // A pipe or a terminal cannot be replaced by a file.
        if fs::metadata(place).is_ok_and(|about| !about.is_file()) {
            let file = File::options().write(true).open(place).map_err(failed)?;
            return Ok(Self::of(Box::new(file), &name, None));
        }
        let mut partial: OsString = place.as_os_str().to_owned();
        partial.push(".partial");
        let partial = PathBuf::from(partial);
        let file = locked(&partial).map_err(|error| format!("{}: {error}", partial.display()))?;
        let renamed = Renamed {
            file: file.try_clone().map_err(failed)?,
            partial,
            place: place.to_owned(),
            is_in_place: false,
        };
        Ok(Self::of(Box::new(file), &name, Some(renamed)))
    }

    fn of(to: Box<dyn Write>, name: &str, renamed: Option<Renamed>) -> Self {
        Self {
            to: Some(BufWriter::with_capacity(BUFFER_BYTES, to)),
            name: name.to_owned(),
            renamed,
        }
    }

    /// Writes one line.
    pub(super) fn line(&mut self, line: &impl serde::Serialize) -> Result<(), String> {
        let Some(to) = &mut self.to else {
            return Ok(());
        };
        let written = serde_json::to_writer(&mut *to, line).map_err(io::Error::from);
        let written = written.and_then(|()| to.write_all(b"\n"));
        written.map_err(|error| format!("{}: {error}", self.name))
    }

    /// All is written: it is on disk and in its place when this returns. A warning where the name of the
    /// file may not be on disk.
    pub(super) fn finish(self) -> Result<Option<String>, String> {
        self.finish_by(sync_folder)
    }

    fn finish_by(
        mut self,
        sync_folder: impl FnOnce(&Path) -> io::Result<()>,
    ) -> Result<Option<String>, String> {
        let finished = self.put_in_place();
        finished.map_err(|error| format!("{}: {error}", self.name))?;
        // The file is whole and has its name: that its folder cannot be opened or synced is no failure.
        let renamed = self.renamed.as_ref();
        let unsynced = renamed.and_then(|renamed| sync_folder(&renamed.place).err());
        Ok(unsynced.map(|error| {
            format!(
                "{}: complete and in place, but may not survive a power cut: its folder cannot be synced: \
                 {error}",
                self.name
            )
        }))
    }

    fn put_in_place(&mut self) -> io::Result<()> {
        if let Some(mut to) = self.to.take() {
            to.flush()?;
        }
        if let Some(renamed) = &mut self.renamed {
            renamed.file.sync_all()?;
            fs::rename(&renamed.partial, &renamed.place)?;
            renamed.is_in_place = true;
        }
        Ok(())
    }
}

impl Drop for Output {
    /// Without [`finish`](Self::finish) nothing is left of a file.
    fn drop(&mut self) {
        if let Some(renamed) = self.renamed.take_if(|renamed| !renamed.is_in_place) {
            let _ = fs::remove_file(&renamed.partial);
        }
    }
}

/// The empty file of this name, for as long as it is open this export's alone where its file system has locks.
fn locked(partial: &Path) -> io::Result<File> {
    loop {
        // What somebody else writes to it is not to go: it is emptied when it is locked.
        let mut options = File::options();
        options.write(true).create(true).truncate(false);
        let file = options.open(partial)?;
        check_lock(&file.try_lock())?;
        // Who had it before may have put it in its place in between.
        let (held, named) = (file.metadata()?, fs::metadata(partial));
        if named.is_ok_and(|named| (named.dev(), named.ino()) == (held.dev(), held.ino())) {
            file.set_len(0)?;
            return Ok(file);
        }
    }
}

/// Whether another export has the lock. Some network file systems have none: there an export goes on without.
fn check_lock(tried: &Result<(), TryLockError>) -> io::Result<()> {
    match tried {
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
        Err(TryLockError::WouldBlock) => {
            Err(io::Error::other("another export is writing this file"))
        }
    }
}

/// Makes a file's name durable.
fn sync_folder(file: &Path) -> io::Result<()> {
    let folder = file.parent().filter(|it| !it.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_there_whole_or_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("boards.ndjson");
        fs::write(&place, "before").unwrap();
        let mut output = Output::open(Some(&place)).unwrap();
        output.line(&1).unwrap();
        drop(output);
        assert_eq!(fs::read_to_string(&place).unwrap(), "before");
        let mut output = Output::open(Some(&place)).unwrap();
        output.line(&1).unwrap();
        output.line(&2).unwrap();
        output.finish().unwrap();
        assert_eq!(fs::read_to_string(&place).unwrap(), "1\n2\n");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn one_export_at_a_time_writes_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("boards.ndjson");
        // What was killed has left this.
        fs::write(folder.path().join("boards.ndjson.partial"), "1\n2\n3\n").unwrap();
        let mut first = Output::open(Some(&place)).unwrap();
        first.line(&1).unwrap();
        let error = Output::open(Some(&place)).err().unwrap();
        let named = "boards.ndjson.partial: another export is writing this file";
        assert!(error.ends_with(named), "{error}");
        first.finish().unwrap();
        assert_eq!(fs::read_to_string(&place).unwrap(), "1\n");
        Output::open(Some(&place)).unwrap().finish().unwrap();
        assert_eq!(fs::read_to_string(&place).unwrap(), "");
    }

    #[test]
    fn a_file_system_without_locks_is_written_to() {
        let tried = Err(TryLockError::Error(io::ErrorKind::Unsupported.into()));
        assert!(check_lock(&tried).is_ok());
        assert!(check_lock(&Err(TryLockError::WouldBlock)).is_err());
    }

    #[test]
    fn a_folder_that_cannot_be_synced_is_told_of_a_file_that_is_in_place() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("boards.ndjson");
        let write = || {
            let mut output = Output::open(Some(&place)).unwrap();
            output.line(&1).unwrap();
            output
        };
        let warning = write().finish_by(|_| Err(io::ErrorKind::InvalidInput.into()));
        let warning = warning.unwrap().unwrap();
        assert!(warning.contains("boards.ndjson: complete and in place"));
        assert_eq!(fs::read_to_string(&place).unwrap(), "1\n");
        assert_eq!(write().finish(), Ok(None));
    }

    #[test]
    fn a_place_that_cannot_be_written_is_named() {
        let error = Output::open(Some(Path::new("/no/such/folder/x.ndjson"))).err();
        assert!(error.unwrap().contains("/no/such/folder/x.ndjson"));
    }
}
