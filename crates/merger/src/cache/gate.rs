//! One merge at a time a board: whoever comes while one is under way waits for it.
//!
//! The gate remembers how the last merge failed, so that those who waited share the failure instead
//! of each trying a store that is away. Gates are there while somebody is at them.

use std::collections::HashMap;
use std::sync::Arc;

use board::{Incarnation, Window};
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::error::ReadError;

/// One window of one life of a board.
pub(super) type Key = (Incarnation, Window);

/// When the last merge that failed began, and how it failed.
pub(super) type LastFailure = Option<(Instant, ReadError)>;

#[derive(Default)]
pub(super) struct Gates {
    gates: Mutex<HashMap<Key, Arc<tokio::sync::Mutex<LastFailure>>>>,
}

/// A place at a gate; leaving takes the gate down behind the last.
pub(super) struct Place<'a> {
    gates: &'a Gates,
    key: Key,
    gate: Arc<tokio::sync::Mutex<LastFailure>>,
}

impl Gates {
    pub(super) fn at(&self, key: Key) -> Place<'_> {
        let gate = self.gates.lock().entry(key).or_default().clone();
        Place {
            gates: self,
            key,
            gate,
        }
    }
}

impl Place<'_> {
    /// Waits for whoever is merging.
    pub(super) async fn enter(&self) -> tokio::sync::MutexGuard<'_, LastFailure> {
        self.gate.lock().await
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut gates = self.gates.gates.lock();
        // The map's and this one: nobody else is here, and nobody can come while the map is locked.
        if Arc::strong_count(&self.gate) == 2 {
            gates.remove(&self.key);
        }
    }
}
