//! Each kind of damage, found and repaired, with and without concurrent writers.

mod damage;
mod orphans;
mod values;
mod writers;

use crate::boards::fixtures::written_window::{ShardReaders, WrittenWindow};
use shard_store::{Anchor, Groups, Query, RangeAsk, ShardEntry};

/// Returns all that is ranked, best first.
async fn order_of(readers: &ShardReaders, laid: &WrittenWindow) -> Vec<ShardEntry> {
    let all = RangeAsk {
        anchor: Anchor::Rank(0),
        before: 0,
        after: usize::MAX,
    };
    let query = Query {
        window: laid.window,
        unless: None,
        groups: Groups::None,
        ranges: [all].into(),
    };
    let reading = readers
        .reader
        .read_one(&laid.record, laid.shard, &query)
        .await;
    reading.unwrap().parts.unwrap().remove(0).entries
}
