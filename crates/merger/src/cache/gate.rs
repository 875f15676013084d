//! One merge at a time a board: whoever comes while one is under way waits for it.
//!
//! The gate remembers how the last merge ended, so that those who waited share it: a failure, instead
//! of each trying a store that is away, and a snapshot, also where the cache has no room for it.
//! Gates are there while somebody is at them.

use std::collections::HashMap;
use std::sync::Arc;

use board::{Incarnation, Window};
use parking_lot::Mutex;
use tokio::time::Instant;

use super::snapshot::Snapshot;
use crate::error::ReadError;

/// One window of one life of a board.
pub(super) type Key = (Incarnation, Window);

/// When the last merge began, and how it ended.
pub(super) type LastMerge = Option<(Instant, Result<Arc<Snapshot>, ReadError>)>;

#[derive(Default)]
pub(super) struct Gates {
    gates: Mutex<HashMap<Key, Arc<tokio::sync::Mutex<LastMerge>>>>,
}

/// A place at a gate; leaving takes the gate down behind the last.
pub(super) struct Place<'a> {
    gates: &'a Gates,
    key: Key,
    /// None while it leaves.
    gate: Option<Arc<tokio::sync::Mutex<LastMerge>>>,
}

impl Gates {
    pub(super) fn at(&self, key: Key) -> Place<'_> {
        let gate = self.gates.lock().entry(key).or_default().clone();
        Place {
            gates: self,
            key,
            gate: Some(gate),
        }
    }
}

impl Place<'_> {
    /// Waits for whoever is merging.
    pub(super) async fn enter(&self) -> tokio::sync::MutexGuard<'_, LastMerge> {
        let gate = self.gate.as_ref();
        gate.expect("nobody enters who has left").lock().await
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut gates = self.gates.gates.lock();
        // Under the lock, so that of two who leave together one is the last.
        self.gate = None;
        if gates
            .get(&self.key)
            .is_some_and(|gate| Arc::strong_count(gate) == 1)
        {
            gates.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_stands_until_the_last_has_left() {
        let gates = Gates::default();
        let key = (Incarnation(1), Window::ALL_TIME);
        let (first, second) = (gates.at(key), gates.at(key));
        drop(first);
        assert!(gates.gates.lock().contains_key(&key));
        drop(second);
        assert!(gates.gates.lock().is_empty());
    }
}
