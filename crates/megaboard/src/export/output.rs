//! Where an export goes: [`Output`], standard output or a file that is there whole or not at all.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

const BUFFER_BYTES: usize = 256 << 10;

/// An output under way. A file is written beside its place, under its name with `.partial` behind
/// it, and takes its place when it is done.
pub(super) struct Output {
    to: Option<BufWriter<Box<dyn Write>>>,
    name: String,
    renamed: Option<Renamed>,
}

struct Renamed {
    file: File,
    partial: PathBuf,
    place: PathBuf,
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
        let file = File::create(&partial).map_err(failed)?;
        let renamed = Renamed {
            file: file.try_clone().map_err(failed)?,
            partial,
            place: place.to_owned(),
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

    /// All is written: it is on disk and in its place when this returns.
    pub(super) fn finish(mut self) -> Result<(), String> {
        let mut finish = || {
            if let Some(mut to) = self.to.take() {
                to.flush()?;
            }
            if let Some(Renamed {
                file,
                partial,
                place,
            }) = self.renamed.take()
            {
                file.sync_all()?;
                fs::rename(partial, place)?;
            }
            Ok(())
        };
        finish().map_err(|error: io::Error| format!("{}: {error}", self.name))
    }
}

impl Drop for Output {
    /// Without [`finish`](Self::finish) nothing is left of a file.
    fn drop(&mut self) {
        if let Some(Renamed { partial, .. }) = self.renamed.take() {
            let _ = fs::remove_file(partial);
        }
    }
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
    fn a_place_that_cannot_be_written_is_named() {
        let error = Output::open(Some(Path::new("/no/such/folder/x.ndjson"))).err();
        assert!(error.unwrap().contains("/no/such/folder/x.ndjson"));
    }
}
