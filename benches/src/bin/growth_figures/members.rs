//! Measures one board with more members.

use std::io;

use benches::figures::{median, table};
use benches::record;

use crate::Settings;
use crate::cost::{CONNECTIONS, Loads, Read, line, plot, thousands};
use crate::ours::{self, Ours};
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
    let mut header = vec!["figure".to_owned(), "server".to_owned()];
    header.extend(members.iter().map(|members| thousands(*members)));
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let mut shown = table(&header);
    let mut lines = Vec::new();
    let servers = ["Megaboard", "Redis"];
    let mut add = |figure: &str, server: &str, cells: Vec<String>| {
        let mut row = vec![figure.to_owned(), server.to_owned()];
        row.extend(cells);
        shown.add_row(row);
    };
    for (server, name) in servers.into_iter().enumerate() {
        let fill = columns
            .iter()
            .map(|it| format!("{:.2}", it.fill_us[server]));
        add(
            "µs CPU a contribution while filling, 1,000 together",
            name,
            fill.collect(),
        );
        let bytes = columns.iter().map(|it| format!("{:.1}", it.bytes[server]));
        add("bytes a member", name, bytes.collect());
    }
    let start = columns.iter().map(|it| format!("{:.2}", it.start_s));
    add("s to start after a kill", servers[0], start.collect());
    for (index, read) in Read::ALL.into_iter().enumerate() {
        for (server, name) in servers.into_iter().enumerate() {
            let loads: Vec<&Loads> = columns.iter().map(|it| &it.reads[index][server]).collect();
            for (cell, what) in ["requests/s", "µs server CPU", "p99 ms"]
                .into_iter()
                .enumerate()
            {
                let cells = loads.iter().map(|loads| loads.cells()[cell].clone());
                add(&format!("{}: {what}", read.name()), name, cells.collect());
            }
            let cpu: Vec<f64> = loads.iter().map(|loads| median(&loads.cpu_us())).collect();
            lines.push(line(&format!("{name}: {}", read.name()), members, &cpu));
        }
    }
    let title = format!(
        "One board by number of members, the default number of shards, {CONNECTIONS} connections; Redis has no persistence"
    );
    record::table(&title, &shown)?;
    plot(
        "CPU of a read by number of members",
        "members.svg",
        "members",
        "µs of server CPU",
        lines,
    )
}

fn column(settings: &Settings, members: u64) -> io::Result<Column> {
    let ours = Ours::start(settings, "")?;
    let empty = ours.resident_bytes()?;
    let fill_us = ours.fill(members)?;
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
            our_loads.add(ours.target(&requests), CONNECTIONS, settings)?;
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
