//! Forming a cluster: starts servers, introduces them to each other, and assigns slots and
//! replicas.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::node::{self, Node};
use super::slot::SLOTS;
use crate::eventually::eventually;
use crate::redis::options::RedisOptions;
use crate::redis::port::Port;

/// Starts the nodes of a cluster and assigns slots and replicas. Primaries come first.
#[track_caller]
pub(super) fn form(options: &RedisOptions, primaries: u16, replicas_per_primary: u16) -> Vec<Node> {
    let nodes = start_nodes(options, 0, primaries * (1 + replicas_per_primary));
    let (first, replicas) = nodes.split_at(primaries.into());
    for (index, primary) in (0..primaries).zip(first) {
        let cut = |index: u16| u32::from(SLOTS) * u32::from(index) / u32::from(primaries);
        let (from, to) = (cut(index).to_string(), (cut(index + 1) - 1).to_string());
        let slots = ["CLUSTER", "ADDSLOTSRANGE", &from, &to];
        primary.server.command(&slots).ok();
    }
    introduce(&nodes, &nodes);
    for (replica, primary) in replicas.iter().zip(first.iter().cycle()) {
        let follow = ["CLUSTER", "REPLICATE", &primary.id];
        replica.server.command(&follow).ok();
    }
    nodes
}

/// Starts servers that do not know each other yet, in parallel, beside `existing` nodes.
#[track_caller]
pub(super) fn start_nodes(options: &RedisOptions, existing: usize, count: u16) -> Vec<Node> {
    let nodes: Vec<Node> = thread::scope(|scope| {
        let starts = (0..count).map(|_| scope.spawn(|| start_node(options)));
        let starts: Vec<_> = starts.collect();
        let nodes = starts.into_iter().map(|start| start.join().unwrap());
        nodes.collect()
    });
    for (epoch, node) in (existing + 1..).zip(&nodes) {
        // Distinct epochs from the start, so that the nodes need not resolve a conflict.
        let set = ["CLUSTER", "SET-CONFIG-EPOCH", &epoch.to_string()];
        node.server.command(&set).ok();
    }
    nodes
}

fn start_node(options: &RedisOptions) -> Node {
    let bus = Port::reserve();
    let bus_port = format!("cluster-port {}", bus.number());
    let server = options.clone().config(&bus_port).start();
    Node {
        id: node::id(&server),
        server: Arc::new(server),
        bus: Arc::new(bus),
    }
}

/// Introduces new nodes to all that run, which include them.
#[track_caller]
pub(super) fn introduce(new: &[Node], all: &[Node]) {
    let running = all.iter().filter(|node| node.server.is_running());
    let running: Vec<&Node> = running.collect();
    for node in new {
        for other in running.iter().filter(|other| other.id != node.id) {
            let port = other.server.port().to_string();
            let bus = other.bus.number().to_string();
            let meet = ["CLUSTER", "MEET", "127.0.0.1", &port, &bus];
            node.server.command(&meet).ok();
        }
    }
    let ids: Vec<&str> = running.iter().map(|node| node.id.as_str()).collect();
    eventually("the nodes know each other", || {
        let mut servers = running.iter().map(|node| &node.server);
        servers
            .all(|server| node::knows(server, &ids))
            .then_some(())
    });
}

/// Returns the options of a cluster node.
pub(super) fn clustered(options: &RedisOptions, node_timeout: Duration) -> RedisOptions {
    let timeout = format!("cluster-node-timeout {}", node_timeout.as_millis());
    let options = options.clone().config("cluster-enabled yes");
    options
        .config("cluster-config-file nodes.conf")
        .config(&timeout)
        // Replicas stay with their primary and may take over however stale they are, so that the
        // test decides which node takes over, not the load of the machine.
        .config("cluster-allow-replica-migration no")
        .config("cluster-replica-validity-factor 0")
}
