//! Measures the cost of a member's rank and of a deep page, over HTTP, on a board of 16 shards on one Redis; compared
//! with `ZREVRANK` and `ZREVRANGE` of one sorted set with the same members.

use std::io;
use std::time::Instant;

use benches::figures::{median, number};
use benches::http::{self, Connection};
use benches::process::cpu_of;
use benches::redis::Redis;
use benches::sample::member;
use scale::random::Random;

use crate::peer::Peer;
use crate::served::{BOARD, Served};
use crate::settings::Settings;

/// The number of reads of each sort in one round, one after the other.
pub(crate) const READS: u64 = 200;

/// The number of entries of a page.
const PAGE: u64 = 100;

const KINDS: &str = r#"
[kinds.gifts]
windows = ["all"]
shards = 16
"#;

/// Reads of one sort, with one value per round, each for one read.
#[derive(Default)]
pub(crate) struct Lookup {
    /// The median of the times that the client waits, in microseconds.
    pub(crate) p50_us: Vec<f64>,
    /// CPU time of Redis, in microseconds.
    pub(crate) redis_us: Vec<f64>,
    /// CPU time of Megaboard, in microseconds.
    pub(crate) own_us: Vec<f64>,
    /// Function calls of Redis.
    pub(crate) calls: Vec<f64>,
    /// Bytes that Redis received and sent.
    pub(crate) bytes: Vec<f64>,
    /// The median of the times of the same of a sorted set, and CPU time of Redis for it.
    pub(crate) plain_p50_us: Vec<f64>,
    pub(crate) plain_us: Vec<f64>,
}

/// Ranks of random members, and pages at random depths.
#[derive(Default)]
pub(crate) struct Lookups {
    pub(crate) rank: Lookup,
    pub(crate) page: Lookup,
}

/// Fills the boards, and measures all rounds.
pub(crate) fn measure(settings: &Settings) -> io::Result<Lookups> {
    let members = settings.members;
    eprintln!("lookups: filling a board");
    let mut plain = Peer::filled(members, 1, members / 4)?;
    let mut redis = Redis::start()?;
    let store = format!("redis://{}", redis.address());
    let mut served = Served::start(&settings.megaboard, &store, KINDS, members, false)?;
    served.fill()?;
    served.send(members / 16_000)?;
    let mut connection = Connection::open(served.home.server.address)?;
    let mut random = Random::new(7);
    let mut lookups = Lookups::default();
    for _ in 0..settings.rounds {
        let names: Vec<_> = (0..READS).map(|_| member(random.below(members))).collect();
        let paths = names.iter().map(|name| format!("members/{name}"));
        lookups
            .rank
            .ours(&mut redis, &served, &mut connection, paths)?;
        let commands = names
            .iter()
            .map(|name| vec!["ZREVRANK", "board:0", name.as_str()]);
        lookups.rank.plain(&mut plain, commands, |redis, words| {
            redis.connection.ask(words).map(drop)
        })?;
        let firsts: Vec<u64> = (0..READS).map(|_| random.below(members - PAGE)).collect();
        let paths = firsts
            .iter()
            .map(|first| format!("range?from={}&to={}", first + 1, first + PAGE));
        lookups
            .page
            .ours(&mut redis, &served, &mut connection, paths)?;
        let ends: Vec<_> = firsts
            .iter()
            .map(|first| [first.to_string(), (first + PAGE - 1).to_string()])
            .collect();
        let commands = ends
            .iter()
            .map(|[first, last]| vec!["ZREVRANGE", "board:0", first, last, "WITHSCORES"]);
        lookups.page.plain(&mut plain, commands, |redis, words| {
            redis.connection.list(words).map(drop)
        })?;
    }
    Ok(lookups)
}

impl Lookup {
    fn ours(
        &mut self,
        redis: &mut Redis,
        served: &Served,
        connection: &mut Connection,
        paths: impl Iterator<Item = String>,
    ) -> io::Result<()> {
        let requests: Vec<String> = paths
            .map(|path| http::get(&format!("/v1/boards/{BOARD}/{path}")))
            .collect();
        let (calls, bytes) = (redis.function_calls()?, redis.network_bytes()?);
        let (cpu, own) = (redis.cpu_us()?, cpu_of(served.home.server.pid())?);
        let waits = each(&requests, |request| connection.ask(request).map(drop))?;
        let own = cpu_of(served.home.server.pid())?.saturating_sub(own);
        let per_read = |total: f64| total / number(READS);
        self.redis_us.push(per_read(redis.cpu_us()? - cpu));
        self.own_us.push(per_read(own.as_secs_f64() * 1e6));
        self.bytes.push(per_read(redis.network_bytes()? - bytes));
        self.calls.push(per_read(redis.function_calls()? - calls));
        self.p50_us.push(waits);
        Ok(())
    }

    fn plain<'a>(
        &mut self,
        plain: &mut Peer,
        commands: impl Iterator<Item = Vec<&'a str>>,
        mut ask: impl FnMut(&mut Redis, &[&str]) -> io::Result<()>,
    ) -> io::Result<()> {
        let commands: Vec<Vec<&str>> = commands.collect();
        let Peer { redis, .. } = plain;
        let cpu = redis.cpu_us()?;
        let waits = each(&commands, |words| ask(redis, words))?;
        self.plain_us.push((redis.cpu_us()? - cpu) / number(READS));
        self.plain_p50_us.push(waits);
        Ok(())
    }
}

/// Does this for each, and returns the median of the times in microseconds.
fn each<T>(all: &[T], mut read: impl FnMut(&T) -> io::Result<()>) -> io::Result<f64> {
    let mut waits = Vec::with_capacity(all.len());
    for each in all {
        let begun = Instant::now();
        read(each)?;
        waits.push(begun.elapsed().as_secs_f64() * 1e6);
    }
    Ok(median(&waits))
}
