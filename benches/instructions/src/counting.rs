//! Counts the instructions of a path with callgrind, which runs this program again.
//!
//! Callgrind writes what it has counted since the last time whenever [`mark`] is called. So the second part has the
//! instructions of all threads between two calls: neither preparation nor warm-up is in it.

use std::io;
use std::path::Path as FilePath;
use std::process::{Command, Stdio};

use crate::paths::Path;

/// The function [`mark`], as callgrind names it.
const MARK: &str = "instructions::counting::mark*";

/// The option by which this program runs a path.
pub(crate) const RUN: &str = "--run";

/// Runs the path in this process.
pub(crate) fn run(path: &Path) {
    let mut prepared = path.prepared();
    mark(path.times);
    prepared.run(path.times);
    mark(path.times);
}

/// Marks the beginning and the end of what is counted.
#[inline(never)]
fn mark(times: u32) {
    std::hint::black_box(times);
}

/// Returns the instructions of one run of a path.
pub(crate) fn count(path: &Path) -> io::Result<u64> {
    let folder = tempfile::tempdir()?;
    let out = folder.path().join("out");
    let program = std::env::current_exe()?;
    let ran = Command::new("valgrind")
        .args(["--tool=callgrind", "--combine-dumps=no"])
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(format!("--dump-before={MARK}"))
        .arg(program)
        .args([RUN, path.name])
        .stdin(Stdio::null())
        .output()?;
    if !ran.status.success() {
        let text = String::from_utf8_lossy(&ran.stderr);
        let name = path.name;
        return Err(io::Error::other(format!("{name} under valgrind: {text}")));
    }
    let total = total(&out.with_extension("2"))?;
    Ok(total / u64::from(path.times))
}

/// Reads the instructions of a part.
fn total(part: &FilePath) -> io::Result<u64> {
    let text = std::fs::read_to_string(part)?;
    let mut lines = text.lines();
    let total = lines.find_map(|line| line.strip_prefix("totals: "));
    let total = total.and_then(|total| total.trim().parse().ok());
    total.ok_or_else(|| io::Error::other(format!("{} has no total", part.display())))
}
