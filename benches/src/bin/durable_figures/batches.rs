//! What a contribution costs in bulk: CPU of the whole server, everything included.

use std::io;
use std::thread;

use benches::contributions::Contributions;
use benches::figures::number;
use benches::http::{Connection, apply_all};
use benches::process::spent_by;
use benches::redis::Redis;
use benches::sample::now;

use crate::ours::{BATCH, FIVE, ONE, Ours};
use crate::{Settings, Store};

/// Connections that send batches, each one after the other.
const CONNECTIONS: u64 = 4;

/// Contributions that a figure is taken over, after one by each member.
const MEASURED: u64 = 1_000_000;

/// Microseconds of CPU a contribution.
#[derive(Clone, Copy)]
pub(crate) struct Batches {
    pub(crate) one: f64,
    pub(crate) five: f64,
    pub(crate) ids: f64,
    /// One window in memory: what is left without a journal.
    pub(crate) memory: f64,
    pub(crate) redis: f64,
    /// The child in which Redis rewrites its log, where it ended in time.
    pub(crate) redis_child: f64,
}

/// Measures all of them, each on a server of its own.
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
        let ours = Ours::start(settings, store)?;
        let stream = |seed: u64| {
            let stream = Contributions::to(board, settings.members, seed);
            if ids {
                stream.with_ids(&seed.to_string())
            } else {
                stream
            }
        };
        ours.fill(&mut stream(0))?;
        let before = spent_by(ours.server.pid())?.own;
        let writers: Vec<_> = (1..=CONNECTIONS)
            .map(|seed| {
                let (address, mut stream) = (ours.server.address, stream(seed));
                thread::spawn(move || {
                    let mut connection = Connection::open(address)?;
                    for _ in 0..MEASURED / CONNECTIONS / BATCH {
                        let members = stream.anyone(BATCH);
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
        let spent = spent_by(ours.server.pid())?.own.saturating_sub(before);
        if hour == self::hour() {
            return Ok(spent.as_secs_f64() * 1e6 / number(MEASURED));
        }
        eprintln!("the hour has turned, which empties a window: measured again");
    }
}

/// Redis, and its child.
fn redis(settings: &Settings) -> io::Result<(f64, f64)> {
    let home = tempfile::tempdir_in(&settings.folder)?;
    let mut redis = Redis::kept(home.path(), "everysec")?;
    let mut stream = Contributions::to("board", settings.members, 1);
    fill_redis(&mut redis, &mut stream)?;
    let before = spent_by(redis.pid())?;
    for _ in 0..MEASURED / BATCH {
        let members = stream.anyone(BATCH);
        redis
            .connection
            .run(&stream.commands(&members), members.len())?;
    }
    let after = spent_by(redis.pid())?;
    let each = |after: std::time::Duration, before| {
        after.saturating_sub(before).as_secs_f64() * 1e6 / number(MEASURED)
    };
    let own = each(after.own, before.own);
    Ok((own, each(after.children, before.children)))
}

/// One contribution by each member.
pub(crate) fn fill_redis(redis: &mut Redis, stream: &mut Contributions) -> io::Result<()> {
    loop {
        let members = stream.everyone(BATCH);
        if members.is_empty() {
            return Ok(());
        }
        let pipeline = stream.commands(&members);
        redis.connection.run(&pipeline, members.len())?;
    }
}

/// The hour of the clock, which is a window.
fn hour() -> i64 {
    const HOUR_MS: i64 = 3_600_000;
    now().millis() / HOUR_MS
}
