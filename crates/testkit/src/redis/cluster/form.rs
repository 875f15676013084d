//! How servers become a cluster: started apart, introduced to each other, each given its part.

use std::sync::{Arc, PoisonError};
use std::thread;
use std::time::Duration;

use super::{Node, RedisCluster, SLOTS, node};
use crate::eventually::eventually;
use crate::redis::options::RedisOptions;
use crate::redis::port::Port;

impl RedisCluster {
    /// Starts the nodes of a cluster and gives each its part.
    #[track_caller]
    pub(super) fn form(&self, primaries: u16, replicas_per_primary: u16) {
        let nodes = self.start_nodes(primaries * (1 + replicas_per_primary));
        let (first, replicas) = nodes.split_at(primaries.into());
        for (place, primary) in (0..primaries).zip(first) {
            let cut = |place: u16| u32::from(SLOTS) * u32::from(place) / u32::from(primaries);
            let (from, to) = (cut(place).to_string(), (cut(place + 1) - 1).to_string());
            let slots = ["CLUSTER", "ADDSLOTSRANGE", &from, &to];
            primary.server.command(&slots).ok();
        }
        self.introduce(&nodes);
        for (replica, primary) in replicas.iter().zip(first.iter().cycle()) {
            let follow = ["CLUSTER", "REPLICATE", &primary.id];
            replica.server.command(&follow).ok();
        }
    }

    /// Starts servers that know nothing of each other yet, all at the same time.
    #[track_caller]
    pub(super) fn start_nodes(&self, count: u16) -> Vec<Node> {
        let started: Vec<Node> = thread::scope(|scope| {
            let starts = (0..count).map(|_| scope.spawn(|| self.start_node()));
            let starts: Vec<_> = starts.collect();
            let started = starts.into_iter().map(|start| start.join().unwrap());
            started.collect()
        });
        let mut nodes = self.nodes.write().unwrap_or_else(PoisonError::into_inner);
        for node in &started {
            // Different from the start, epochs need no time to be resolved.
            let epoch = (nodes.len() + 1).to_string();
            let set = ["CLUSTER", "SET-CONFIG-EPOCH", &epoch];
            node.server.command(&set).ok();
            nodes.push(node.clone());
        }
        started
    }

    fn start_node(&self) -> Node {
        let bus = Port::reserve();
        let bus_port = format!("cluster-port {}", bus.number());
        let server = self.options.clone().config(&bus_port).start();
        Node {
            id: node::id(&server),
            server: Arc::new(server),
            bus: Arc::new(bus),
        }
    }

    /// Makes these nodes and all others that run known to each other.
    #[track_caller]
    pub(super) fn introduce(&self, new: &[Node]) {
        let mut all = self.all();
        all.retain(|node| node.server.is_running());
        for node in new {
            for other in all.iter().filter(|other| other.id != node.id) {
                let port = other.server.port().to_string();
                let bus = other.bus.number().to_string();
                let meet = ["CLUSTER", "MEET", "127.0.0.1", &port, &bus];
                node.server.command(&meet).ok();
            }
        }
        let ids: Vec<&str> = all.iter().map(|node| node.id.as_str()).collect();
        eventually("nodes that know each other", || {
            let mut servers = all.iter().map(|node| &node.server);
            servers
                .all(|server| node::knows(server, &ids))
                .then_some(())
        });
    }
}

/// Options of a node.
pub(super) fn clustered(options: &RedisOptions, node_timeout: Duration) -> RedisOptions {
    let timeout = format!("cluster-node-timeout {}", node_timeout.as_millis());
    let options = options.clone().config("cluster-enabled yes");
    options
        .config("cluster-config-file nodes.conf")
        .config(&timeout)
        // A replica stays with its primary, and may follow it however old what it has is: which
        // node takes over is then for the test to say, not for the machine's load.
        .config("cluster-allow-replica-migration no")
        .config("cluster-replica-validity-factor 0")
}
