//! What a node of a cluster says of itself and the others, read for what tests wait for.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use crate::redis::{RedisServer, Reply};

/// Slots by the primary that serves them, as one node sees it.
pub(super) type View = BTreeMap<String, Vec<RangeInclusive<u16>>>;

/// Who serves what, asked of this node.
pub(super) fn view(node: &RedisServer) -> View {
    let mut view = View::new();
    for range in node.command(&["CLUSTER", "SLOTS"]).items() {
        let [first, last, primary, ..] = range.items() else {
            panic!("{range:?}")
        };
        let slots = number(first)..=number(last);
        let id = primary.items()[2].text().to_owned();
        view.entry(id).or_default().push(slots);
    }
    view
}

/// The port at which this node says that the primary of this name is.
pub(super) fn port_of(node: &RedisServer, id: &str) -> u16 {
    let reply = node.command(&["CLUSTER", "SLOTS"]);
    let mut primaries = reply.items().iter().map(|range| range.items()[2].items());
    let primary = primaries.find(|primary| primary[2].text() == id);
    number(&primary.expect("a primary with slots")[1])
}

fn number(reply: &Reply) -> u16 {
    reply.integer().try_into().unwrap()
}

/// Whether this node finds all slots served, and knows so many nodes.
pub(super) fn finds_all_well(node: &RedisServer, nodes: usize) -> bool {
    let info = node.command(&["CLUSTER", "INFO"]);
    info.field("cluster_state") == Some("ok")
        && info.field("cluster_known_nodes") == Some(&nodes.to_string())
}

/// The name that the cluster has for this node.
pub(super) fn id(node: &RedisServer) -> String {
    node.command(&["CLUSTER", "MYID"]).text().to_owned()
}

/// Whether this node knows those of these names, and has shaken their hands.
pub(super) fn knows(node: &RedisServer, ids: &[&str]) -> bool {
    let known = node.command(&["CLUSTER", "NODES"]);
    let lines = known
        .text()
        .lines()
        .filter(|line| !line.contains("handshake"));
    let known: Vec<_> = lines.filter_map(|line| line.split(' ').next()).collect();
    ids.iter().all(|id| known.contains(id))
}
