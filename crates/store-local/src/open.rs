//! The store in a folder: opened, snapped, closed.

use std::sync::Arc;
use std::time::Instant;

use crate::clock::{SteadyClock, is_far_ahead, uptime};
use crate::keep::Keep;
use crate::store::{LocalStore, own_time, random};
use crate::unconfirmed::Unconfirmed;
use crate::{EmbeddedError, EmbeddedSettings, Own, Recovery, Snapshots, recovery, snapshot};
use board::Timestamp;
use engine::Registry;
use journal::Disk;
use journal::Journal;
use shard_store::StoreError;

/// Before all that can have been written.
const NEVER: Timestamp = Timestamp::from_millis(i64::MIN);

impl LocalStore {
    /// Opens what is kept on a disk, and goes on from there. Blocks while it is loaded.
    ///
    /// Dropped without [`close`](shard_store::ShardStore::close), it ends as if the process had been killed.
    pub fn open(disk: Arc<dyn Disk>, settings: &EmbeddedSettings) -> Result<Self, EmbeddedError> {
        let began = Instant::now();
        let memory = settings.memory.clone();
        let registry = Arc::new(Registry::within(memory, settings.id_bytes_max));
        // Some of what is replayed may have been written by a clock that was ahead.
        registry.ids.trust(Some(NEVER));
        let Recovery {
            journal,
            epoch,
            sizes,
        } = recovery::recover(&*disk, &registry)?;
        if journal.cut_bytes > 0 {
            let cut_bytes = journal.cut_bytes;
            tracing::warn!(cut_bytes, "the journal's end was never synced, and is cut");
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
        // Before anything is shown in an epoch, the folder says that it is no longer as it was left.
        // On a full disk it can't, but nothing can be written then either: in another epoch.
        let started = journal.write_blocking(&Own::Started.encode());
        let epoch = match epoch.filter(|_| started.is_ok()) {
            Some(epoch) => epoch,
            None => random().map_err(|error| EmbeddedError::Lost(error.to_string()))?,
        };
        let unconfirmed = Unconfirmed::find(disk.clone())?;
        let snapshots = Snapshots::start(disk, registry.clone(), journal.clone(), sizes, settings)?;
        let own = own_time();
        let mut clock = SteadyClock::from(own, uptime(), settings.clock_pause);
        let is_unconfirmed = is_unconfirmed(&mut clock, own, &registry);
        if unconfirmed.is_there() {
            // What was written last may have been by the same clock.
            clock.wait(NEVER);
        } else if is_unconfirmed && !clock.trusts_any() {
            unconfirmed.set();
        }
        registry.ids.trust(clock.trusted_until(uptime()));
        let mut store = Self::of(registry, epoch, Keep::Journal { snapshots, journal });
        store.clock = Some(clock);
        store.unconfirmed = Some(unconfirmed);
        store.recovery.set(metering::seconds(loaded));
        store.weigh();
        Ok(store)
    }

    /// Loads what is kept on a disk, to look at it: nothing is written, writes are refused. Answers
    /// how many bytes of the journal's end a server would cut, since they were never known durable.
    pub fn inspect(disk: &dyn Disk) -> Result<(Self, u64), EmbeddedError> {
        let registry = Arc::new(Registry::new(usize::MAX));
        let Recovery { epoch, journal, .. } = recovery::recover(disk, &registry)?;
        if journal.is_of_nothing() {
            return Err(EmbeddedError::Nothing(disk.path().to_owned()));
        }
        let epoch = epoch.map_or_else(random, Ok);
        let epoch = epoch.map_err(|error| EmbeddedError::Lost(error.to_string()))?;
        let store = Self::of(registry, epoch, Keep::ReadOnly);
        Ok((store, journal.cut_bytes))
    }

    /// Takes a snapshot now, and blocks until it is durable and what it stands in for is removed.
    /// Of a store that is kept in no folder there is none to take.
    pub fn snapshot(&self) -> Result<(), EmbeddedError> {
        match &self.keep {
            Keep::Nowhere | Keep::ReadOnly => Ok(()),
            Keep::Journal { snapshots, .. } => snapshots.take(),
        }
    }

    /// Writes and syncs all that was taken, and takes nothing any more. The next start goes on in
    /// the same epoch.
    pub(super) fn stop(&self) -> Result<(), StoreError> {
        let Keep::Journal { snapshots, journal } = &self.keep else {
            return Ok(());
        };
        snapshots.end();
        let stopped = Own::Stopped { epoch: self.epoch };
        // On a full disk it is not said: what was answered is durable all the same.
        let said = journal.write_blocking(&stopped.encode());
        if let Err(error) = said {
            tracing::warn!(%error, "the next start begins a new epoch");
        }
        let stopped = journal.stop();
        stopped.map_err(|error| StoreError::Unavailable(error.to_string()))
    }
}

/// Whether the clock has to be waited for, by what was written last: then this start drops nothing for the pause, nor
/// does the next.
fn is_unconfirmed(clock: &mut SteadyClock, own: Timestamp, registry: &Registry) -> bool {
    let cells = registry.all_cells();
    // Settings are not asked: those that close the name of a board which has expired are of a time to come.
    match cells.iter().filter_map(|cell| cell.last_write()).max() {
        Some(last_write) if is_far_ahead(last_write, own) => {
            clock.wait(NEVER);
            true
        }
        Some(last_write) => clock.wait_where_ahead_of(last_write),
        // Settings alone do not say when they were written.
        None if !cells.is_empty() => {
            clock.wait(NEVER);
            true
        }
        None => false,
    }
}
