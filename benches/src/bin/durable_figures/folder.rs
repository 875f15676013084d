//! Measurements of a data folder: journal segments, snapshots, and the disk.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use benches::figures::median;

/// The size of the blocks in which a file is searched.
const BLOCK_BYTES: u64 = 64 << 10;

/// Returns the size of the journal's records and headers, without reserved zeros.
pub(crate) fn journal_bytes(folder: &Path) -> io::Result<u64> {
    let segments = named(folder, "journal-", ".log")?;
    segments.iter().map(|path| used_bytes(path)).sum()
}

/// Returns the complete snapshots, oldest first. Their names have the journal position.
pub(crate) fn snapshots(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut snapshots = named(folder, "snapshot-", ".snap")?;
    snapshots.sort();
    Ok(snapshots)
}

/// Returns whether a snapshot is being written, which has a temporary name.
pub(crate) fn is_writing_snapshot(folder: &Path) -> io::Result<bool> {
    Ok(!named(folder, "snapshot-", ".tmp")?.is_empty())
}

fn named(folder: &Path, prefix: &str, suffix: &str) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(found),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(prefix) && name.ends_with(suffix) {
            found.push(entry.path());
        }
    }
    Ok(found)
}

/// Returns the length of a file up to its last non-zero byte.
fn used_bytes(path: &Path) -> io::Result<u64> {
    let mut file = File::open(path)?;
    let mut end = file.metadata()?.len();
    while end > 0 {
        let start = end.saturating_sub(BLOCK_BYTES);
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(start))?;
        let mut part = Read::by_ref(&mut file).take(end - start);
        part.read_to_end(&mut bytes)?;
        if let Some(index) = bytes.iter().rposition(|byte| *byte != 0) {
            return Ok(start + index as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

/// Measures the duration of a small write and its sync on the disk of this folder.
pub(crate) fn disk(folder: &Path) -> io::Result<String> {
    const TURNS: usize = 200;
    const BLOCK: [u8; 4096] = [1; 4096];
    let mut file = tempfile::tempfile_in(folder)?;
    file.write_all(&BLOCK.repeat(TURNS))?;
    file.sync_all()?;
    file.rewind()?;
    let mut times = Vec::new();
    for _ in 0..TURNS {
        let begun = Instant::now();
        file.write_all(&BLOCK)?;
        file.sync_data()?;
        times.push(begun.elapsed().as_secs_f64() * 1e6);
    }
    let folder = folder.display();
    let each = median(&times);
    Ok(format!(
        "folders in {folder}: 4 KiB and an fdatasync take {each:.0} µs"
    ))
}
