//! One at a time: whoever comes while one is under way waits for it.
//!
//! A gate remembers how the last one ended, so that those who waited share it: a failure, instead of
//! each trying a store that is away, and a snapshot, also where the cache has no room for it. Gates
//! are there while somebody is at them.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::time::Instant;

use super::snapshot::Snapshot;
use crate::error::ReadError;

/// When the last one began, and how it ended.
pub(super) type Last = Option<(Instant, Result<Arc<Snapshot>, ReadError>)>;

type Gate = Arc<tokio::sync::Mutex<Last>>;

/// The gates that somebody is at.
pub(super) struct Gates<K> {
    gates: Mutex<HashMap<K, Gate>>,
}

/// A place at a gate; leaving takes the gate down behind the last.
pub(super) struct Place<'a, K: Eq + Hash> {
    gates: &'a Gates<K>,
    key: K,
    /// None while it leaves.
    gate: Option<Gate>,
}

impl<K> Default for Gates<K> {
    fn default() -> Self {
        Self {
            gates: Mutex::default(),
        }
    }
}

impl<K: Eq + Hash + Clone> Gates<K> {
    pub(super) fn at(&self, key: &K) -> Place<'_, K> {
        let gate = self.gates.lock().entry(key.clone()).or_default().clone();
        Place {
            gates: self,
            key: key.clone(),
            gate: Some(gate),
        }
    }
}

impl<K: Eq + Hash> Place<'_, K> {
    /// Waits for whoever is inside: `wait` is told that there is somebody.
    pub(super) async fn enter(&self, wait: impl FnOnce()) -> tokio::sync::MutexGuard<'_, Last> {
        let gate = self.gate.as_ref().expect("nobody enters who has left");
        if let Ok(entered) = gate.try_lock() {
            return entered;
        }
        wait();
        gate.lock().await
    }
}

impl<K: Eq + Hash> Drop for Place<'_, K> {
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
        let (first, second) = (gates.at(&1), gates.at(&1));
        drop(first);
        assert!(gates.gates.lock().contains_key(&1));
        drop(second);
        assert!(gates.gates.lock().is_empty());
    }
}
