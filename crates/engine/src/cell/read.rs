//! Reads of a board's shards.

use std::hint::black_box;

use parking_lot::{RwLock, RwLockReadGuard};
use shard_store::{Query, ShardQuery, ShardReading, StoreError};
use smallvec::SmallVec;

use super::{Body, Cell};
use crate::ranking::Search;
use crate::shard::Shard;

impl Cell {
    /// Reads shards, each at one moment. Returns a reading for each query, in order.
    pub fn read(
        &self,
        epoch: u64,
        queries: &[ShardQuery],
    ) -> Result<Vec<ShardReading>, StoreError> {
        let mut readings = Vec::with_capacity(queries.len());
        match &*self.body.read() {
            Body::Ended => return Err(StoreError::IncarnationEnded),
            Body::Whole(whole) => {
                let held = whole.read();
                for ShardQuery { shard, query } in queries {
                    readings.push(held.read(&self.kind, epoch, Some(*shard), query)?);
                }
            }
            Body::Split(shards) => {
                load(shards, queries);
                for ShardQuery { shard, query } in queries {
                    let held = shards[usize::from(*shard)].read();
                    readings.push(held.read(&self.kind, epoch, None, query)?);
                }
            }
        }
        Ok(readings)
    }
}

/// Shards whose searches take turns.
const LOADED: usize = 16;

/// Loads what queries of several shards search into the cache: a search waits for one node after
/// the other, but those of different shards do not wait for each other. Shards that are being
/// written are left out.
fn load(shards: &[RwLock<Shard>], queries: &[ShardQuery]) {
    if queries.len() < 2 {
        return;
    }
    for queries in queries.chunks(LOADED) {
        let held = queries.iter().map(|asked| {
            let shard = shards[usize::from(asked.shard)].try_read()?;
            Some((shard, &asked.query))
        });
        let held: SmallVec<[(RwLockReadGuard<'_, Shard>, &Query); LOADED]> =
            held.flatten().collect();
        let searches = held.iter().filter_map(|(shard, query)| shard.search(query));
        let mut searches: SmallVec<[Search<'_>; LOADED]> = searches.collect();
        let mut is_done = false;
        while !is_done {
            is_done = true;
            for search in &mut searches {
                is_done &= !search.step();
            }
        }
        let names = searches.iter().map(Search::touch_names);
        black_box(names.fold(0, |all, one| all ^ one));
    }
}
