//! What reading the top costs Redis: nothing from the cache, and a merge of its shards otherwise.

use std::io;

use benches::figures::number;
use benches::http::{self, Connection};
use benches::process::cpu_of;
use benches::redis::Redis;

use crate::Settings;
use crate::peer::Peer;
use crate::served::{BOARD, Served};

/// Members of the board.
pub(crate) const MEMBERS: u64 = 100_000;

/// Tops read from the cache in one round.
pub(crate) const CACHED: u64 = 2_000;

/// Merges in one round, each after contributions to all shards.
const MERGES: u64 = 10;

/// The peer's top.
const REVRANGE: [&str; 5] = ["ZREVRANGE", "board:0", "0", "999", "WITHSCORES"];

/// A board that is merged when it is asked for, and only then.
const KINDS: &str = r#"
[kinds.gifts]
windows = ["all"]
shards = 64
top = 1000
max_staleness = "1h"
"#;

/// Round by round.
#[derive(Default)]
pub(crate) struct Reads {
    /// Functions that Redis ran for all reads from the cache.
    pub(crate) cached_calls: Vec<f64>,
    /// Functions of a merge.
    pub(crate) calls: Vec<f64>,
    /// Bytes over Redis's connections for a merge.
    pub(crate) bytes: Vec<f64>,
    /// Microseconds of Redis's CPU for a merge.
    pub(crate) cpu_us: Vec<f64>,
    /// Bytes of ZREVRANGE.
    pub(crate) plain_bytes: Vec<f64>,
    /// Microseconds of Redis's CPU for it.
    pub(crate) plain_cpu_us: Vec<f64>,
}

/// Fills the board, and reads it.
pub(crate) fn measure(settings: &Settings) -> io::Result<Reads> {
    eprintln!("reads: filling a board");
    let mut plain = Peer::filled(MEMBERS, 1, MEMBERS)?;
    let mut redis = Redis::start()?;
    let store = format!("redis://{}", redis.address());
    let mut served = Served::start(&settings.megaboard, &store, KINDS, MEMBERS, false)?;
    served.fill()?;
    served.send(MEMBERS / 4000)?;
    let mut connection = Connection::open(served.server.address)?;
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
    let (mut calls, mut spent) = (0.0, Spent::default());
    for _ in 0..MERGES {
        served.send(1)?;
        let before = redis.function_calls()?;
        spent.add(redis, |_| connection.ask(&merged).map(drop))?;
        calls += redis.function_calls()? - before;
    }
    reads.calls.push(calls / number(MERGES));
    reads.bytes.push(spent.bytes / number(MERGES));
    reads.cpu_us.push(spent.cpu_us / number(MERGES));
    Ok(())
}

fn revranges(reads: &mut Reads, plain: &mut Peer) -> io::Result<()> {
    let mut spent = Spent::default();
    for _ in 0..MERGES {
        plain.increment(1000, 4000)?;
        let Peer { redis, .. } = plain;
        spent.add(redis, |redis| redis.connection.list(&REVRANGE).map(drop))?;
    }
    reads.plain_bytes.push(spent.bytes / number(MERGES));
    reads.plain_cpu_us.push(spent.cpu_us / number(MERGES));
    Ok(())
}

/// What Redis took.
#[derive(Default)]
struct Spent {
    cpu_us: f64,
    bytes: f64,
}

impl Spent {
    /// What it takes for this, asking for it left out.
    fn add(
        &mut self,
        redis: &mut Redis,
        ask: impl FnOnce(&mut Redis) -> io::Result<()>,
    ) -> io::Result<()> {
        let first = redis.network_bytes()?;
        let before = redis.network_bytes()?;
        let asking = before - first;
        let cpu = cpu_of(redis.pid())?;
        ask(redis)?;
        let cpu = cpu_of(redis.pid())?.saturating_sub(cpu);
        self.bytes += redis.network_bytes()? - before - asking;
        self.cpu_us += cpu.as_secs_f64() * 1e6;
        Ok(())
    }
}
