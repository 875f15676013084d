//! [`open_regular`]: opens a file, and nothing else that has its name.
//!
//! Whoever may write in a folder may put a pipe, a device or a link there under the name of a file: an open pipe waits
//! for its other end, and a link makes the server write another file.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::OFlags;

/// What to do about a symbolic link in the place of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// Opens the file that it points to: the user has named it.
    Followed,
    /// Rejects it: the server has named it.
    Rejected,
}

/// Opens a regular file with these options. Anything else is rejected without waiting for it.
pub fn open_regular(options: &mut OpenOptions, path: &Path, links: Links) -> io::Result<File> {
    let flags = match links {
        Links::Followed => OFlags::NONBLOCK,
        Links::Rejected => OFlags::NONBLOCK | OFlags::NOFOLLOW,
    };
    // The flags of a system fit its `int`.
    let opened = options.custom_flags(flags.bits().cast_signed()).open(path);
    let not_regular = || io::Error::new(io::ErrorKind::InvalidInput, "is not a regular file");
    match opened {
        Ok(file) if file.metadata()?.is_file() => Ok(file),
        Ok(_) => Err(not_regular()),
        // A link, a pipe without a reader, or a socket.
        Err(error) => {
            let there = match links {
                Links::Followed => path.metadata(),
                Links::Rejected => path.symlink_metadata(),
            };
            let is_other = there.is_ok_and(|there| !there.is_file());
            Err(if is_other { not_regular() } else { error })
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;
    use std::process::Command;

    use super::*;

    fn open(path: &Path, links: Links, writable: bool) -> io::Result<File> {
        let mut options = OpenOptions::new();
        open_regular(options.read(!writable).write(writable), path, links)
    }

    #[test]
    fn only_regular_files_are_opened_and_nothing_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("file"), "x").unwrap();
        symlink(path("file"), path("link")).unwrap();
        symlink(path("none"), path("dangling")).unwrap();
        let made = Command::new("mkfifo").arg(path("pipe")).status().unwrap();
        assert!(made.success());
        let _socket = UnixListener::bind(path("socket")).unwrap();
        for writable in [false, true] {
            open(&path("file"), Links::Rejected, writable).unwrap();
            open(&path("link"), Links::Followed, writable).unwrap();
            for name in ["link", "pipe", "socket", "."] {
                let error = open(&path(name), Links::Rejected, writable).unwrap_err();
                assert_eq!(error.to_string(), "is not a regular file", "{name}");
            }
            assert!(open(&path("pipe"), Links::Followed, writable).is_err());
            for (name, links) in [("none", Links::Rejected), ("dangling", Links::Followed)] {
                let missing = open(&path(name), links, writable).unwrap_err();
                assert_eq!(missing.kind(), io::ErrorKind::NotFound, "{name}");
            }
        }
    }
}
