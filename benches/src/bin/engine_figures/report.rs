//! The report: a table with medians of all rounds, and ratios.

use std::collections::BTreeMap;

use benches::figures::{median, ratio, spread, table, verdict};
use comfy_table::Table;

use crate::ours::{BATCHES, Case, Figures};
use crate::peer::Peer;

/// The target of bytes per member, without ids.
const BYTES_MAX: f64 = 55.0;

/// The figures of all rounds.
#[derive(Default)]
pub(crate) struct Report {
    /// By case and figure: a value per round.
    ours: BTreeMap<(String, String), Vec<f64>>,
    order: Vec<(String, bool)>,
    peers: Vec<Peer>,
}

impl Report {
    pub(crate) fn add_ours(&mut self, case: &Case, figures: Figures) {
        let name = case.name();
        if !self.order.iter().any(|(other, _)| *other == name) {
            self.order.push((name.clone(), case.ids));
        }
        for (figure, value) in figures {
            let rounds = self.ours.entry((name.clone(), figure)).or_default();
            rounds.push(value);
        }
    }

    pub(crate) fn add_peer(&mut self, peer: Peer) {
        self.peers.push(peer);
    }

    pub(crate) fn table(&self, cpu_us_max: f64) -> Table {
        let column = |pick: fn(&Peer) -> f64| self.peers.iter().map(pick).collect::<Vec<_>>();
        let cpu = column(|peer| peer.plain.cpu_us);
        let bytes = column(|peer| peer.plain.bytes);
        let cpu_tied = column(|peer| peer.tie_break.cpu_us);
        let bytes_tied = column(|peer| peer.tie_break.bytes);
        let version = self.peers.first().map_or("", |peer| &peer.version);

        let mut table = table(&[
            "figure",
            "measured",
            "of ZINCRBY",
            "of the script",
            "target",
        ]);
        for (case, ids) in &self.order {
            for (figure, text) in figures() {
                let Some(ours) = self.ours.get(&(case.clone(), figure.clone())) else {
                    continue;
                };
                let memory = figure.starts_with("bytes");
                let (theirs, tied) = if memory {
                    (&bytes, &bytes_tied)
                } else {
                    (&cpu, &cpu_tied)
                };
                let max = if memory { BYTES_MAX } else { cpu_us_max };
                let has_target = !ids && !figure.starts_with("request");
                table.add_row([
                    format!("{case}: {text}"),
                    spread(ours, if memory { 1 } else { 2 }),
                    format!("{:.2}", ratio(ours, theirs)),
                    format!("{:.2}", ratio(ours, tied)),
                    if has_target {
                        verdict(median(ours) <= max, &format!("at most {max}"))
                    } else {
                        String::new()
                    },
                ]);
            }
        }
        for (text, values, plain, decimals) in [
            ("ZINCRBY: µs CPU", &cpu, &cpu, 2),
            ("ZINCRBY: bytes a member", &bytes, &bytes, 1),
            ("tie-break script: µs CPU", &cpu_tied, &cpu, 2),
            ("tie-break script: bytes a member", &bytes_tied, &bytes, 1),
        ] {
            let name = format!("Redis {version}, {text}");
            let ratio = format!("{:.2}", ratio(values, plain));
            table.add_row([
                name,
                spread(values, decimals),
                ratio,
                String::new(),
                String::new(),
            ]);
        }
        table
    }
}

/// Returns the figures of a case, with their names in the table.
fn figures() -> Vec<(String, String)> {
    let mut figures = vec![
        ("bytes".to_owned(), "bytes a member".to_owned()),
        (
            "bytes_after".to_owned(),
            "bytes a member, after updates".to_owned(),
        ),
    ];
    for (name, text) in [
        ("batch", "batches"),
        ("request", "requests through the router"),
    ] {
        figures.extend(
            BATCHES.map(|len| (format!("{name}_{len}"), format!("µs CPU, {text} of {len}"))),
        );
    }
    figures
}
