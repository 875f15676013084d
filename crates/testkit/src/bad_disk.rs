//! A disk that is full or slow, for one server: [`BadDisk`]. Needs neither root nor a file system of its own.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::launch::Launch;

/// How the disk of a server is, which a test can change while the server runs. A library that is loaded before the
/// C library's functions reads it from a file.
#[derive(Debug)]
pub struct BadDisk {
    folder: TempDir,
}

impl Default for BadDisk {
    fn default() -> Self {
        Self::new()
    }
}

impl BadDisk {
    /// Creates a disk that is good as yet. Requires a C compiler, as building the server does.
    #[track_caller]
    pub fn new() -> Self {
        let disk = Self {
            folder: TempDir::new().unwrap(),
        };
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/bad_disk.c");
        let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
        let status = Command::new(compiler)
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .args([disk.library(), source])
            .arg("-ldl")
            .status();
        assert!(status.expect("there is a C compiler").success());
        disk.repair();
        disk
    }

    /// Makes a server use this disk.
    pub fn apply_to(&self, launch: Launch) -> Launch {
        let text = |path: PathBuf| path.to_str().unwrap().to_owned();
        launch
            .env("LD_PRELOAD", &text(self.library()))
            .env("MEGABOARD_TEST_DISK", &text(self.file()))
    }

    /// Everything succeeds.
    pub fn repair(&self) {
        self.set("good");
    }

    /// No file can grow: ENOSPC.
    pub fn fill(&self) {
        self.set("full");
    }

    /// No file can be written, not even where it has bytes, as on a full disk that copies on write: ENOSPC.
    pub fn refuse_all(&self) {
        self.set("refuses");
    }

    /// Each sync takes 0.4 s longer.
    pub fn slow_down(&self) {
        self.set("slow");
    }

    fn set(&self, state: &str) {
        let new = self.folder.path().join("new");
        std::fs::write(&new, state).unwrap();
        std::fs::rename(new, self.file()).unwrap();
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("disk")
    }

    fn library(&self) -> PathBuf {
        self.folder.path().join("bad_disk.so")
    }
}
