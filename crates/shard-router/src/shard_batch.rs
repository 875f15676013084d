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
    fn with_capacity(shard: u16, items: usize) -> Self {
        Self {
            shard,
            origins: Vec::with_capacity(items),
            items: Vec::with_capacity(items),
        }
    }

    /// Adds an item, identified for the incarnation of this record.
    fn push(&mut self, record: &BoardRecord, item: BatchItem) {
        let BatchItem { origin, item } = item;
        self.items.push(identified(record, &origin, item));
        self.origins.push(origin);
    }

    /// Returns its items, in order.
    pub(crate) fn into_items(self) -> impl Iterator<Item = BatchItem> {
        let items = self.origins.into_iter().zip(self.items);
        items.map(|(origin, item)| BatchItem { origin, item })
    }
}

/// Identifies an item for the incarnation of this record.
pub(crate) fn identified(record: &BoardRecord, origin: &ItemOrigin, item: Item) -> Item {
    let id = origin.id.as_ref();
    Item {
        id: id.map(|id| IdDigest::new(record.incarnation, &item.member, id)),
        ..item
    }
}

/// Splits the items by shard, in order. A shard gets all of its items in one batch, so that those
/// of one member stay in order.
pub(crate) fn batches(record: &BoardRecord, items: Vec<BatchItem>) -> Vec<ShardBatch> {
    let shard_of = |item: &BatchItem| record.shards.shard_of(item.item.hash);
    if let [item] = items.as_slice() {
        let mut batch = ShardBatch::with_capacity(shard_of(item), 1);
        for item in items {
            batch.push(record, item);
        }
        return vec![batch];
    }
    let mut counts = vec![0; usize::from(record.shards.get())];
    for item in &items {
        counts[usize::from(shard_of(item))] += 1;
    }
    // The number of each shard's batch, from 1.
    let mut numbers = vec![0; counts.len()];
    let mut batches: Vec<ShardBatch> = Vec::new();
    for item in items {
        let shard = shard_of(&item);
        let number = &mut numbers[usize::from(shard)];
        if *number == 0 {
            let items = counts[usize::from(shard)];
            batches.push(ShardBatch::with_capacity(shard, items));
            *number = batches.len();
        }
        batches[*number - 1].push(record, item);
    }
    batches
}
