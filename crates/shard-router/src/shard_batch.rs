//! [`ShardBatch`]: the part of a board's batch that goes to one shard.

use board::IdDigest;
use shard_store::{BoardRecord, Item};
use smallvec::{SmallVec, smallvec};

use crate::batch::{BatchItem, ItemOrigin};

/// The shards of most boards, for which splitting a few items allocates nothing.
const USUAL_SHARDS: usize = 16;

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
        let BatchItem { origin, mut item } = item;
        let id = origin.id.as_ref();
        item.id = id.map(|id| IdDigest::new(record.incarnation, &item.member, id));
        self.items.push(item);
        self.origins.push(origin);
    }

    /// Returns its items, in order.
    pub(crate) fn into_items(self) -> impl Iterator<Item = BatchItem> {
        let items = self.origins.into_iter().zip(self.items);
        items.map(|(origin, item)| BatchItem { origin, item })
    }
}

/// Splits the items by shard, in order. A shard gets all of its items in one batch, so that those
/// of one member stay in order.
pub(crate) fn batches(record: &BoardRecord, items: Vec<BatchItem>) -> SmallVec<[ShardBatch; 1]> {
    let shard_of = |item: &BatchItem| record.shards.shard_of(item.item.hash);
    let mut counts: SmallVec<[usize; USUAL_SHARDS]> =
        smallvec![0; usize::from(record.shards.get())];
    for item in &items {
        counts[usize::from(shard_of(item))] += 1;
    }
    // The number of each shard's batch, from 1.
    let mut numbers: SmallVec<[usize; USUAL_SHARDS]> = smallvec![0; counts.len()];
    let mut batches = SmallVec::<[ShardBatch; 1]>::new();
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
