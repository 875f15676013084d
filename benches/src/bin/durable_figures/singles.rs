//! Measures the rate and the latency of single contributions.

use std::io;

use benches::contributions::Contributions;
use benches::figures::number;
use benches::home::Home;
use benches::http;
use benches::load::{Load, Target, load};
use benches::redis::Redis;
use benches::resp;

use crate::batches::fill_redis;
use crate::folder;
use crate::ours::{self, ONE};
use crate::settings::{Settings, Store};

/// The number of members of the board.
const MEMBERS: u64 = 100_000;

/// The number of connections, each with one request in flight.
const CONNECTIONS: usize = 64;

/// The number of different requests, which are generated in advance and sent in turn.
const REQUESTS: u64 = 100_000;

/// The figures of one round.
#[derive(Clone, Copy)]
pub(crate) struct Singles {
    pub(crate) ours: Load,
    pub(crate) redis: Load,
    /// Bytes of the journal per contribution: in batches, and as single contributions.
    pub(crate) journal_bytes: Option<(f64, f64)>,
}

/// Measures Megaboard, then Redis.
pub(crate) fn measure(settings: &Settings) -> io::Result<Singles> {
    let (ours, journal_bytes) = ours(settings)?;
    Ok(Singles {
        ours,
        journal_bytes,
        redis: redis(settings)?,
    })
}

fn ours(settings: &Settings) -> io::Result<(Load, Option<(f64, f64)>)> {
    let ours = ours::start(settings, settings.store)?;
    let mut stream = Contributions::to(ONE, MEMBERS, 1);
    ours.fill(&mut stream)?;
    let in_batches = journal_bytes(settings, &ours)?;
    let members = stream.random_members(REQUESTS);
    let requests: Vec<String> = members.iter().map(|m| stream.single(*m)).collect();
    let target = Target {
        address: ours.server.address,
        pid: ours.server.pid(),
        requests: &requests,
        begins: http::OK,
        response_length: http::response_length,
    };
    let loaded = load(target, CONNECTIONS, settings.duration)?;
    // A snapshot would have removed segments of the journal.
    let is_complete = folder::snapshots(&ours.data())?.is_empty();
    let bytes = in_batches.zip(journal_bytes(settings, &ours)?);
    let each = bytes.filter(|_| is_complete).map(|(batches, all)| {
        let singles = number(all - batches) / number(loaded.sent);
        (number(batches) / number(MEMBERS), singles)
    });
    Ok((loaded, each))
}

fn journal_bytes(settings: &Settings, ours: &Home) -> io::Result<Option<u64>> {
    match settings.store {
        Store::Embedded => folder::journal_bytes(&ours.data()).map(Some),
        Store::Memory => Ok(None),
    }
}

fn redis(settings: &Settings) -> io::Result<Load> {
    let home = tempfile::tempdir_in(&settings.folder)?;
    let mut redis = Redis::with_append_only_file(home.path(), "always")?;
    let mut stream = Contributions::to("board", MEMBERS, 1);
    fill_redis(&mut redis, &mut stream)?;
    let members = stream.random_members(REQUESTS);
    let requests: Vec<String> = members.iter().map(|m| stream.commands(&[*m])).collect();
    let target = Target {
        address: redis.address(),
        pid: redis.pid(),
        requests: &requests,
        begins: "$",
        response_length: resp::bulk_length,
    };
    load(target, CONNECTIONS, settings.duration)
}
