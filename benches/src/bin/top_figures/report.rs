//! The report: a table with medians of all rounds, and ratios.

use std::io;

use benches::figures::{ratio, spread, table};
use benches::load::Load;
use benches::record::{self, Bound};
use comfy_table::Table;

use crate::stage::Round;

/// The target of requests per second, relative to Redis.
const RATE_MIN: f64 = 3.5;

/// The target of CPU per request, relative to the bare handler.
const CPU_MAX: f64 = 1.15;

/// The target of requests per second, relative to the TCP loop.
const RATE_OF_TCP_MIN: f64 = 0.9;

/// The target of CPU per request, relative to hyper alone.
const CPU_OF_HYPER_MAX: f64 = 1.25;

/// Selects the load of one server.
type Pick = fn(&Round) -> Load;

/// The figures of all rounds.
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

    pub(crate) fn table(&self) -> io::Result<Table> {
        let mut table = table(&[
            "",
            "requests/s",
            "µs server CPU a request",
            "µs client CPU",
            "bytes",
        ]);
        let servers: [(&str, Pick); 9] = [
            ("megaboard", |round| round.megaboard),
            ("Redis", |round| round.redis),
            ("Redis, time in the score", |round| round.redis_packed),
            ("bare axum, axum::serve", |round| round.bare),
            ("bare axum, our accept loop", |round| round.bare_accept_loop),
            ("hyper alone, the same bytes", |round| round.hyper),
            ("TCP loop, the same bytes", |round| round.tcp),
            ("megaboard, 10,000 writes/s", |round| {
                round.megaboard_written
            }),
            ("Redis, 10,000 writes/s", |round| round.redis_written),
        ];
        for (name, pick) in servers {
            let bytes = self
                .rounds
                .first()
                .map_or(0, |round| pick(round).bytes_each());
            table.add_row([
                name.to_owned(),
                spread(&self.column(|round| pick(round).rate()), 0),
                spread(&self.column(|round| pick(round).cpu_us()), 2),
                spread(&self.column(|round| pick(round).client_us()), 1),
                bytes.to_string(),
            ]);
        }
        let ours = self.column(|round| round.megaboard.cpu_us());
        let rate = ratio(
            &self.column(|round| round.megaboard.rate()),
            &self.column(|round| round.redis.rate()),
        );
        let packed = ratio(
            &self.column(|round| round.megaboard.rate()),
            &self.column(|round| round.redis_packed.rate()),
        );
        let written = ratio(
            &self.column(|round| round.megaboard_written.rate()),
            &self.column(|round| round.redis_written.rate()),
        );
        let cpu = ratio(&ours, &self.column(|round| round.bare.cpu_us()));
        let cpu_loop = ratio(&ours, &self.column(|round| round.bare_accept_loop.cpu_us()));
        let of_hyper = ratio(&ours, &self.column(|round| round.hyper.cpu_us()));
        let of_tcp = ratio(
            &self.column(|round| round.megaboard.rate()),
            &self.column(|round| round.tcp.rate()),
        );
        for (name, value, goal) in [
            (
                "requests/s over Redis",
                rate,
                Some(Bound::AtLeast(RATE_MIN)),
            ),
            ("requests/s over Redis, time in the score", packed, None),
            ("requests/s over Redis, with writes", written, None),
            (
                "requests/s over a TCP loop",
                of_tcp,
                Some(Bound::AtLeast(RATE_OF_TCP_MIN)),
            ),
            (
                "CPU over hyper alone",
                of_hyper,
                Some(Bound::AtMost(CPU_OF_HYPER_MAX)),
            ),
            (
                "CPU over bare axum, axum::serve",
                cpu,
                Some(Bound::AtMost(CPU_MAX)),
            ),
            (
                "CPU over bare axum, our accept loop",
                cpu_loop,
                Some(Bound::AtMost(CPU_MAX)),
            ),
        ] {
            let verdict = goal.map(|goal| {
                let measured = format!("{value:.2}");
                record::goal(&format!("a cached top: {name}"), &measured, value, goal)
            });
            table.add_row([
                name.to_owned(),
                format!("{value:.2}"),
                verdict.transpose()?.unwrap_or_default(),
                String::new(),
                String::new(),
            ]);
        }
        Ok(table)
    }
}
