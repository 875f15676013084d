//! Measures merges, ranks, pages and cached tops over HTTP, and lines.

use std::io;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use benches::contributions::Contributions;
use benches::figures::number;
use benches::home::BATCH;
use benches::process::cpu_of;
use benches::redis::Redis;
use scale::random::Random;
use scale::units::{ReadCost, ServerCosts, TopCost};

use crate::cost::Cost;
use crate::served::{SHARDS, Served};

/// How often each read is measured.
const MERGES: u64 = 60;
const MEMBERS: u64 = 1_000;
const PAGES: u64 = 200;
const CACHED: u64 = 5_000;
const LINES: u64 = 60;
const SHARED: u64 = 20;

/// The members of the boards whose tops are shared.
const ENTRIES: [u64; 3] = [10, 100, 1_000];

/// How long it takes until servers know of each other.
const NOTICED_AFTER: Duration = Duration::from_secs(12);

/// How old a top may be where it is shared.
const STALENESS: Duration = Duration::from_millis(200);

/// What was measured.
pub(crate) struct Reads {
    pub(crate) connections: f64,
    pub(crate) server: ServerCosts,
    pub(crate) top: Vec<TopCost>,
    pub(crate) merge: Vec<ReadCost>,
    pub(crate) member: Vec<ReadCost>,
    pub(crate) page: Vec<ReadCost>,
}

/// Measures everything, each number of shards on its own board.
pub(crate) fn measure(megaboard: &Path, members: u64) -> io::Result<Reads> {
    let mut redis = Redis::cluster_of_one()?;
    let store = format!("redis-cluster://{}", redis.address());
    let alone = redis.clients()?;
    let mut served = Served::start(megaboard, &store, "1h")?;
    let connections = redis.clients()? - alone;
    let mut random = Random::new(5);
    let (mut merge, mut member, mut page) = (Vec::new(), Vec::new(), Vec::new());
    let mut lines = Vec::new();
    for shards in SHARDS {
        eprintln!("reads: {shards} shards");
        let mut contributions = Contributions::to(&format!("of{shards}/live"), members, 7);
        served.fill(&mut contributions)?;
        let pid = served.home.server.pid();
        let cpu = cpu_of(pid)?;
        for _ in 0..LINES {
            served.write(&mut contributions)?;
        }
        let cpu = cpu_of(pid)?.saturating_sub(cpu);
        lines.push(cpu.as_secs_f64() * 1e6 / number(LINES * BATCH));
        merge.push(merges(&mut redis, &mut served, &mut contributions, shards)?);
        member.push(cost(&mut redis, &mut served, shards, MEMBERS, |served| {
            let name = random.below(members);
            served.read(shards, &format!("members/u{name:09}"))
        })?);
        page.push(cost(&mut redis, &mut served, shards, PAGES, |served| {
            let from = 1 + random.below(members - 100);
            served.read(shards, &format!("range?from={from}&to={}", from + 99))
        })?);
    }
    let bytes = served.read(16, "top?n=100")?;
    let cached = cost(&mut redis, &mut served, 16, CACHED, |served| {
        served.read(16, "top?n=100")
    })?;
    let (first, last) = (lines[0], lines[lines.len() - 1]);
    let more_calls = number(SHARDS[SHARDS.len() - 1] - SHARDS[0]) / number(BATCH);
    let of_server = ServerCosts {
        line_us: first,
        call_us: ((last - first) / more_calls).max(0.0),
        cached_top_us: cached.server_us,
        cached_top_bytes: number(bytes as u64),
    };
    Ok(Reads {
        connections,
        server: of_server,
        top: shared(megaboard)?,
        merge,
        member,
        page,
    })
}

/// Fresh tops, each after contributions to all shards.
fn merges(
    redis: &mut Redis,
    served: &mut Served,
    contributions: &mut Contributions,
    shards: u64,
) -> io::Result<ReadCost> {
    let (mut whole, mut spent) = (Cost::default(), Duration::ZERO);
    let pid = served.home.server.pid();
    for _ in 0..MERGES {
        served.write(contributions)?;
        let cpu = cpu_of(pid)?;
        whole = whole
            + Cost::of(redis, 1.0, || {
                served.read(shards, "top?n=1000&fresh=true").map(drop)
            })?;
        spent += cpu_of(pid)?.saturating_sub(cpu);
    }
    Ok(of_one(whole, spent, number(MERGES), shards))
}

fn cost(
    redis: &mut Redis,
    served: &mut Served,
    shards: u64,
    times: u64,
    mut read: impl FnMut(&mut Served) -> io::Result<usize>,
) -> io::Result<ReadCost> {
    let pid = served.home.server.pid();
    let cpu = cpu_of(pid)?;
    let whole = Cost::of(redis, 1.0, || {
        (0..times).try_for_each(|_| read(served).map(drop))
    })?;
    let spent = cpu_of(pid)?.saturating_sub(cpu);
    Ok(of_one(whole, spent, number(times), shards))
}

fn of_one(whole: Cost, server: Duration, times: f64, shards: u64) -> ReadCost {
    ReadCost {
        shards: number(shards),
        calls: whole.calls / times,
        node_us: whole.us / times,
        bytes_in: whole.bytes_in / times,
        bytes_out: whole.bytes_out / times,
        server_us: server.as_secs_f64() * 1e6 / times,
    }
}

/// Tops of boards of one shard that one server merges for both, and that the other takes from it.
fn shared(megaboard: &Path) -> io::Result<Vec<TopCost>> {
    let mut redis = Redis::cluster_of_one()?;
    let store = format!("redis-cluster://{}", redis.address());
    let staleness = format!("{}ms", STALENESS.as_millis());
    let mut first = Served::start(megaboard, &store, &staleness)?;
    let mut second = Served::start(megaboard, &store, &staleness)?;
    // Servers notice each other within some seconds.
    sleep(NOTICED_AFTER);
    let costs = ENTRIES.into_iter().map(|entries| {
        let board = format!("of1/top-{entries}");
        let mut contributions = Contributions::to(&board, entries, 7);
        first.fill(&mut contributions)?;
        let mut costs = [(Cost::default(), Duration::ZERO); 2];
        for round in 0..=SHARED {
            sleep(STALENESS * 2);
            first.write(&mut contributions)?;
            for (served, (whole, server)) in [&mut first, &mut second].into_iter().zip(&mut costs) {
                let pid = served.home.server.pid();
                let cpu = cpu_of(pid)?;
                let read = || served.read_board(&board, "top?n=1000").map(drop);
                let cost = Cost::of(&mut redis, 1.0, read)?;
                // Before the first round nothing is cached.
                if round > 0 {
                    *whole = *whole + cost;
                    *server += cpu_of(pid)?.saturating_sub(cpu);
                }
            }
        }
        let [merged, taken] = costs.map(|(whole, server)| of_one(whole, server, number(SHARED), 1));
        Ok(TopCost {
            entries: number(entries),
            merged,
            taken,
        })
    });
    costs.collect()
}
