//! [`Gates`]: one merge at a time for each key. A caller that finds one in progress waits for it.
//!
//! A gate remembers the result of the last merge, so that callers that waited share it: a failure,
//! so that not each of them tries an unavailable store, and a snapshot, even if the cache has no
//! space for it. A gate exists while a caller uses it.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::time::Instant;

use super::snapshot::Snapshot;
use crate::error::ReadError;

/// When the last merge began, and its result.
pub(super) type Last = Option<(Instant, Result<Arc<Snapshot>, ReadError>)>;

type Gate = Arc<tokio::sync::Mutex<Last>>;

/// The gates in use.
pub(super) struct Gates<K> {
    gates: Mutex<HashMap<K, Gate>>,
}

/// A caller's use of a gate. The last one removes the gate on drop.
pub(super) struct GateUse<'a, K: Eq + Hash> {
    gates: &'a Gates<K>,
    key: K,
    /// `None` only during drop.
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
    pub(super) fn at(&self, key: &K) -> GateUse<'_, K> {
        let gate = self.gates.lock().entry(key.clone()).or_default().clone();
        GateUse {
            gates: self,
            key: key.clone(),
            gate: Some(gate),
        }
    }
}

impl<K: Eq + Hash> GateUse<'_, K> {
    /// Waits for the caller inside; `wait` is called if there is one.
    pub(super) async fn enter(&self, wait: impl FnOnce()) -> tokio::sync::MutexGuard<'_, Last> {
        let gate = self
            .gate
            .as_ref()
            .expect("a gate is not entered after it was left");
        if let Ok(entered) = gate.try_lock() {
            return entered;
        }
        wait();
        gate.lock().await
    }
}

impl<K: Eq + Hash> Drop for GateUse<'_, K> {
    fn drop(&mut self) {
        let mut gates = self.gates.gates.lock();
        // Under the lock, so that exactly one of several concurrent callers is the last.
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
    fn a_gate_exists_until_the_last_caller_has_left() {
        let gates = Gates::default();
        let (first, second) = (gates.at(&1), gates.at(&1));
        drop(first);
        assert!(gates.gates.lock().contains_key(&1));
        drop(second);
        assert!(gates.gates.lock().is_empty());
    }
}
