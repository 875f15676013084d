//! Each kind of damage, found and put right, with and without writers at work.

mod damage;
mod orphans;
mod writers;

use crate::contract::{Anchor, Ask, Entry, Query};
use crate::redis::given::{Given, Laid};

/// All that is ranked, best first.
async fn order_of(given: &Given, laid: &Laid) -> Vec<Entry> {
    let all = Ask {
        anchor: Anchor::Rank(0),
        before: 0,
        after: usize::MAX,
    };
    let query = Query {
        window: laid.window,
        unless: None,
        groups: false,
        asks: [all].into(),
    };
    let reading = given.reader.read(&laid.record, laid.shard, &query).await;
    reading.unwrap().parts.unwrap().remove(0).entries
}
