//! The tables of `docs/scale.md`, computed from the unit costs.

use std::fmt::Write as _;

use crate::compared::{Comparison, comparison_table, comparisons, loss};
use crate::format::{counted, float_of, grouped, line, short};
use crate::paper::{Estimate, Placement};
use crate::plan::{CPU_MAX, Plan, balanced, bottleneck, largest_part, needed, with_servers};
use crate::scenario::{GOAL, Scenario, float};
use crate::units::{ReadCost, UnitCosts, read_of_shard};

/// The nodes of the steps before the goal.
const STEPS: [usize; 7] = [1, 3, 10, 30, 100, 300, 1_000];

/// A table or a figure of the document, by the name between its marks.
#[derive(Debug)]
pub struct Block {
    /// The name.
    pub name: &'static str,
    /// The text.
    pub text: String,
}

/// Computes all tables, and what paper and simulation have.
#[must_use]
pub fn compute(units: &UnitCosts) -> (Vec<Block>, Vec<Comparison>) {
    let goal = needed(&GOAL, units);
    let compared = comparisons(units, &goal.scenario);
    let mut blocks = vec![
        Block {
            name: "measured",
            text: measured(units),
        },
        Block {
            name: "costs",
            text: costs(units),
        },
        Block {
            name: "steps",
            text: steps(units, &goal),
        },
        Block {
            name: "choices",
            text: choices(units),
        },
        Block {
            name: "hot board",
            text: hot_boards(units),
        },
        Block {
            name: "hot member",
            text: hot_member(units),
        },
        Block {
            name: "small boards",
            text: small_boards(units),
        },
    ];
    blocks.push(Block {
        name: "simulation",
        text: comparison_table(&compared),
    });
    blocks.push(Block {
        name: "loss",
        text: loss(units),
    });
    (blocks, compared)
}

fn measured(units: &UnitCosts) -> String {
    format!(
        "Measured on {}, on {}, Redis {},\nwith boards of {} members in one window.\n",
        units.date,
        units.machine.split(", load").next().unwrap_or(""),
        units.redis,
        grouped(float_of(units.members))
    )
}

fn costs(units: &UnitCosts) -> String {
    let mut text = "| what | node CPU | node receives | node sends | server CPU |\n| --- | --- | --- | --- | --- |\n".to_owned();
    for row in &units.apply {
        let per = row.node_us / row.contributions;
        line(
            &mut text,
            &format!(
                "call of {} | {} µs, {per:.1} each | {} B | {} B | ",
                counted(row.contributions, "contribution"),
                grouped(row.node_us),
                grouped(row.bytes_in),
                grouped(row.bytes_out)
            ),
        );
    }
    for (name, rows) in [
        ("merge of a top of 1,000", &units.merge),
        ("rank of a member", &units.member),
        ("page of 100", &units.page),
    ] {
        for row in rows {
            line(
                &mut text,
                &read(
                    &format!("{name} over {}", counted(row.shards, "shard")),
                    row,
                ),
            );
        }
    }
    for row in &units.top {
        let top = format!("top of {}, one shard", grouped(row.entries));
        let copied = format!("{top}, merged and copied for other servers");
        line(&mut text, &read(&copied, &row.merged));
        line(
            &mut text,
            &read(&format!("{top}, taken from the copy"), &row.taken),
        );
    }
    let server = &units.server;
    line(
        &mut text,
        &format!(
            "contribution in requests of 1,000, board of one shard | | | | {:.1} µs",
            server.line_us
        ),
    );
    line(
        &mut text,
        &format!(
            "call to a shard, in addition | | | | {:.0} µs",
            server.call_us
        ),
    );
    line(
        &mut text,
        &format!(
            "cached top of 100, {} bytes | 0 | 0 | 0 | {:.0} µs",
            grouped(server.cached_top_bytes),
            server.cached_top_us
        ),
    );
    let memory = &units.memory;
    let _ = write!(
        text,
        "\nMemory: {:.0} bytes a member and window, {} bytes a board of one shard besides,\n\
         {:.1} MB a node without boards.\n\
         Connections of a server to a node: {:.0}.\n",
        memory.member_bytes,
        grouped(memory.board_bytes),
        memory.node_bytes / 1e6,
        units.connections_a_link
    );
    text
}

fn read(name: &str, row: &ReadCost) -> String {
    format!(
        "{name} | {} µs in {} | {} B | {} B | {} µs",
        grouped(row.node_us),
        counted(row.calls.round(), "call"),
        grouped(row.bytes_in),
        grouped(row.bytes_out),
        grouped(row.server_us)
    )
}

fn steps(units: &UnitCosts, goal: &Plan) -> String {
    let mut text = "| primaries | members | contributions/s | reads/s | hottest node: CPU, memory, network in and out | servers of 8 cores | connections of a node, of all | bottleneck |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n".to_owned();
    for nodes in STEPS {
        let part = largest_part(&GOAL, nodes, units);
        let scenario = GOAL.part(part, nodes);
        let placement = Placement::of(&scenario);
        let (scenario, result) = with_servers(scenario, &placement, units);
        line(&mut text, &step(&scenario, &result, units));
        if part > 0.999 {
            return text;
        }
    }
    line(&mut text, &step(&goal.scenario, &goal.result, units));
    text
}

fn step(scenario: &Scenario, result: &Estimate, units: &UnitCosts) -> String {
    let node = result.hottest();
    let (whole, links) = (
        node.whole(),
        float(scenario.servers) * units.connections_a_link,
    );
    let memory = result
        .nodes
        .iter()
        .map(|node| node.memory)
        .fold(0.0, f64::max);
    format!(
        "{} | {} | {} | {} | {:.0} % of a core, {} MB, {:.1} and {:.1} MB/s | {} | {}, {} | {}",
        grouped(float(scenario.nodes)),
        short(scenario.members),
        short(scenario.contributions),
        short(scenario.tops + result.ranks + scenario.pages),
        100.0 * node.cpu(),
        grouped(memory / 1e6),
        whole.bytes_in / 1e6,
        whole.bytes_out / 1e6,
        scenario.servers,
        grouped(links),
        grouped(links * float(scenario.nodes)),
        bottleneck(result).1
    )
}

/// The goal with other choices.
fn choices(units: &UnitCosts) -> String {
    let mut text = "| choice | primaries | with slots moved | largest shard | cores of nodes: contributions, tops, ranks | merges/s, taken/s | cores of servers |\n| --- | --- | --- | --- | --- | --- | --- |\n".to_owned();
    let only_tops = Scenario {
        tops: GOAL.tops + GOAL.ranks,
        ranks: 0.0,
        ..GOAL
    };
    for (name, scenario) in [
        ("as above", GOAL),
        (
            "reads of a board go to any server",
            Scenario {
                by_board: false,
                ..GOAL
            },
        ),
        (
            "`max_staleness` of 5 s",
            Scenario {
                staleness: 5.0,
                ..GOAL
            },
        ),
        (
            "`max_staleness` of 200 ms, the default",
            Scenario {
                staleness: 0.2,
                ..GOAL
            },
        ),
        (
            "16 shards for all boards",
            Scenario {
                shards: &[(usize::MAX, 16)],
                ..GOAL
            },
        ),
        (
            "one shard for all boards",
            Scenario {
                shards: &[(usize::MAX, 1)],
                ..GOAL
            },
        ),
        (
            "no limit of the ranks of a board",
            Scenario {
                ranks_a_board: f64::INFINITY,
                ..GOAL
            },
        ),
        ("all reads are tops", only_tops),
        (
            "no reads",
            Scenario {
                tops: 0.0,
                ranks: 0.0,
                ..GOAL
            },
        ),
    ] {
        let Plan {
            scenario,
            result,
            is_enough,
        } = needed(&scenario, units);
        let of = |cause: usize| {
            result
                .nodes
                .iter()
                .map(|node| node.work[cause].us)
                .sum::<f64>()
                / 1e6
        };
        line(
            &mut text,
            &format!(
                "{name} | {}{} | {} | {:.0} % | {:.0}, {:.0}, {:.0} | {}, {} | {}",
                if is_enough { "" } else { "more than " },
                grouped(float(scenario.nodes)),
                balanced(&result).map_or_else(|| "no number".to_owned(), grouped),
                100.0 * result.largest_shard,
                of(0),
                of(1),
                of(2),
                short(result.merges),
                short(result.taken),
                grouped(result.server_cores)
            ),
        );
    }
    text
}

/// One board with 1M contributions per second, by shards.
fn hot_boards(units: &UnitCosts) -> String {
    let mut text = "| shards | contributions of a call | cores of nodes | core of one shard | a merge of its top | a rank |\n| --- | --- | --- | --- | --- | --- |\n".to_owned();
    for shards in [1_u16, 4, 16, 32, 64, 128, 256] {
        let of_shard = GOAL.chunk_max / f64::from(shards);
        let calls = GOAL.contributions / GOAL.chunk_max;
        let core = units.apply(of_shard).us * calls / 1e6;
        let all = f64::from(shards);
        let (merge, _) = read_of_shard(&units.merge, all);
        let (rank, _) = read_of_shard(&units.member, all);
        line(
            &mut text,
            &format!(
                "{shards} | {of_shard:.0} | {:.1} | {:.2}{} | {:.1} ms | {:.2} ms",
                core * all,
                core,
                if core > CPU_MAX { ", too much" } else { "" },
                merge.us * all / 1e3,
                rank.us * all / 1e3
            ),
        );
    }
    text
}

fn hot_member(units: &UnitCosts) -> String {
    let most = units.apply(GOAL.chunk_max);
    format!(
        "A call of {} contributions takes {:.1} ms of its node, so one member gets at most\n{} contributions/s at {:.0} % of a core.\n",
        grouped(GOAL.chunk_max),
        most.us / 1e3,
        short(GOAL.chunk_max / most.us * 1e6 * CPU_MAX),
        100.0 * CPU_MAX
    )
}

fn small_boards(units: &UnitCosts) -> String {
    let members = 10.0;
    let bytes = units.memory.board_bytes + members * units.memory.member_bytes;
    format!(
        "A million boards of ten members take at most {:.1} GB in one window,\n{:.1} GB of it for the boards themselves.\n",
        bytes * 1e6 / 1e9,
        units.memory.board_bytes * 1e6 / 1e9
    )
}
