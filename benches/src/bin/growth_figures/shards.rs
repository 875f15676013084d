//! Measures reads of one board over more shards.

use std::io;

use benches::figures::{median, ratio, table};
use benches::load::Target;
use benches::record::{self, Bound};

use crate::Settings;
use crate::cost::{CONNECTIONS, Loads, Read, line, plot, thousands};
use crate::ours;
use crate::peers::Peer;

/// The goals of a read by number of shards: CPU of the server in microseconds, and requests per second over Redis's.
const GOALS: [(Read, u64, f64, Option<f64>); 4] = [
    (Read::Standing, 16, 16.0, Some(0.6)),
    (Read::Standing, 1, 10.0, Some(0.85)),
    (Read::Page, 16, 100.0, None),
    (Read::Page, 1, 30.0, None),
];

/// Measures all reads of all servers in turn, in each round.
pub(crate) fn measure(settings: &Settings, shards: &[u64]) -> io::Result<()> {
    let members = settings.members;
    let mut ours = Vec::new();
    for shards in shards {
        eprintln!("filling {shards} shards");
        let server = ours::start(settings, &format!("shards = {shards}"))?;
        let cpu_us = ours::fill(&server, members)?;
        ours.push((*shards, server, cpu_us));
    }
    let mut peers = Vec::new();
    for mut peer in Peer::all(settings)? {
        eprintln!("filling {}", peer.name);
        let (cpu_us, _) = peer.fill(members)?;
        peers.push((peer, cpu_us));
    }
    let mut shown = table(&[
        "read",
        "server",
        "requests/s",
        "µs server CPU",
        "p99 ms",
        "rate over Redis's",
        "CPU over Redis's",
    ]);
    let mut lines = Vec::new();
    for read in Read::ALL {
        let requests = read.requests(members, ours::request);
        let theirs: Vec<Vec<String>> = peers
            .iter()
            .map(|(peer, _)| peer.requests(read, members))
            .collect();
        let mut our_loads: Vec<Loads> = ours.iter().map(|_| Loads::default()).collect();
        let mut their_loads: Vec<Loads> = peers.iter().map(|_| Loads::default()).collect();
        for round in 1..=settings.rounds {
            eprintln!("{}, round {round} of {}", read.name(), settings.rounds);
            for ((_, server, _), loads) in ours.iter().zip(&mut our_loads) {
                loads.add(
                    Target::http(&server.server, &requests),
                    CONNECTIONS,
                    settings,
                )?;
            }
            for (((peer, _), requests), loads) in peers.iter().zip(&theirs).zip(&mut their_loads) {
                loads.add(peer.target(read, requests), CONNECTIONS, settings)?;
            }
        }
        let redis = &their_loads[0];
        let names = ours
            .iter()
            .map(|(shards, ..)| format!("Megaboard, {shards} shards"));
        let names = names.chain(peers.iter().map(|(peer, _)| peer.name.clone()));
        for (name, loads) in names.zip(our_loads.iter().chain(&their_loads)) {
            let mut row = vec![read.name().to_owned(), name];
            row.extend(loads.cells());
            row.push(format!("{:.2}", ratio(&loads.rate(), &redis.rate())));
            row.push(format!("{:.2}", ratio(&loads.cpu_us(), &redis.cpu_us())));
            shown.add_row(row);
        }
        for ((shards, ..), loads) in ours.iter().zip(&our_loads) {
            goals(read, *shards, loads, redis)?;
        }
        let cpu: Vec<f64> = our_loads
            .iter()
            .map(|loads| median(&loads.cpu_us()))
            .collect();
        lines.push(line(read.name(), shards, &cpu));
        let flat = vec![median(&redis.cpu_us()); shards.len()];
        lines.push(line(&format!("Redis: {}", read.name()), shards, &flat));
    }
    let members = thousands(members);
    record::table(
        &format!(
            "Reads of {members} members over shards, {CONNECTIONS} connections, medians of {} rounds",
            settings.rounds
        ),
        &shown,
    )?;
    plot(
        "CPU of a read by number of shards",
        "shards.svg",
        "shards",
        "µs of server CPU",
        &lines,
    )?;
    let mut filled = table(&["server", "µs server CPU a contribution"]);
    for (shards, _, cpu_us) in &ours {
        filled.add_row([
            format!("Megaboard, {shards} shards, requests of 1,000, durable"),
            format!("{cpu_us:.2}"),
        ]);
    }
    for (peer, cpu_us) in &peers {
        filled.add_row([
            format!("{}, pipelines of 1,000, without persistence", peer.name),
            format!("{cpu_us:.2}"),
        ]);
    }
    record::table(&format!("Filling {members} members over shards"), &filled)
}

fn goals(read: Read, shards: u64, ours: &Loads, redis: &Loads) -> io::Result<()> {
    for (goal_read, goal_shards, cpu_max, rate_min) in GOALS {
        if (goal_read, goal_shards) != (read, shards) {
            continue;
        }
        let what = format!("{}, {shards} shards", read.name());
        let (cpu, theirs) = (median(&ours.cpu_us()), median(&redis.cpu_us()));
        let measured = format!("{cpu:.1} µs; Redis {theirs:.1}");
        record::goal(
            &format!("{what}: µs CPU"),
            &measured,
            cpu,
            Bound::AtMost(cpu_max),
        )?;
        if let Some(rate_min) = rate_min {
            let over = ratio(&ours.rate(), &redis.rate());
            let measured = format!(
                "{:.0}/s; Redis {:.0}/s",
                median(&ours.rate()),
                median(&redis.rate())
            );
            record::goal(
                &format!("{what}: rate over Redis's"),
                &measured,
                over,
                Bound::AtLeast(rate_min),
            )?;
        }
    }
    Ok(())
}
