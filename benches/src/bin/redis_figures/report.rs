//! The report: tables with medians of all rounds, and ratios.

use std::io;

use benches::figures::{median, number, ratio, spread as range, table, verdict};
use benches::record;
use comfy_table::Table;

use crate::board::SHARDS;
use crate::reads::{self, CACHED, Reads};
use crate::settings::Settings;
use crate::spread::Spread;
use crate::writes::{LENGTHS, Ours, Writes};

/// The target of CPU per contribution, relative to `ZINCRBY`. The aim is 1.5.
const CPU_MAX: f64 = 1.8;

/// The target of CPU with five windows.
const FIVE_MAX: f64 = 8.0;

/// The target of CPU of a packed board.
const PACKED_MAX: f64 = 1.25;

/// The target of bytes per member, relative to a sorted set.
const BYTES_MAX: f64 = 1.9;

/// The target of bytes per member of a packed board.
const PACKED_BYTES_MAX: f64 = 1.1;

/// Reports the figures of writes.
pub(crate) fn writes(writes: &Writes, settings: &Settings) -> io::Result<()> {
    let sets = format!("of ZINCRBY, {SHARDS} sets");
    let columns = [
        "figure",
        "measured",
        "ZINCRBY",
        "of ZINCRBY",
        &sets,
        "target",
    ];
    let mut table = table(&columns);
    for (case, ours, max) in [
        ("one window", &writes.one, Some(CPU_MAX)),
        ("five windows", &writes.five, Some(FIVE_MAX)),
        ("one window, with ids", &writes.ids, None),
        ("packed", &writes.packed, Some(PACKED_MAX)),
    ] {
        add_case(&mut table, case, ours, writes, max);
    }
    for (index, len) in LENGTHS.into_iter().enumerate() {
        let (plain, sets) = (&writes.plain[index], &writes.plain_sets[index]);
        table.add_row([
            format!("µs, ZINCRBY on {SHARDS} sets, pipelines of {len}"),
            range(sets, 2),
            range(plain, 2),
            format!("{:.2}", ratio(sets, plain)),
        ]);
    }
    for (name, ours, max) in [
        ("one window", &writes.one, Some(BYTES_MAX)),
        ("five windows", &writes.five, None),
        ("one window, with ids", &writes.ids, None),
        ("packed", &writes.packed, Some(PACKED_BYTES_MAX)),
    ] {
        for (when, bytes) in [("", ours.bytes), (", after updates", ours.bytes_after)] {
            let over = bytes / writes.plain_bytes;
            table.add_row([
                format!("bytes a member, {name}{when}"),
                format!("{bytes:.1}"),
                format!("{:.1}", writes.plain_bytes),
                format!("{over:.2}"),
                String::new(),
                target(over, max),
            ]);
        }
    }
    let title = format!(
        "Redis's CPU a contribution, {} members, {SHARDS} shards, {}",
        settings.members,
        medians(settings)
    );
    record::table(&title, &table)
}

fn add_case(table: &mut Table, case: &str, ours: &Ours, writes: &Writes, max: Option<f64>) {
    let direct = ours.direct.iter().zip(LENGTHS).enumerate();
    let direct = direct.map(|(index, (rounds, len))| (format!("calls of {len}"), rounds, index));
    let last = LENGTHS.len() - 1;
    let served = ("HTTP, requests of 1000".to_owned(), &ours.served, last);
    for (way, rounds, index) in direct.chain([served]) {
        if rounds.is_empty() {
            continue;
        }
        let plain = &writes.plain[index];
        let over = ratio(rounds, plain);
        table.add_row([
            format!("µs, {case}, {way}"),
            range(rounds, 2),
            range(plain, 2),
            format!("{over:.2}"),
            format!("{:.2}", ratio(rounds, &writes.plain_sets[index])),
            target(over, max),
        ]);
    }
}

/// Reports the rates over several servers.
pub(crate) fn spread(spread: &Spread, settings: &Settings) -> io::Result<()> {
    let mut table = table(&["figure", "measured", "of ZINCRBY"]);
    for (name, rates) in [
        ("ours, three servers", &spread.ours),
        ("ours, one server", &spread.ours_one),
        ("ZINCRBY on one Redis", &spread.plain),
    ] {
        let over = ratio(rates, &spread.plain);
        table.add_row([
            format!("contributions/s, {name}"),
            range(rates, 0),
            format!("{over:.2}"),
        ]);
    }
    table.add_row([
        "µs CPU of all three servers a contribution".to_owned(),
        range(&spread.ours_cpu, 2),
    ]);
    table.add_row([
        "part of it on the busiest".to_owned(),
        range(&spread.busiest, 2),
    ]);
    let title = format!(
        "Over HTTP, {} members, {}",
        settings.members,
        medians(settings)
    );
    record::table(&title, &table)
}

/// Reports the figures of reads.
pub(crate) fn reads(reads: &Reads, settings: &Settings) -> io::Result<()> {
    let mut table = table(&["figure", "ours", "ZREVRANGE", "of ZREVRANGE", "target"]);
    let none = verdict(median(&reads.cached_calls) < 0.5, "none");
    table.add_row([
        format!("calls of Redis for {CACHED} cached tops"),
        range(&reads.cached_calls, 0),
        number(CACHED).to_string(),
        String::new(),
        none,
    ]);
    table.add_row(["calls, merge of 1,000", &range(&reads.calls, 1), "1"]);
    for (name, ours, plain) in [
        ("bytes, merge of 1,000", &reads.bytes, &reads.plain_bytes),
        ("µs CPU, merge of 1,000", &reads.cpu_us, &reads.plain_cpu_us),
    ] {
        table.add_row([
            name.to_owned(),
            range(ours, 0),
            range(plain, 0),
            format!("{:.2}", ratio(ours, plain)),
        ]);
    }
    let title = format!(
        "Reads, {} members over 64 shards, {}",
        reads::MEMBERS,
        medians(settings)
    );
    record::table(&title, &table)
}

fn target(over: f64, max: Option<f64>) -> String {
    max.map_or_else(String::new, |max| {
        verdict(over <= max, &format!("at most {max}"))
    })
}

fn medians(settings: &Settings) -> String {
    format!("medians of {} rounds (least to most)", settings.rounds)
}
