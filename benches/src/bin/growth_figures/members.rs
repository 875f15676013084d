//! Measures one board with more members.

use std::io;

use benches::load::Target;

use crate::Settings;
use crate::cost::{CONNECTIONS, Growth, Loads, Read, thousands};
use crate::ours;
use crate::peers::Peer;

/// What is measured at one number of members, of Megaboard and of Redis.
struct Column {
    fill_us: [f64; 2],
    bytes: [f64; 2],
    /// Seconds to start with the folder.
    start_s: f64,
    reads: Vec<[Loads; 2]>,
}

/// Measures each number of members, with servers of its own.
pub(crate) fn measure(settings: &Settings, members: &[u64]) -> io::Result<()> {
    let mut columns = Vec::new();
    for members in members {
        eprintln!("{} members", thousands(*members));
        columns.push(column(settings, *members)?);
    }
    let mut growth = Growth::over(members);
    let servers = ["Megaboard", "Redis"];
    for (server, name) in servers.into_iter().enumerate() {
        let fill = columns
            .iter()
            .map(|it| format!("{:.2}", it.fill_us[server]));
        growth.add(
            "µs CPU a contribution while filling, 1,000 together",
            name,
            fill,
        );
        let bytes = columns.iter().map(|it| format!("{:.1}", it.bytes[server]));
        growth.add("bytes a member", name, bytes);
    }
    let start = columns.iter().map(|it| format!("{:.2}", it.start_s));
    growth.add("s to start after a kill", servers[0], start);
    for (index, read) in Read::ALL.into_iter().enumerate() {
        for (server, name) in servers.into_iter().enumerate() {
            let loads: Vec<&Loads> = columns.iter().map(|it| &it.reads[index][server]).collect();
            growth.add_read(read.name(), name, &loads);
        }
    }
    let title = format!(
        "One board by number of members, the default number of shards, {CONNECTIONS} connections; Redis has no persistence"
    );
    growth.record(&title, "members")
}

fn column(settings: &Settings, members: u64) -> io::Result<Column> {
    let ours = ours::start(settings, "")?;
    let empty = ours.resident_bytes()?;
    let fill_us = ours::fill(&ours, members)?;
    let bytes = (ours.resident_bytes()? - empty) / benches::figures::number(members);
    let (ours, start) = ours.restart()?;
    let mut redis = Peer::plain()?;
    let (redis_us, redis_bytes) = redis.fill(members)?;
    let mut reads = Vec::new();
    for read in Read::ALL {
        let (mut our_loads, mut their_loads) = (Loads::default(), Loads::default());
        let (requests, theirs) = (
            read.requests(members, ours::request),
            redis.requests(read, members),
        );
        for _ in 0..settings.rounds {
            our_loads.add(Target::http(&ours.server, &requests), CONNECTIONS, settings)?;
            their_loads.add(redis.target(read, &theirs), CONNECTIONS, settings)?;
        }
        reads.push([our_loads, their_loads]);
    }
    Ok(Column {
        fill_us: [fill_us, redis_us],
        bytes: [bytes, redis_bytes],
        start_s: start.as_secs_f64(),
        reads,
    })
}
