//! Rounds gathered, and told as a table with the ratios.

use std::time::Duration;

use benches::figures::{held, median, ratio, spread, table};
use benches::load::Load;
use comfy_table::Table;

use crate::batches::Batches;
use crate::singles::Singles;
use crate::snapshots::Snapshots;

/// Our CPU a contribution over Redis's: less than it needs, aimed at half.
const CPU_MAX: f64 = 0.5;

/// Five windows over one.
const FIVE_MAX: f64 = 4.0;

/// Our single contributions a second over Redis's: at least.
const RATE_MIN: f64 = 1.0;

/// A start, in seconds.
const START_S_MAX: f64 = 4.0;

/// What a snapshot may hold a writer up, in milliseconds.
const PAUSE_MS_MAX: f64 = 50.0;

/// What one round gave.
pub(crate) struct Round {
    pub(crate) batches: Batches,
    pub(crate) singles: Singles,
    pub(crate) snapshots: Option<Snapshots>,
}

/// Everything measured.
#[derive(Default)]
pub(crate) struct Report {
    rounds: Vec<Round>,
}

impl Report {
    pub(crate) fn add(&mut self, round: Round) {
        self.rounds.push(round);
    }

    fn column(&self, pick: impl Fn(&Round) -> f64) -> Vec<f64> {
        self.rounds.iter().map(pick).collect()
    }

    /// As far as rounds have it.
    fn some(&self, pick: impl Fn(&Round) -> Option<f64>) -> Option<Vec<f64>> {
        self.rounds.iter().map(pick).collect()
    }

    pub(crate) fn table(&self) -> Table {
        let mut table = table(&["figure", "ours", "Redis", "ours over Redis's", "target"]);
        self.add_batches(&mut table);
        self.add_singles(&mut table);
        self.add_snapshots(&mut table);
        table
    }

    fn add_batches(&self, table: &mut Table) {
        let redis = self.column(|round| round.batches.redis);
        let one = self.column(|round| round.batches.one);
        let five = self.column(|round| round.batches.five);
        let cases = [
            ("one window", &one),
            ("five windows", &five),
            ("one window, with ids", &self.column(|r| r.batches.ids)),
            ("one window, memory:", &self.column(|r| r.batches.memory)),
        ];
        for (case, ours) in cases {
            let over = ratio(ours, &redis);
            table.add_row([
                format!("µs CPU, batches, {case}"),
                spread(ours, 2),
                spread(&redis, 2),
                format!("{over:.2}"),
                if case == "one window" {
                    held(over <= CPU_MAX, &format!("at most {CPU_MAX}"))
                } else {
                    String::new()
                },
            ]);
        }
        let child = self.column(|round| round.batches.redis_child);
        table.add_row([
            "µs CPU, rewriting its log in a child".to_owned(),
            String::new(),
            spread(&child, 2),
        ]);
        let times = ratio(&five, &one);
        add(
            table,
            "five windows over one",
            &format!("{times:.2}"),
            &held(times <= FIVE_MAX, &format!("at most {FIVE_MAX}")),
        );
    }

    fn add_singles(&self, table: &mut Table) {
        type Pick = fn(&Load) -> f64;
        let figures: [(&str, usize, Pick); 5] = [
            ("singles: contributions/s", 0, Load::rate),
            ("singles: µs, half within", 0, |load| {
                us(load.latency.median)
            }),
            ("singles: µs, 99 of 100 within", 0, |load| {
                us(load.latency.p99)
            }),
            ("singles: µs, the slowest", 0, |load| us(load.latency.max)),
            ("singles: µs server CPU", 2, Load::cpu_us),
        ];
        for (place, (name, decimals, pick)) in figures.into_iter().enumerate() {
            let ours = self.column(|round| pick(&round.singles.ours));
            let redis = self.column(|round| pick(&round.singles.redis));
            let over = ratio(&ours, &redis);
            table.add_row([
                name.to_owned(),
                spread(&ours, decimals),
                spread(&redis, decimals),
                format!("{over:.2}"),
                if place == 0 {
                    held(over >= RATE_MIN, &format!("at least {RATE_MIN}"))
                } else {
                    String::new()
                },
            ]);
        }
    }

    fn add_snapshots(&self, table: &mut Table) {
        let bytes =
            |pick: fn((f64, f64)) -> f64| self.some(|round| round.singles.journal_bytes.map(pick));
        for (name, bytes) in [
            (
                "journal bytes a contribution, batches",
                bytes(|bytes| bytes.0),
            ),
            (
                "journal bytes a contribution, singles",
                bytes(|bytes| bytes.1),
            ),
        ] {
            if let Some(bytes) = bytes {
                add(table, name, &spread(&bytes, 1), "");
            }
        }
        let Some(snapshots) = self.rounds.iter().map(|round| round.snapshots).collect() else {
            return;
        };
        let snapshots: Vec<Snapshots> = snapshots;
        let column = |pick: fn(&Snapshots) -> f64| snapshots.iter().map(pick).collect::<Vec<f64>>();
        let start = column(|s| s.start_s);
        let during = column(|s| s.slowest_during_ms);
        let start_held = held(
            median(&start) <= START_S_MAX,
            &format!("at most {START_S_MAX}"),
        );
        let pause_held = held(
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
                &*pause_held,
            ),
            ("s to start, snapshot and journal", start, 2, &*start_held),
            (
                "MB of journal in that",
                column(|s| s.journal_bytes / 1e6),
                1,
                "",
            ),
        ] {
            add(table, name, &spread(&values, decimals), target);
        }
    }
}

fn add(table: &mut Table, name: &str, ours: &str, target: &str) {
    table.add_row([name, ours, "", "", target]);
}

fn us(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
