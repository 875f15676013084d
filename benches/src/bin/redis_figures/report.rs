//! Rounds told as tables with the ratios.

use benches::figures::{held, median, number, ratio, spread as told, table};
use comfy_table::Table;

use crate::Settings;
use crate::board::SHARDS;
use crate::reads::{self, CACHED, Reads};
use crate::spread::Spread;
use crate::writes::{LENGTHS, Ours, Writes};

/// Redis's CPU a contribution over ZINCRBY's; 1.5 is the aim.
const CPU_MAX: f64 = 1.8;

/// The same of five windows.
const FIVE_MAX: f64 = 8.0;

/// The same of a packed board.
const PACKED_MAX: f64 = 1.25;

/// Bytes a member over those of a sorted set.
const BYTES_MAX: f64 = 1.9;

/// The same of a packed board.
const PACKED_BYTES_MAX: f64 = 1.1;

/// What contributions cost, and members take.
pub(crate) fn writes(writes: &Writes, settings: &Settings) -> String {
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
    for (place, len) in LENGTHS.into_iter().enumerate() {
        let (plain, sets) = (&writes.plain[place], &writes.plain_sets[place]);
        table.add_row([
            format!("µs, ZINCRBY on {SHARDS} sets, pipelines of {len}"),
            told(sets, 2),
            told(plain, 2),
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
    format!(
        "\nRedis's CPU a contribution, {} members, {SHARDS} shards, {}\n\n{table}",
        settings.members,
        medians(settings)
    )
}

fn add_case(table: &mut Table, case: &str, ours: &Ours, writes: &Writes, max: Option<f64>) {
    let direct = ours.direct.iter().zip(LENGTHS).enumerate();
    let direct = direct.map(|(place, (rounds, len))| (format!("calls of {len}"), rounds, place));
    let last = LENGTHS.len() - 1;
    let served = ("HTTP, requests of 1000".to_owned(), &ours.served, last);
    for (way, rounds, place) in direct.chain([served]) {
        if rounds.is_empty() {
            continue;
        }
        let plain = &writes.plain[place];
        let over = ratio(rounds, plain);
        table.add_row([
            format!("µs, {case}, {way}"),
            told(rounds, 2),
            told(plain, 2),
            format!("{over:.2}"),
            format!("{:.2}", ratio(rounds, &writes.plain_sets[place])),
            target(over, max),
        ]);
    }
}

/// How many come through.
pub(crate) fn spread(spread: &Spread, settings: &Settings) -> String {
    let mut table = table(&["figure", "measured", "of ZINCRBY"]);
    for (name, rates) in [
        ("ours, three servers", &spread.ours),
        ("ours, one server", &spread.ours_one),
        ("ZINCRBY on one Redis", &spread.plain),
    ] {
        let over = ratio(rates, &spread.plain);
        table.add_row([
            format!("contributions/s, {name}"),
            told(rates, 0),
            format!("{over:.2}"),
        ]);
    }
    table.add_row([
        "µs CPU of all three servers a contribution".to_owned(),
        told(&spread.ours_cpu, 2),
    ]);
    table.add_row([
        "part of it on the busiest".to_owned(),
        told(&spread.busiest, 2),
    ]);
    format!(
        "\nOver HTTP, {} members, {}\n\n{table}",
        settings.members,
        medians(settings)
    )
}

/// What tops cost.
pub(crate) fn reads(reads: &Reads, settings: &Settings) -> String {
    let mut table = table(&["figure", "ours", "ZREVRANGE", "of ZREVRANGE", "target"]);
    let none = held(median(&reads.cached_calls) < 0.5, "none");
    table.add_row([
        format!("calls of Redis for {CACHED} cached tops"),
        told(&reads.cached_calls, 0),
        number(CACHED).to_string(),
        String::new(),
        none,
    ]);
    table.add_row(["calls, merge of 1,000", &told(&reads.calls, 1), "1"]);
    for (name, ours, plain) in [
        ("bytes, merge of 1,000", &reads.bytes, &reads.plain_bytes),
        ("µs CPU, merge of 1,000", &reads.cpu_us, &reads.plain_cpu_us),
    ] {
        table.add_row([
            name.to_owned(),
            told(ours, 0),
            told(plain, 0),
            format!("{:.2}", ratio(ours, plain)),
        ]);
    }
    format!(
        "\nReads, {} members over 64 shards, {}\n\n{table}",
        reads::MEMBERS,
        medians(settings)
    )
}

fn target(over: f64, max: Option<f64>) -> String {
    max.map_or_else(String::new, |max| {
        held(over <= max, &format!("at most {max}"))
    })
}

fn medians(settings: &Settings) -> String {
    format!("medians of {} rounds (least to most)", settings.rounds)
}
