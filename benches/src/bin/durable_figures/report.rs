//! The report: a table with medians of all rounds, and ratios.

use std::io;
use std::time::Duration;

use benches::figures::{median, ratio, spread, table, verdict};
use benches::load::Load;
use benches::record::{self, Bound};
use comfy_table::Table;

use crate::batches::Batches;
use crate::singles::Singles;
use crate::snapshots::Snapshots;

/// The target of CPU per contribution in batches, relative to Redis, by number of windows.
const ONE_CPU_MAX: f64 = 0.22;
const FIVE_CPU_MAX: f64 = 0.65;

/// The target of five windows, relative to one.
const FIVE_MAX: f64 = 4.0;

/// The target of single contributions per second, relative to Redis.
const RATE_MIN: f64 = 1.2;

/// The target of their 99th percentile of latency, relative to Redis.
const P99_MAX: f64 = 1.0;

/// The target of the time to start, in seconds.
const START_S_MAX: f64 = 4.0;

/// The target of the delay of a writer by a snapshot, in milliseconds.
const PAUSE_MS_MAX: f64 = 50.0;

/// The figures of one round.
pub(crate) struct Round {
    pub(crate) batches: Option<Batches>,
    pub(crate) singles: Option<Singles>,
    pub(crate) snapshots: Option<Snapshots>,
}

/// The figures of all rounds.
#[derive(Default)]
pub(crate) struct Report {
    rounds: Vec<Round>,
}

impl Report {
    pub(crate) fn add(&mut self, round: Round) {
        self.rounds.push(round);
    }

    /// Returns a table of the figures that were measured.
    pub(crate) fn table(&self) -> io::Result<Table> {
        let mut table = table(&["figure", "ours", "Redis", "ours over Redis's", "target"]);
        let rounds = self.rounds.iter();
        let batches: Vec<Batches> = rounds.clone().filter_map(|round| round.batches).collect();
        let singles: Vec<Singles> = rounds.clone().filter_map(|round| round.singles).collect();
        let snapshots: Vec<Snapshots> = rounds.filter_map(|round| round.snapshots).collect();
        if !batches.is_empty() {
            add_batches(&mut table, &batches)?;
        }
        if !singles.is_empty() {
            add_singles(&mut table, &singles)?;
        }
        if !snapshots.is_empty() {
            add_snapshots(&mut table, &snapshots);
        }
        Ok(table)
    }
}

fn column<T>(rounds: &[T], pick: impl Fn(&T) -> f64) -> Vec<f64> {
    rounds.iter().map(pick).collect()
}

fn add_batches(table: &mut Table, rounds: &[Batches]) -> io::Result<()> {
    let redis = column(rounds, |round| round.redis);
    let one = column(rounds, |round| round.one);
    let five = column(rounds, |round| round.five);
    let cases = [
        ("one window", &one),
        ("five windows", &five),
        ("one window, with ids", &column(rounds, |round| round.ids)),
        ("one window, memory:", &column(rounds, |round| round.memory)),
    ];
    for (case, ours) in cases {
        let over = ratio(ours, &redis);
        let most = match case {
            "one window" => Some(ONE_CPU_MAX),
            "five windows" => Some(FIVE_CPU_MAX),
            _ => None,
        };
        let goal = most.map(Bound::AtMost);
        table.add_row(row(
            &format!("µs CPU, batches, {case}"),
            ours,
            &redis,
            2,
            over,
            goal,
        )?);
    }
    let child = column(rounds, |round| round.redis_child);
    table.add_row([
        "µs CPU, rewriting the append-only file".to_owned(),
        String::new(),
        spread(&child, 2),
    ]);
    let five_over_one = ratio(&five, &one);
    add(
        table,
        "five windows over one",
        &format!("{five_over_one:.2}"),
        &verdict(five_over_one <= FIVE_MAX, &format!("at most {FIVE_MAX}")),
    );
    Ok(())
}

/// Returns a row with a ratio, whose goal is recorded if it has one.
fn row(
    name: &str,
    ours: &[f64],
    redis: &[f64],
    decimals: usize,
    over: f64,
    goal: Option<Bound>,
) -> io::Result<[String; 5]> {
    let measured = format!(
        "{:.decimals$}; Redis {:.decimals$}",
        median(ours),
        median(redis)
    );
    let goal =
        goal.map(|goal| record::goal(&format!("{name}, over Redis's"), &measured, over, goal));
    Ok([
        name.to_owned(),
        spread(ours, decimals),
        spread(redis, decimals),
        format!("{over:.2}"),
        goal.transpose()?.unwrap_or_default(),
    ])
}

fn add_singles(table: &mut Table, rounds: &[Singles]) -> io::Result<()> {
    type Pick = fn(&Load) -> f64;
    let figures: [(&str, usize, Pick); 5] = [
        ("singles: contributions/s", 0, Load::rate),
        ("singles: µs, median", 0, |load| us(load.latency.median)),
        ("singles: µs, p99", 0, |load| us(load.latency.p99)),
        ("singles: µs, max", 0, |load| us(load.latency.max)),
        ("singles: µs server CPU", 2, Load::cpu_us),
    ];
    for (name, decimals, pick) in figures {
        let ours = column(rounds, |round| pick(&round.ours));
        let redis = column(rounds, |round| pick(&round.redis));
        let over = ratio(&ours, &redis);
        let goal = match name {
            "singles: contributions/s" => Some(Bound::AtLeast(RATE_MIN)),
            "singles: µs, p99" => Some(Bound::AtMost(P99_MAX)),
            _ => None,
        };
        table.add_row(row(name, &ours, &redis, decimals, over, goal)?);
    }
    let journal: Option<Vec<(f64, f64)>> = rounds.iter().map(|r| r.journal_bytes).collect();
    let Some(journal) = journal else {
        return Ok(());
    };
    let batches = column(&journal, |bytes| bytes.0);
    let singles = column(&journal, |bytes| bytes.1);
    add(
        table,
        "journal bytes a contribution, batches",
        &spread(&batches, 1),
        "",
    );
    add(
        table,
        "journal bytes a contribution, singles",
        &spread(&singles, 1),
        "",
    );
    Ok(())
}

fn add_snapshots(table: &mut Table, rounds: &[Snapshots]) {
    let column = |pick: fn(&Snapshots) -> f64| column(rounds, pick);
    let start = column(|s| s.start_s);
    let during = column(|s| s.slowest_during_ms);
    let start_verdict = verdict(
        median(&start) <= START_S_MAX,
        &format!("at most {START_S_MAX}"),
    );
    let pause_verdict = verdict(
        median(&during) <= PAUSE_MS_MAX,
        &format!("at most {PAUSE_MS_MAX}"),
    );
    let per_window = column(|s| s.bytes / 5.0);
    for (name, values, decimals, target) in [
        (
            "snapshot bytes a member in five windows",
            column(|s| s.bytes),
            1,
            "",
        ),
        ("snapshot bytes a member and window", per_window, 1, ""),
        ("s to write a snapshot", column(|s| s.written_s), 2, ""),
        (
            "ms, slowest single, no snapshot",
            column(|s| s.slowest_ms),
            1,
            "",
        ),
        (
            "ms, slowest single, during a snapshot",
            during,
            1,
            &*pause_verdict,
        ),
        (
            "s to start, snapshot and journal",
            start,
            2,
            &*start_verdict,
        ),
        (
            "MB of that journal",
            column(|s| s.journal_bytes / 1e6),
            1,
            "",
        ),
    ] {
        add(table, name, &spread(&values, decimals), target);
    }
}

fn add(table: &mut Table, name: &str, ours: &str, target: &str) {
    table.add_row([name, ours, "", "", target]);
}

fn us(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
