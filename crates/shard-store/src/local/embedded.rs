//! The store in a folder: opened, snapped, closed.

use std::sync::Arc;

use super::keep::Keep;
use super::{LocalStore, random};
use crate::contract::StoreError;
use crate::embedded::journal::Journal;
use crate::embedded::{Disk, EmbeddedError, EmbeddedSettings, Own, Recovery, recovery};
use crate::engine::Registry;

impl LocalStore {
    /// Opens what is kept on a disk, and goes on from there. Blocks while it is loaded.
    ///
    /// Dropped without [`close`](crate::ShardStore::close), it ends as if the process had been killed.
    pub fn open(disk: Arc<dyn Disk>, settings: &EmbeddedSettings) -> Result<Self, EmbeddedError> {
        let registry = Arc::new(Registry::new(settings.id_bytes_max));
        let Recovery { journal, epoch } = recovery::recover(&*disk, &registry)?;
        let journal = Journal::start(disk.clone(), &journal, settings.journal())?;
        let journal = Arc::new(journal);
        // Before anything is shown in an epoch, the folder says that it is no longer as it was left.
        // On a full disk it can't, but nothing can be written then either: in another epoch.
        let started = journal.write_blocking(&Own::Started.encode());
        let epoch = match epoch.filter(|_| started.is_ok()) {
            Some(epoch) => epoch,
            None => random().map_err(|error| EmbeddedError::Lost(error.to_string()))?,
        };
        Ok(Self {
            registry,
            epoch,
            keep: Keep::Journal { journal },
        })
    }

    /// Loads what is kept on a disk, to look at it: nothing is written, writes are refused.
    pub fn inspect(disk: &dyn Disk) -> Result<Self, EmbeddedError> {
        let registry = Arc::new(Registry::new(usize::MAX));
        let Recovery { epoch, .. } = recovery::recover(disk, &registry)?;
        let epoch = epoch.map_or_else(random, Ok);
        Ok(Self {
            registry,
            epoch: epoch.map_err(|error| EmbeddedError::Lost(error.to_string()))?,
            keep: Keep::ReadOnly,
        })
    }

    /// Takes a snapshot now, and blocks until it is durable and what it stands in for is removed.
    /// Of a store that is kept in no folder there is none to take.
    pub fn snapshot(&self) -> Result<(), EmbeddedError> {
        match &self.keep {
            Keep::Nowhere | Keep::ReadOnly => Ok(()),
            Keep::Journal { .. } => Err(EmbeddedError::Closed),
        }
    }

    /// Writes and syncs all that was taken, and takes nothing any more. The next start goes on in
    /// the same epoch.
    pub(super) fn stop(&self) -> Result<(), StoreError> {
        let Keep::Journal { journal } = &self.keep else {
            return Ok(());
        };
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
