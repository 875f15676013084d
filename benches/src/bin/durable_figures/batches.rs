//! Measures the cost of a contribution in batches: CPU of the whole server.

use std::io;
use std::thread;

use benches::contributions::Contributions;
use benches::figures::number;
use benches::home::BATCH;
use benches::http::{Connection, apply_all};
use benches::process::cpu_time;
use benches::redis::Redis;
use benches::sample::now;

use crate::ours::{self, FIVE, ONE};
use crate::settings::{Settings, Store};

/// The number of connections, each with one batch in flight.
const CONNECTIONS: u64 = 4;

/// The number of measured contributions, after one of each member.
const MEASURED: u64 = 1_000_000;

/// CPU time per contribution, in microseconds.
#[derive(Clone, Copy)]
pub(crate) struct Batches {
    pub(crate) one: f64,
    pub(crate) five: f64,
    pub(crate) ids: f64,
    /// One window in the memory store, without a journal.
    pub(crate) memory: f64,
    pub(crate) redis: f64,
    /// The child in which Redis rewrites the append-only file, if it has ended.
    pub(crate) redis_child: f64,
}

/// Measures all cases, each on a new server.
pub(crate) fn measure(settings: &Settings) -> io::Result<Batches> {
    let one = ours(settings, settings.store, ONE, false)?;
    let (redis, redis_child) = redis(settings)?;
    Ok(Batches {
        one,
        five: ours(settings, settings.store, FIVE, false)?,
        ids: ours(settings, settings.store, ONE, true)?,
        memory: ours(settings, Store::Memory, ONE, false)?,
        redis,
        redis_child,
    })
}

fn ours(settings: &Settings, store: Store, board: &str, ids: bool) -> io::Result<f64> {
    loop {
        let hour = hour();
        let ours = ours::start(settings, store)?;
        let stream = |seed: u64| {
            let stream = Contributions::to(board, settings.members, seed);
            if ids {
                stream.with_ids(&seed.to_string())
            } else {
                stream
            }
        };
        ours.fill(&mut stream(0))?;
        let before = cpu_time(ours.server.pid())?.own;
        let writers: Vec<_> = (1..=CONNECTIONS)
            .map(|seed| {
                let (address, mut stream) = (ours.server.address, stream(seed));
                thread::spawn(move || {
                    let mut connection = Connection::open(address)?;
                    for _ in 0..MEASURED / CONNECTIONS / BATCH {
                        let members = stream.random_members(BATCH);
                        apply_all(&mut connection, &stream.lines(&members))?;
                    }
                    Ok::<_, io::Error>(())
                })
            })
            .collect();
        for writer in writers {
            let ended = writer.join();
            ended.map_err(|_| io::Error::other("a writer panicked"))??;
        }
        let cpu = cpu_time(ours.server.pid())?.own.saturating_sub(before);
        if hour == self::hour() {
            return Ok(cpu.as_secs_f64() * 1e6 / number(MEASURED));
        }
        eprintln!("a new hour has begun, so a window is empty: measuring again");
    }
}

/// Returns the figures of Redis and of its child.
fn redis(settings: &Settings) -> io::Result<(f64, f64)> {
    let home = tempfile::tempdir_in(&settings.folder)?;
    let mut redis = Redis::with_append_only_file(home.path(), "everysec")?;
    let mut stream = Contributions::to("board", settings.members, 1);
    fill_redis(&mut redis, &mut stream)?;
    let before = cpu_time(redis.pid())?;
    for _ in 0..MEASURED / BATCH {
        let members = stream.random_members(BATCH);
        redis
            .connection
            .run(&stream.commands(&members), members.len())?;
    }
    let after = cpu_time(redis.pid())?;
    let each = |after: std::time::Duration, before| {
        after.saturating_sub(before).as_secs_f64() * 1e6 / number(MEASURED)
    };
    let own = each(after.own, before.own);
    Ok((own, each(after.children, before.children)))
}

/// Sends one contribution of each member.
pub(crate) fn fill_redis(redis: &mut Redis, stream: &mut Contributions) -> io::Result<()> {
    loop {
        let members = stream.next_members(BATCH);
        if members.is_empty() {
            return Ok(());
        }
        let pipeline = stream.commands(&members);
        redis.connection.run(&pipeline, members.len())?;
    }
}

/// Returns the current hour, which is a window.
fn hour() -> i64 {
    const HOUR_MS: i64 = 3_600_000;
    now().millis() / HOUR_MS
}
