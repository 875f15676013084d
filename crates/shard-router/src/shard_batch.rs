//! [`ShardBatch`]: the part of a board's batch that goes to one shard.

use board::IdDigest;
use shard_store::{BoardRecord, Item};

use crate::batch::{BatchItem, ItemOrigin};

/// Items for one shard, and for each where it comes from.
pub(crate) struct ShardBatch {
    pub(crate) shard: u16,
    pub(crate) origins: Vec<ItemOrigin>,
    pub(crate) items: Vec<Item>,
}

impl ShardBatch {
    /// Returns its items, in order.
    pub(crate) fn into_items(self) -> impl Iterator<Item = BatchItem> {
        let items = self.origins.into_iter().zip(self.items);
        items.map(|(origin, item)| BatchItem { origin, item })
    }
}

/// Splits the items by shard, in order. A shard gets all of its items in one batch, so that those
/// of one member stay in order.
pub(crate) fn batches(record: &BoardRecord, items: Vec<BatchItem>) -> Vec<ShardBatch> {
    let mut batches: Vec<ShardBatch> = Vec::new();
    let mut of_shard = vec![usize::MAX; usize::from(record.shards.get())];
    for BatchItem { origin, mut item } in items {
        let shard = record.shards.shard_of(item.hash);
        let slot = &mut of_shard[usize::from(shard)];
        if *slot == usize::MAX {
            *slot = batches.len();
            batches.push(ShardBatch {
                shard,
                origins: Vec::new(),
                items: Vec::new(),
            });
        }
        let batch = &mut batches[*slot];
        let id = origin.id.as_ref();
        item.id = id.map(|id| IdDigest::new(record.incarnation, &item.member, id));
        batch.origins.push(origin);
        batch.items.push(item);
    }
    batches
}
