//! Which node has which shard: slots are those of the store's keys, nodes have even ranges of slots.

use board::{Activity, BoardName, Incarnation, Meaning, ShardCount};
use redis_nodes::{SLOTS, slot_of};
use shard_store::BoardRecord;
use store_redis::ShardKeys;

use crate::random::Random;

/// The seed of the boards' incarnations.
const SEED: u64 = 20_261_126;

/// Returns the node of each shard of a board, by the slots of the store's keys.
///
/// # Panics
/// Never: keys of the store have a hash tag.
#[must_use]
pub fn nodes_of(board: usize, shards: u16, nodes: usize) -> Vec<usize> {
    let record = BoardRecord {
        name: name(board),
        incarnation: Incarnation(Random::new(SEED ^ board as u64).bits()),
        shards: ShardCount::new(u64::from(shards)).expect("a power of two, as kinds have"),
        meaning: Meaning(0),
        activity: Activity::ALWAYS,
        created: true,
    };
    let slots = (0..shards).map(|shard| {
        let key = ShardKeys::new(&record, shard).meta();
        let tag = key.split(|byte| matches!(byte, b'{' | b'}')).nth(1);
        usize::from(slot_of(tag.expect("a hash tag")))
    });
    slots
        .map(|slot| slot * nodes / usize::from(SLOTS))
        .collect()
}

fn name(board: usize) -> BoardName {
    format!("gifts/{board}").parse().expect("a valid name")
}
