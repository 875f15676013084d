//! A shard as it was at a moment, for a snapshot.
//!
//! [`Shard::freeze`] is made under the shard's lock for reading and takes microseconds, since pages
//! are shared: whoever writes next copies a page before its first change. The [`FrozenShard`] is read
//! later, on another thread, without any lock. Files and their formats are the embedded store's.

use board::Window;

use super::{Dropped, Shard};
use crate::ids::FrozenIds;
use crate::ranking::FrozenRanking;

/// What a shard held, and will not change any more.
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
    /// What is held now.
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
