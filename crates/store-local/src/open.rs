//! Opens, snapshots and closes a store in a folder.

use std::sync::Arc;
use std::time::Instant;

use crate::clock::{SteadyClock, is_far_ahead, uptime};
use crate::files::record::{self, Record};
use crate::files::snapshot;
use crate::persistence::Persistence;
use crate::store::{LocalStore, own_time, random};
use crate::unconfirmed::Unconfirmed;

use crate::{LocalError, LocalSettings, Recovery, Snapshots, recovery};
use board::Timestamp;
use disk::Disk;
use engine::Registry;
use journal::{Journal, Recovered};
use shard_store::StoreError;

/// Earlier than any write.
const NEVER: Timestamp = Timestamp::from_millis(i64::MIN);

impl LocalStore {
    /// Opens the store on a disk. Blocks while it is loaded.
    ///
    /// If it is dropped without [`close`](shard_store::ShardStore::close), it ends as if the process had been killed.
    pub fn open(disk: Arc<dyn Disk>, settings: &LocalSettings) -> Result<Self, LocalError> {
        let began = Instant::now();
        let memory = settings.memory.clone();
        let registry = Arc::new(Registry::within(memory, settings.id_bytes_max));
        // Replayed ids may have been written by a clock that was ahead.
        registry.ids.limit_trust(Some(NEVER));
        let Recovery {
            journal,
            epoch,
            sizes,
        } = recovery::recover(&*disk, &registry)?;
        for doubt in doubts(&journal) {
            tracing::warn!("{doubt}");
        }
        let loaded = began.elapsed();
        let loaded_ms = loaded.as_millis();
        snapshot::remove_unfinished(&*disk)?;
        let journal = Journal::start(disk.clone(), &journal, settings.journal())?;
        tracing::info!(
            folder = %disk.path().display(),
            durability = ?settings.durability,
            boards = registry.all_cells().len(),
            snapshot_bytes = sizes.snapshot_bytes,
            journal_bytes = sizes.journal_bytes,
            loaded_ms,
            "the store is open",
        );
        let journal = Arc::new(journal);
        // Before anything is shown in an epoch, the folder records that it is in use. On a full
        // disk that fails, but then nothing can be written either, and the epoch is a new one.
        let started = journal.write_blocking(&record::encoded(&Record::Started));
        let epoch = match epoch.filter(|_| started.is_ok()) {
            Some(epoch) => epoch,
            None => random().map_err(|error| LocalError::Lost(error.to_string()))?,
        };
        let unconfirmed = Unconfirmed::find(disk.clone())?;
        let snapshots = Snapshots::start(disk, registry.clone(), journal.clone(), sizes, settings)?;
        let own = own_time();
        let mut clock = SteadyClock::from(own, uptime(), settings.clock_pause);
        let is_unconfirmed = is_unconfirmed(&mut clock, own, &registry);
        if unconfirmed.is_there() {
            // The last writes may be by the same clock.
            clock.wait(NEVER);
        } else if is_unconfirmed && !clock.trusts_any() {
            unconfirmed.set();
        }
        registry.ids.limit_trust(clock.trusted_until(uptime()));
        let mut store = Self::of(registry, epoch, Persistence::Journal { snapshots, journal });
        store.clock = Some(clock);
        store.unconfirmed = Some(unconfirmed);
        store.recovery.set(metering::seconds(loaded));
        store.weigh();
        Ok(store)
    }

    /// Loads the store on a disk for inspection: nothing is written, and writes are rejected. Also returns what may be
    /// missing at the journal's end.
    pub fn inspect(disk: &dyn Disk) -> Result<(Self, Vec<String>), LocalError> {
        let registry = Arc::new(Registry::new(usize::MAX));
        let Recovery { epoch, journal, .. } = recovery::recover(disk, &registry)?;
        if journal.is_empty() {
            return Err(LocalError::Nothing(disk.path().to_owned()));
        }
        let epoch = epoch.map_or_else(random, Ok);
        let epoch = epoch.map_err(|error| LocalError::Lost(error.to_string()))?;
        let store = Self::of(registry, epoch, Persistence::ReadOnly);
        Ok((store, doubts(&journal)))
    }

    /// Takes a snapshot now, and blocks until it is durable and the files that it replaces are
    /// removed. Has no effect on a store in memory.
    pub fn snapshot(&self) -> Result<(), LocalError> {
        match &self.persistence {
            Persistence::Nowhere | Persistence::ReadOnly => Ok(()),
            Persistence::Journal { snapshots, .. } => snapshots.take(),
        }
    }

    /// Writes and syncs all accepted records, and accepts no more. The next start continues in the same epoch.
    pub(super) fn stop(&self) -> Result<(), StoreError> {
        let Persistence::Journal { snapshots, journal } = &self.persistence else {
            return Ok(());
        };
        snapshots.end();
        let stopped = record::encoded(&Record::Stopped { epoch: self.epoch });
        // On a full disk the record cannot be written. What was acknowledged is durable anyway.
        let said = journal.write_blocking(&stopped);
        if let Err(error) = said {
            tracing::warn!(%error, "the next start begins a new epoch");
        }
        let stopped = journal.stop();
        stopped.map_err(|error| StoreError::Unavailable(error.to_string()))
    }
}

/// Returns whether the clock has to be confirmed, judging by the last writes: then this start drops
/// nothing for the pause, nor does the next.
fn is_unconfirmed(clock: &mut SteadyClock, own: Timestamp, registry: &Registry) -> bool {
    let cells = registry.all_cells();
    // Settings are ignored: those that close the name of an expired board are dated in the future.
    match cells.iter().filter_map(|cell| cell.last_write()).max() {
        Some(last_write) if is_far_ahead(last_write, own) => {
            clock.wait(NEVER);
            true
        }
        Some(last_write) => clock.wait_if_ahead_of(last_write),
        // Settings have no time of their writing.
        None if !cells.is_empty() => {
            clock.wait(NEVER);
            true
        }
        None => false,
    }
}

/// Returns what may be missing at the journal's end, without being known to have been durable.
fn doubts(journal: &Recovered) -> Vec<String> {
    let mut doubts = Vec::new();
    if journal.cut_bytes > 0 {
        doubts.push(format!(
            "the journal's last {} bytes are incomplete, and nothing shows that they were durable; a server truncates \
             them at its start",
            journal.cut_bytes
        ));
    }
    if journal.is_unmarked {
        doubts.push(
            "the file journal-end is missing: whether the journal is complete is unknown; a server creates it at its \
             start"
                .to_owned(),
        );
    }
    doubts
}
