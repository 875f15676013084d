//! A cluster node: [`Node`], and what it reports of itself and of the others.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::redis::port::Port;
use crate::redis::reply::Reply;
use crate::redis::server::RedisServer;

/// A node of a cluster.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) server: Arc<RedisServer>,
    /// The port of the cluster bus.
    pub(super) bus: Arc<Port>,
    /// The node id in the cluster.
    pub(super) id: String,
}

/// Slots by the id of the primary that serves them, as one node sees it.
pub(super) type View = BTreeMap<String, Vec<RangeInclusive<u16>>>;

/// Returns which primary serves which slots, according to this node.
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

/// Returns the port of the primary with this id, according to this node.
pub(super) fn port_of(node: &RedisServer, id: &str) -> u16 {
    let reply = node.command(&["CLUSTER", "SLOTS"]);
    let mut primaries = reply.items().iter().map(|range| range.items()[2].items());
    let primary = primaries.find(|primary| primary[2].text() == id);
    number(&primary.expect("a primary with slots")[1])
}

fn number(reply: &Reply) -> u16 {
    reply.integer().try_into().unwrap()
}

/// Returns whether this node finds all slots served, and knows this number of nodes.
pub(super) fn finds_all_well(node: &RedisServer, nodes: usize) -> bool {
    let info = node.command(&["CLUSTER", "INFO"]);
    info.field("cluster_state") == Some("ok")
        && info.field("cluster_known_nodes") == Some(&nodes.to_string())
}

/// Returns the id of this node.
pub(super) fn id(node: &RedisServer) -> String {
    node.command(&["CLUSTER", "MYID"]).text().to_owned()
}

/// Returns whether this node knows the nodes with these ids, with completed handshakes.
pub(super) fn knows(node: &RedisServer, ids: &[&str]) -> bool {
    let known = node.command(&["CLUSTER", "NODES"]);
    let lines = known
        .text()
        .lines()
        .filter(|line| !line.contains("handshake"));
    let known: Vec<_> = lines.filter_map(|line| line.split(' ').next()).collect();
    ids.iter().all(|id| known.contains(id))
}
