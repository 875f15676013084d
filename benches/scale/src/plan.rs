//! What nodes and servers are planned for, and how many are needed.

use crate::format::whole_number;
use crate::paper::{Cause, Estimate, Placement, estimate};
use crate::scenario::Scenario;
use crate::units::UnitCosts;

/// The part of a core that a node uses at most in the plan.
pub const CPU_MAX: f64 = 0.6;

/// The bytes that a node holds at most in the plan: 16 GiB, of a machine that has as much again for snapshots.
pub const MEMORY_MAX: f64 = 16.0 * 1024.0 * 1024.0 * 1024.0;

/// The bytes per second that a node receives or sends at most in the plan: half of 10 Gbit/s.
pub const NETWORK_MAX: f64 = 0.625e9;

/// The cores of a server, of which the plan uses [`CPU_MAX`].
pub(crate) const SERVER_CORES: f64 = 8.0;

/// The resource that a node has least of, relative to the plan.
pub(crate) fn bottleneck(estimate: &Estimate) -> (f64, String) {
    let node = estimate.hottest();
    let whole = node.whole();
    let memory = estimate
        .nodes
        .iter()
        .map(|node| node.memory)
        .fold(0.0, f64::max);
    let by_cause = node.work.iter().zip(Cause::ALL);
    let most = by_cause.max_by(|(a, _), (b, _)| a.us.total_cmp(&b.us));
    let cause = most.map_or("", |(_, cause)| cause.name());
    let uses = [
        (node.cpu() / CPU_MAX, format!("CPU: {cause}")),
        (memory / MEMORY_MAX, "memory".to_owned()),
        (whole.bytes_in / NETWORK_MAX, "network, received".to_owned()),
        (whole.bytes_out / NETWORK_MAX, "network, sent".to_owned()),
    ];
    let most = uses.into_iter().max_by(|(a, _), (b, _)| a.total_cmp(b));
    most.unwrap_or_default()
}

/// Returns the scenario with as many servers as its load needs.
pub(crate) fn with_servers(
    mut scenario: Scenario,
    placement: &Placement,
    units: &UnitCosts,
) -> (Scenario, Estimate) {
    let mut result = estimate(&scenario, placement, units);
    // How often servers take merges from each other depends on their number.
    for _ in 0..3 {
        scenario.servers =
            whole_number((result.server_cores / SERVER_CORES / CPU_MAX).ceil()).max(2);
        result = estimate(&scenario, placement, units);
    }
    (scenario, result)
}

/// Returns the largest part of the scenario that so many nodes carry.
pub(crate) fn largest_part(scenario: &Scenario, nodes: usize, units: &UnitCosts) -> f64 {
    let placement = Placement::of(&scenario.part(1.0, nodes));
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..14 {
        let middle = f64::midpoint(low, high);
        let (_, result) = with_servers(scenario.part(middle, nodes), &placement, units);
        if bottleneck(&result).0 <= 1.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// A scenario with the nodes and servers that it needs.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The scenario.
    pub scenario: Scenario,
    /// The work of its nodes.
    pub result: Estimate,
    /// Whether its nodes are enough. Otherwise they are as many as are considered.
    pub is_enough: bool,
}

/// Returns the least number of nodes, in steps of a tenth, that carry the scenario.
#[must_use]
pub fn needed(scenario: &Scenario, units: &UnitCosts) -> Plan {
    // All nodes together have the same work, however many they are.
    let one = scenario.part(1.0, 1);
    let whole = estimate(&one, &Placement::of(&one), units);
    let mut nodes = whole_number(whole.mean_cpu() / CPU_MAX).clamp(3, NODES_MAX);
    loop {
        let placement = Placement::of(&scenario.part(1.0, nodes));
        let (sized, result) = with_servers(scenario.part(1.0, nodes), &placement, units);
        let is_enough = bottleneck(&result).0 <= 1.0;
        if is_enough || nodes == NODES_MAX {
            return Plan {
                scenario: sized,
                result,
                is_enough,
            };
        }
        nodes = (nodes * 11 / 10 + 1).min(NODES_MAX);
    }
}

/// The most primaries that are considered: a Redis Cluster is meant for up to 1,000 nodes.
pub(crate) const NODES_MAX: usize = 3_000;

/// Returns the least number of nodes if slots are moved so that all nodes have the same work. `None`: the largest shard
/// is too much for any node.
pub(crate) fn balanced(result: &Estimate) -> Option<f64> {
    let whole = result.whole();
    let memory: f64 = result.nodes.iter().map(|node| node.memory).sum();
    let most = [
        whole.us / 1e6 / CPU_MAX,
        memory / MEMORY_MAX,
        whole.bytes_in / NETWORK_MAX,
        whole.bytes_out / NETWORK_MAX,
    ];
    let nodes = most.into_iter().fold(0.0, f64::max).ceil();
    (result.largest_shard <= CPU_MAX).then_some(nodes)
}
