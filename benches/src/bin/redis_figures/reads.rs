//! Measures the cost of reading tops for Redis: cached ones, which need no call, and merges of all shards.

use std::io;

use benches::figures::number;
use benches::http::{self, Connection};
use benches::process::cpu_of;
use benches::redis::Redis;

use crate::peer::Peer;
use crate::served::{BOARD, Served};
use crate::settings::Settings;

/// The number of members of the board.
pub(crate) const MEMBERS: u64 = 100_000;

/// The number of cached tops read in one round.
pub(crate) const CACHED: u64 = 2_000;

/// The number of merges in one round, each after contributions to all shards.
const MERGES: u64 = 10;

/// The top of a plain sorted set.
const REVRANGE: [&str; 5] = ["ZREVRANGE", "board:0", "0", "999", "WITHSCORES"];

/// The staleness is so long that the board is merged only for fresh reads.
const KINDS: &str = r#"
[kinds.gifts]
windows = ["all"]
shards = 64
top = 1000
max_staleness = "1h"
"#;

/// The figures, with one value per round.
#[derive(Default)]
pub(crate) struct Reads {
    /// Function calls during all reads of cached tops.
    pub(crate) cached_calls: Vec<f64>,
    /// Function calls of a merge.
    pub(crate) calls: Vec<f64>,
    /// Bytes that Redis received and sent for a merge.
    pub(crate) bytes: Vec<f64>,
    /// CPU time of Redis for a merge, in microseconds.
    pub(crate) cpu_us: Vec<f64>,
    /// Bytes that Redis received and sent for `ZREVRANGE`.
    pub(crate) plain_bytes: Vec<f64>,
    /// CPU time of Redis for `ZREVRANGE`, in microseconds.
    pub(crate) plain_cpu_us: Vec<f64>,
}

/// Fills the board, and measures all rounds.
pub(crate) fn measure(settings: &Settings) -> io::Result<Reads> {
    eprintln!("reads: filling a board");
    let mut plain = Peer::filled(MEMBERS, 1, MEMBERS)?;
    let mut redis = Redis::start()?;
    let store = format!("redis://{}", redis.address());
    let mut served = Served::start(&settings.megaboard, &store, KINDS, MEMBERS, false)?;
    served.fill()?;
    served.send(MEMBERS / 4000)?;
    let mut connection = Connection::open(served.home.server.address)?;
    let cached = http::get(&format!("/v1/boards/{BOARD}/top?n=1000"));
    connection.ask(&cached)?;
    let mut reads = Reads::default();
    for _ in 0..settings.rounds {
        let before = redis.function_calls()?;
        for _ in 0..CACHED {
            connection.ask(&cached)?;
        }
        reads.cached_calls.push(redis.function_calls()? - before);
        merges(&mut reads, &mut redis, &mut served, &mut connection)?;
        revranges(&mut reads, &mut plain)?;
    }
    Ok(reads)
}

fn merges(
    reads: &mut Reads,
    redis: &mut Redis,
    served: &mut Served,
    connection: &mut Connection,
) -> io::Result<()> {
    let merged = http::get(&format!("/v1/boards/{BOARD}/top?n=1000&fresh=true"));
    let (mut calls, mut cost) = (0.0, Cost::default());
    for _ in 0..MERGES {
        served.send(1)?;
        let before = redis.function_calls()?;
        cost.add(redis, |_| connection.ask(&merged).map(drop))?;
        calls += redis.function_calls()? - before;
    }
    reads.calls.push(calls / number(MERGES));
    reads.bytes.push(cost.bytes / number(MERGES));
    reads.cpu_us.push(cost.cpu_us / number(MERGES));
    Ok(())
}

fn revranges(reads: &mut Reads, plain: &mut Peer) -> io::Result<()> {
    let mut cost = Cost::default();
    for _ in 0..MERGES {
        plain.increment(1000, 4000)?;
        let Peer { redis, .. } = plain;
        cost.add(redis, |redis| redis.connection.list(&REVRANGE).map(drop))?;
    }
    reads.plain_bytes.push(cost.bytes / number(MERGES));
    reads.plain_cpu_us.push(cost.cpu_us / number(MERGES));
    Ok(())
}

/// The cost of reads for Redis.
#[derive(Default)]
struct Cost {
    cpu_us: f64,
    bytes: f64,
}

impl Cost {
    /// Adds the cost of a read, without that of measuring it.
    fn add(
        &mut self,
        redis: &mut Redis,
        read: impl FnOnce(&mut Redis) -> io::Result<()>,
    ) -> io::Result<()> {
        let first = redis.network_bytes()?;
        let before = redis.network_bytes()?;
        let measuring = before - first;
        let cpu = cpu_of(redis.pid())?;
        read(redis)?;
        let cpu = cpu_of(redis.pid())?.saturating_sub(cpu);
        self.bytes += redis.network_bytes()? - before - measuring;
        self.cpu_us += cpu.as_secs_f64() * 1e6;
        Ok(())
    }
}
