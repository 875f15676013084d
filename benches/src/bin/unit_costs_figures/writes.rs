//! Measures calls of contributions to a shard, and the memory of a member.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use benches::figures::number;
use benches::redis::Redis;
use benches::sample::{Sample, gifts, now};
use board::Period;
use futures::executor::block_on;
use futures::future::join_all;
use scale::units::ApplyCost;
use shard_store::{Batch, Outcome};
use store_redis::{RedisSettings, RedisStore, RedisUrl};

use crate::cost::Cost;

/// The shards of the board.
const SHARDS: u64 = 16;

/// The numbers of contributions of a call.
const LENGTHS: [u64; 6] = [1, 4, 16, 64, 250, 1_000];

/// The contributions that are measured of each, and the most turns of all shards.
const CONTRIBUTIONS: u64 = 64_000;
const TIMES_MAX: u64 = 500;

/// Contributions before the first measurement: the memory layout right after loading is better than in normal use.
const CHURN: u64 = 100_000;

/// Returns the cost of calls, and the bytes of a member after updates.
pub(crate) fn measure(members: u64) -> io::Result<(Vec<ApplyCost>, f64)> {
    let mut redis = Redis::cluster_of_one()?;
    let url: RedisUrl = format!("redis-cluster://{}", redis.address())
        .parse()
        .map_err(io::Error::other)?;
    let store = block_on(RedisStore::open(&url, &RedisSettings::default()));
    let store = Arc::new(store.map_err(io::Error::other)?);
    let mut sample = Sample::on(store, gifts(&[Period::All], SHARDS), members, false);
    let empty = redis.memory_bytes()?;
    sample.fill();
    apply(&mut sample, 1_000, CHURN / 1_000 / SHARDS);
    let member_bytes = (redis.memory_bytes()? - empty) / number(members);
    let costs = LENGTHS.into_iter().map(|len| {
        let times = (CONTRIBUTIONS / len / SHARDS).clamp(1, TIMES_MAX);
        let cost = Cost::of(&mut redis, number(times * SHARDS), || {
            apply(&mut sample, len, times);
            Ok(())
        })?;
        Ok(ApplyCost {
            contributions: number(len),
            node_us: cost.us,
            bytes_in: cost.bytes_in,
            bytes_out: cost.bytes_out,
        })
    });
    Ok((costs.collect::<io::Result<Vec<_>>>()?, member_bytes))
}

/// Applies a call to each shard, all at once, as the router sends a request: this number of times.
fn apply(sample: &mut Sample, len: u64, times: u64) {
    let len = usize::try_from(len).expect("a small number");
    for _ in 0..times {
        let now = now();
        let mut batches = BTreeMap::new();
        while number(batches.len() as u64) < number(SHARDS) {
            let (shard, items) = sample.batch(len, now);
            batches.insert(shard, items);
        }
        let calls = batches.iter().map(|(shard, items)| {
            let batch = Batch {
                kind: &sample.known.kind,
                now,
                until: None,
                waits_until: None,
                report: false,
                items,
            };
            sample.router.store().apply(&sample.record, *shard, batch)
        });
        for outcomes in block_on(join_all(calls)) {
            let outcomes = outcomes.expect("the store does not fail");
            assert!(outcomes.iter().all(|o| matches!(o, Outcome::Applied(_))));
        }
    }
}
