//! The report: tables with medians of all rounds, and ratios.

use std::io;

use benches::figures::{median, number, ratio, spread as range, table, verdict};
use benches::record::{self, Bound};
use comfy_table::Table;

use crate::board::{Case, SHARDS};
use crate::lookups::{Lookup, Lookups, READS};
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

/// The targets of the time of a rank and of a deep page, on an idle machine.
const RANK_MS_MAX: f64 = 0.8;
const PAGE_MS_MAX: f64 = 4.0;

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
    for (case, ours) in &writes.boards {
        add_case(&mut table, *case, ours, writes);
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
    for (case, ours) in &writes.boards {
        let (name, max) = (name(*case), bytes_max(*case));
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

const fn name(case: Case) -> &'static str {
    match case {
        Case::One => "one window",
        Case::Ids => "one window, with ids",
        Case::Best => "best",
        Case::Latest => "latest",
        Case::Packed => "packed",
        Case::Spending => "packed, half of it spent",
        Case::Five => "five windows",
    }
}

const fn cpu_max(case: Case) -> Option<f64> {
    match case {
        Case::One | Case::Best | Case::Latest => Some(CPU_MAX),
        Case::Packed | Case::Spending => Some(PACKED_MAX),
        Case::Five => Some(FIVE_MAX),
        Case::Ids => None,
    }
}

const fn bytes_max(case: Case) -> Option<f64> {
    match case {
        Case::One => Some(BYTES_MAX),
        Case::Packed => Some(PACKED_BYTES_MAX),
        Case::Ids | Case::Best | Case::Latest | Case::Spending | Case::Five => None,
    }
}

fn add_case(table: &mut Table, case: Case, ours: &Ours, writes: &Writes) {
    let (case, max) = (name(case), cpu_max(case));
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

/// Reports the figures of a member's rank and of a deep page.
pub(crate) fn lookups(lookups: &Lookups, settings: &Settings) -> io::Result<()> {
    let mut table = table(&["figure", "ours", "sorted set", "of it", "target"]);
    add_lookup(&mut table, "rank", &lookups.rank, RANK_MS_MAX)?;
    add_lookup(&mut table, "page of 100", &lookups.page, PAGE_MS_MAX)?;
    let title = format!(
        "Lookups over HTTP, {} members, {SHARDS} shards, {READS} in a round, {}",
        settings.members,
        medians(settings)
    );
    record::table(&title, &table)
}

fn add_lookup(table: &mut Table, name: &str, lookup: &Lookup, ms_max: f64) -> io::Result<()> {
    let ms = median(&lookup.p50_us) / 1000.0;
    let goal = record::goal(
        &format!("boards on Redis: the p50 of a {name} over HTTP"),
        &format!("{ms:.2} ms"),
        ms,
        Bound::AtMost(ms_max),
    )?;
    for (figure, ours, plain, goal) in [
        ("µs p50", &lookup.p50_us, Some(&lookup.plain_p50_us), goal),
        (
            "µs CPU of Redis",
            &lookup.redis_us,
            Some(&lookup.plain_us),
            String::new(),
        ),
        ("µs CPU of Megaboard", &lookup.own_us, None, String::new()),
        ("calls of Redis", &lookup.calls, None, String::new()),
        ("bytes of Redis", &lookup.bytes, None, String::new()),
    ] {
        table.add_row([
            format!("{figure}, {name}"),
            range(ours, 0),
            plain.map_or_else(String::new, |plain| range(plain, 0)),
            plain.map_or_else(String::new, |plain| format!("{:.1}", ratio(ours, plain))),
            goal,
        ]);
    }
    Ok(())
}

fn target(over: f64, max: Option<f64>) -> String {
    max.map_or_else(String::new, |max| {
        verdict(over <= max, &format!("at most {max}"))
    })
}

fn medians(settings: &Settings) -> String {
    format!("medians of {} rounds (least to most)", settings.rounds)
}
