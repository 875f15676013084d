//! [`FrozenShard`]: a copy of a shard for a snapshot.
//!
//! [`Shard::freeze`] runs under the shard's lock for reading and takes microseconds, since pages
//! are shared: the next writer copies a page before its first change. The copy is read later, on
//! another thread, without any lock. Files and their formats are in `store-local`.

use board::Window;

use super::{Dropped, Shard};
use crate::ids::FrozenIds;
use crate::ranking::FrozenRanking;

/// The contents of a shard, which no longer change.
#[derive(Debug)]
pub struct FrozenShard {
    /// Windows that were dropped.
    pub dropped: Option<Box<Dropped>>,
    /// Remembered ids.
    pub ids: Option<FrozenIds>,
    /// By window, sorted.
    pub rankings: Vec<(Window, FrozenRanking)>,
}

impl Shard {
    /// Copies the contents as they are now.
    #[must_use]
    pub fn freeze(&self) -> FrozenShard {
        let rankings = self.rankings.iter();
        FrozenShard {
            dropped: self.dropped.clone(),
            ids: self.ids.as_ref().map(|ids| ids.freeze()),
            rankings: rankings
                .map(|(window, ranking)| (*window, ranking.freeze()))
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests;
