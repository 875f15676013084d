//! Takes snapshots, so that the journal stays short: [`take`] takes one.
//!
//! Boards are taken one after another while others write, each part of one as it is at a sequence of
//! its own; the journal is replayed from where it was when the first was taken. What a part holds
//! has to be durable in the journal before the snapshot counts.

use std::collections::HashMap;
use std::sync::Arc;

use board::{Kind, KindName, Subject};

use super::disk::Disk;
use super::journal::{Journal, Sequence};
use super::snapshot::{PartHead, SnapshotWriter};
use super::{EmbeddedError, snapshot};
use crate::engine::{FrozenPart, Registry, Shared};

/// Boards that are looked up at once.
const PAGE_BOARDS: usize = 256;

/// Takes a snapshot, and lets go of what it stands in for. Answers its length in bytes.
pub(crate) fn take(
    disk: &dyn Disk,
    registry: &Registry,
    journal: &Journal,
) -> Result<u64, EmbeddedError> {
    let (kinds, from) = registry.kinds_at(|| journal.next());
    let mut taking = Taking {
        writer: SnapshotWriter::create(disk, from)?,
        known: HashMap::new(),
    };
    for record in &kinds {
        let mut after: Option<Subject> = None;
        loop {
            let cells = registry.cells_behind(&record.name, after.as_ref(), PAGE_BOARDS);
            let Some(last) = cells.last() else { break };
            after = Some(last.name().subject().clone());
            for cell in &cells {
                taking.board(cell, journal)?;
            }
        }
    }
    journal.durable_blocking(journal.next())?;
    let bytes = taking.writer.finish(&kinds)?;
    snapshot::remove_before(disk, from)?;
    journal.remove_before(from)?;
    Ok(bytes)
}
