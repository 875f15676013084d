//! [`recover`]: loads the contents of a folder into memory.
//!
//! The newest snapshot is loaded and the journal after it replayed, both on all processors; then
//! each ranking is sorted once. Nothing is written.

mod crew;
mod load;
mod progress;
mod replay;
mod threads;

use std::convert::Infallible;
use std::thread;

use super::error::LocalError;
use crate::files::Malformed;
use crate::files::record::{self, Record};
use crate::files::snapshot::{self, SnapshotReader};
use crew::Crew;
use disk::Disk;
use engine::{Registry, SharedCell};
use journal::{Recovered, Sequence};
use progress::Progress;
use replay::{Misfit, Positions, Replay};
use threads::share_out;

/// The result of a recovery.
#[derive(Debug)]
pub(crate) struct Recovery {
    /// Where the journal continues.
    pub(crate) journal: Recovered,
    /// The epoch of a store that was stopped, if nothing was lost since.
    pub(crate) epoch: Option<u64>,
    /// How much was read.
    pub(crate) sizes: Sizes,
}

/// The size of a snapshot, and of the journal after it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Sizes {
    /// Bytes of the snapshot; 0 without one.
    pub(crate) snapshot_bytes: u64,
    /// Bytes of the records after it.
    pub(crate) journal_bytes: u64,
}

/// Why a record of the journal could not be replayed.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    #[error("record {0}: {1}")]
    Malformed(Sequence, Malformed),
    #[error("record {0}: {1}")]
    Misfit(Sequence, Misfit),
}

/// Fills an empty registry with the contents of the folder, and logs the progress if it takes long.
pub(crate) fn recover(disk: &dyn Disk, registry: &Registry) -> Result<Recovery, LocalError> {
    let progress = Progress::default();
    progress.logged(disk.path(), || fill(disk, registry, &progress))
}

fn fill(disk: &dyn Disk, registry: &Registry, progress: &Progress) -> Result<Recovery, LocalError> {
    let mut sizes = Sizes::default();
    let mut from = Sequence(0);
    let mut positions = Positions::new();
    if let Some(newest) = snapshot::list(disk)?.first() {
        let snapshot = SnapshotReader::open(disk, newest)?;
        positions = load::load(&snapshot, registry, progress)?;
        from = Sequence(snapshot.sequence());
        sizes.snapshot_bytes = snapshot.file_bytes();
    }
    let recovery = replay(disk, registry, from, &positions, sizes, progress)?;
    let cells = registry.all_cells();
    for cell in &cells {
        cell.close_windows_on_all();
        cell.abandon_unused();
    }
    build_order(&cells);
    Ok(recovery)
}

fn replay(
    disk: &dyn Disk,
    registry: &Registry,
    from: Sequence,
    positions: &Positions,
    mut sizes: Sizes,
    progress: &Progress,
) -> Result<Recovery, LocalError> {
    thread::scope(|scope| {
        let mut replay = Replay::new(registry, positions, Crew::start(scope, registry));
        let mut epoch = None;
        let mut each = |sequence: Sequence, bytes: &[u8]| {
            epoch = None;
            sizes.journal_bytes += bytes.len() as u64;
            progress.journal_read(bytes.len() as u64);
            match record::decode(bytes).map_err(|e| Refusal::Malformed(sequence, e))? {
                Record::Started => Ok(()),
                Record::Stopped { epoch: shown } => {
                    epoch = Some(shown);
                    Ok(())
                }
                Record::Event(event) => replay
                    .event(sequence, event)
                    .map_err(|e| Refusal::Misfit(sequence, e)),
            }
        };
        let journal = journal::read(disk, from, &mut each);
        let (missing, replayed) = replay.finish();
        let journal = journal.map_err(|error| LocalError::Journal(error.to_string()))?;
        if let Err(sequence) = replayed {
            return Err(LocalError::Differs(sequence.0));
        }
        if missing > 0 {
            return Err(LocalError::Missing(missing));
        }
        // A snapshot counts only when everything its parts contain is durable in the journal.
        let durable = positions.values().flatten().max().copied();
        if let Some(damage) = journal.missing_before(durable.unwrap_or_default()) {
            return Err(LocalError::Journal(damage));
        }
        let epoch = epoch.filter(|_| journal.cut_bytes == 0);
        Ok(Recovery {
            journal,
            epoch,
            sizes,
        })
    })
}

/// Sorts all rankings, on all processors.
fn build_order(cells: &[SharedCell]) {
    let parts: Vec<(&SharedCell, usize)> = cells
        .iter()
        .flat_map(|cell| (0..cell.parts()).map(move |part| (cell, part)))
        .collect();
    let Ok(()) = share_out(parts.len(), |place| {
        let (cell, part) = parts[place];
        cell.build_order(part);
        Ok::<_, Infallible>(())
    });
}
