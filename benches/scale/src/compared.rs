//! Scenarios on paper and simulated.

use crate::format::{grouped, line};
use crate::paper::{Placement, estimate};
use crate::plan::{largest_part, with_servers};
use crate::scenario::{GOAL, Scenario};
use crate::simulation::{Loss, Simulated, simulate};
use crate::units::UnitCosts;

/// How far paper and simulation may be apart.
pub const DIFFERENCE_MAX: f64 = 0.10;

/// How long the goal is simulated, in seconds.
pub(crate) const SECONDS: f64 = 0.5;

/// When a node is lost.
pub(crate) const LOSS: Loss = Loss {
    from: 0.05,
    seconds: 1.0,
};

/// How long a cluster that loses a node is simulated, in seconds.
const LOSS_SECONDS: f64 = 5.0;

/// A figure on paper and simulated.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// The scenario.
    pub scenario: String,
    /// The figure.
    pub figure: &'static str,
    /// On paper.
    pub paper: f64,
    /// Simulated.
    pub simulated: f64,
    /// How it is written.
    decimals: usize,
}

impl Comparison {
    /// Returns how far the simulation is above the paper.
    #[must_use]
    pub fn difference(&self) -> f64 {
        if self.paper.total_cmp(&self.simulated).is_eq() {
            0.0
        } else {
            self.simulated / self.paper - 1.0
        }
    }
}

/// The scenarios of the document, on paper and simulated.
pub(crate) fn comparisons(units: &UnitCosts, goal: &Scenario) -> Vec<Comparison> {
    let mut compared = Vec::new();
    let one = GOAL.part(largest_part(&GOAL, 1, units), 1);
    let ten = GOAL.part(largest_part(&GOAL, 10, units), 10);
    let any_server = Scenario {
        by_board: false,
        ..ten.clone()
    };
    let hot = Scenario {
        boards: 1,
        shards: &[(usize::MAX, 64)],
        tops: 1e5,
        ranks: 1_000.0,
        members: 1e7,
        contributions: 2e5,
        ..GOAL.part(1.0, 10)
    };
    let member = Scenario {
        boards: 1,
        shards: &[(usize::MAX, 16)],
        hot_member: 0.5,
        tops: 0.0,
        ranks: 0.0,
        contributions: 5e4,
        ..GOAL.part(1.0, 10)
    };
    let small = Scenario {
        skew: 0.0,
        shards: &[(usize::MAX, 1)],
        ..ten.clone()
    };
    let scenarios = [
        ("one node", one, 20.0),
        ("ten nodes", ten, 5.0),
        ("ten nodes, reads on any server", any_server, 5.0),
        ("ten nodes, all boards alike", small, 5.0),
        ("one board of 64 shards, ten nodes", hot, 5.0),
        (
            "one board of 16 shards, a member with half, ten nodes",
            member,
            5.0,
        ),
        ("goal", goal.clone(), SECONDS),
    ];
    for (name, scenario, seconds) in scenarios {
        let (scenario, paper) = with_servers(scenario.clone(), &Placement::of(&scenario), units);
        let Simulated {
            load,
            wait_p99,
            hottest_wait_p99,
            ..
        } = simulate(&scenario, units, seconds, None);
        let (on_paper, drawn) = (paper.whole(), load.whole());
        let mut push = |figure, paper, simulated, decimals| {
            compared.push(Comparison {
                scenario: name.to_owned(),
                figure,
                paper,
                simulated,
                decimals,
            });
        };
        push(
            "CPU of the mean node, %",
            100.0 * paper.mean_cpu(),
            100.0 * load.mean_cpu(),
            1,
        );
        push(
            "CPU of the hottest node, %",
            100.0 * paper.hottest().cpu(),
            100.0 * load.hottest().cpu(),
            1,
        );
        push("calls/s", on_paper.calls, drawn.calls, 0);
        push("merges/s", paper.merges, load.merges, 0);
        push("tops taken/s", paper.taken, load.taken, 0);
        push(
            "received, MB/s",
            on_paper.bytes_in / 1e6,
            drawn.bytes_in / 1e6,
            1,
        );
        push(
            "sent, MB/s",
            on_paper.bytes_out / 1e6,
            drawn.bytes_out / 1e6,
            1,
        );
        push(
            "p99 of the wait at a node, at the hottest, ms",
            wait_p99 * 1e3,
            hottest_wait_p99 * 1e3,
            1,
        );
    }
    compared
}

/// The figure that is not compared: what only the simulation has, for all nodes and for the hottest.
pub(crate) const WAIT: &str = "p99 of the wait at a node, at the hottest, ms";

impl Comparison {
    /// Returns whether the figure is on paper at all.
    #[must_use]
    pub fn is_compared(&self) -> bool {
        self.figure != WAIT
    }
}

pub(crate) fn comparison_table(compared: &[Comparison]) -> String {
    let mut text =
        "| scenario | figure | paper | simulated | difference |\n| --- | --- | --- | --- | --- |\n"
            .to_owned();
    let mut last = "";
    for row in compared {
        let scenario = if row.scenario == last {
            ""
        } else {
            &row.scenario
        };
        last = &row.scenario;
        let decimals = row.decimals;
        let shown = |value: f64| {
            if decimals == 0 {
                grouped(value)
            } else {
                format!("{value:.decimals$}")
            }
        };
        if row.is_compared() {
            if row.paper > 0.0 {
                let (paper, simulated) = (shown(row.paper), shown(row.simulated));
                line(
                    &mut text,
                    &format!(
                        "{scenario} | {} | {paper} | {simulated} | {:+.1} %",
                        row.figure,
                        100.0 * row.difference()
                    ),
                );
            }
        } else {
            line(
                &mut text,
                &format!(
                    "{scenario} | {} | | {}, {} | ",
                    row.figure,
                    shown(row.paper),
                    shown(row.simulated)
                ),
            );
        }
    }
    text
}

pub(crate) fn loss(units: &UnitCosts) -> String {
    let scenario = GOAL.part(largest_part(&GOAL, 10, units), 10);
    let paper = estimate(&scenario, &Placement::of(&scenario), units);
    let used = paper.hottest().cpu();
    let expected = LOSS.seconds * used / (1.0 - used);
    let simulated = simulate(&scenario, units, LOSS_SECONDS, Some(LOSS));
    format!(
        "The hottest of ten nodes, {:.0} % used, is lost for {:.0} ms: its queue is empty\n\
         {:.0} ms after that on paper, {:.0} ms in the simulation.\n",
        100.0 * used,
        LOSS.seconds * 1e3,
        expected * 1e3,
        simulated.drained_after * 1e3
    )
}
