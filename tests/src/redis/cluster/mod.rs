//! A cluster of Redis servers: [`RedisCluster`], whose slots can be moved and whose primaries can be
//! lost while a test looks on.

mod migration;
mod node;
mod slot;

use std::sync::{Arc, PoisonError, RwLock};
use std::thread;
use std::time::Duration;

use super::options::RedisOptions;
use super::port::Port;
use super::server::RedisServer;
use crate::patience::eventually;
pub use migration::Migration;
pub use slot::{SLOTS, slot_of};

/// How long a node may be silent before it is held for dead, unless told otherwise.
pub const NODE_TIMEOUT: Duration = Duration::from_secs(2);

/// A cluster; its nodes end when this is dropped.
#[derive(Debug)]
pub struct RedisCluster {
    nodes: RwLock<Vec<Node>>,
    options: RedisOptions,
}

#[derive(Clone, Debug)]
struct Node {
    server: Arc<RedisServer>,
    bus: Arc<Port>,
}

impl RedisCluster {
    /// Starts so many primaries, which share the slots evenly, each with so many replicas, and waits
    /// until all of them agree. Options hold for each node.
    #[track_caller]
    pub fn start(primaries: u16, replicas_per_primary: u16, options: &RedisOptions) -> Self {
        Self::with_node_timeout(primaries, replicas_per_primary, options, NODE_TIMEOUT)
    }

    /// The same, but with another time that a node may be silent before it is held for dead.
    #[track_caller]
    pub fn with_node_timeout(
        primaries: u16,
        replicas_per_primary: u16,
        options: &RedisOptions,
        node_timeout: Duration,
    ) -> Self {
        let cluster = Self {
            nodes: RwLock::default(),
            options: clustered(options, node_timeout),
        };
        cluster.start_nodes(primaries * (1 + replicas_per_primary));
        let nodes = cluster.nodes();
        let (first, replicas) = nodes.split_at(primaries.into());
        for (place, primary) in (0..primaries).zip(first) {
            let cut = |place: u16| u32::from(SLOTS) * u32::from(place) / u32::from(primaries);
            let (from, to) = (cut(place).to_string(), (cut(place + 1) - 1).to_string());
            primary
                .command(&["CLUSTER", "ADDSLOTSRANGE", &from, &to])
                .ok();
        }
        cluster.introduce(&nodes);
        for (replica, primary) in replicas.iter().zip(first.iter().cycle()) {
            replica
                .command(&["CLUSTER", "REPLICATE", &node::id(primary)])
                .ok();
        }
        cluster.wait_until_settled();
        cluster
    }

    /// Starts servers that know nothing of each other yet, all at the same time.
    fn start_nodes(&self, count: u16) {
        let start = || {
            let bus = Port::reserve();
            let options = self.options.clone();
            let options = options.config(&format!("cluster-port {}", bus.number()));
            Node {
                server: Arc::new(options.start()),
                bus: Arc::new(bus),
            }
        };
        let started: Vec<Node> = thread::scope(|scope| {
            let starts: Vec<_> = (0..count).map(|_| scope.spawn(start)).collect();
            let started = starts.into_iter().map(|start| start.join().unwrap());
            started.collect()
        });
        let mut nodes = self.nodes.write().unwrap_or_else(PoisonError::into_inner);
        for node in started {
            // Different from the start, epochs need no time to be told apart.
            let epoch = (nodes.len() + 1).to_string();
            node.server
                .command(&["CLUSTER", "SET-CONFIG-EPOCH", &epoch])
                .ok();
            nodes.push(node);
        }
    }

    /// Makes these nodes and all others known to each other.
    #[track_caller]
    fn introduce(&self, new: &[Arc<RedisServer>]) {
        let all = self.all();
        for node in new {
            for other in all.iter().filter(|other| !Arc::ptr_eq(&other.server, node)) {
                let (port, bus) = (
                    other.server.port().to_string(),
                    other.bus.number().to_string(),
                );
                node.command(&["CLUSTER", "MEET", "127.0.0.1", &port, &bus])
                    .ok();
            }
        }
        let ids: Vec<String> = all.iter().map(|node| node::id(&node.server)).collect();
        eventually("nodes that know each other", || {
            let mut pairs = all
                .iter()
                .flat_map(|node| ids.iter().map(move |id| (node, id)));
            pairs
                .all(|(node, id)| node::knows(&node.server, id))
                .then_some(())
        });
    }

    /// Adds a primary that has no slots yet.
    #[track_caller]
    pub fn add_primary(&self) -> Arc<RedisServer> {
        self.start_nodes(1);
        let new = self.nodes().pop().unwrap();
        self.introduce(std::slice::from_ref(&new));
        self.wait_until_settled();
        new
    }

    /// All nodes, those too that were stopped or killed; primaries of the start first.
    pub fn nodes(&self) -> Vec<Arc<RedisServer>> {
        self.all().into_iter().map(|node| node.server).collect()
    }

    /// The nodes that run.
    pub fn running(&self) -> Vec<Arc<RedisServer>> {
        let mut nodes = self.nodes();
        nodes.retain(|node| node.is_running());
        nodes
    }

    /// The primaries that run, one without slots too.
    #[track_caller]
    pub fn primaries(&self) -> Vec<Arc<RedisServer>> {
        let mut nodes = self.running();
        nodes.retain(|node| node::is_primary(node));
        nodes
    }

    /// The primary that serves a slot, as the first node that runs sees it.
    #[track_caller]
    pub fn primary_of(&self, slot: u16) -> Arc<RedisServer> {
        let running = self.running();
        let view = node::view(running.first().expect("a node that runs"));
        let mut parts = view.iter();
        let part = parts.find(|(_, slots)| slots.iter().any(|slots| slots.contains(&slot)));
        let (port, _) = part.unwrap_or_else(|| panic!("nobody serves slot {slot}"));
        let mut nodes = self.nodes().into_iter();
        nodes
            .find(|node| node.port() == *port)
            .expect("a node of this cluster")
    }

    /// Kills the primary that serves a slot, and gives it back.
    #[track_caller]
    pub fn kill_primary_of(&self, slot: u16) -> Arc<RedisServer> {
        let primary = self.primary_of(slot);
        primary.kill();
        primary
    }

    /// Waits until the nodes that run find all slots served, by nodes that run, agree by whom, and
    /// replicas follow.
    #[track_caller]
    pub fn wait_until_settled(&self) {
        eventually("a cluster that is settled", || {
            self.is_settled().then_some(())
        });
    }

    fn is_settled(&self) -> bool {
        let (running, known) = (self.running(), self.nodes().len());
        let first = node::view(running.first().expect("a node that runs"));
        let served = |port: &u16| running.iter().any(|node| node.port() == *port);
        first.keys().all(served)
            && running.iter().all(|node| {
                node::finds_all_well(node, known)
                    && node::view(node) == first
                    && (node::is_primary(node) || node::follows(node))
            })
    }

    /// `redis-cluster://HOST:PORT,HOST:PORT`: all nodes, with who may log in where not everybody may.
    pub fn url(&self) -> String {
        let nodes = self.nodes();
        let addresses = nodes.iter().map(|node| node.address().to_string());
        let addresses = addresses.collect::<Vec<_>>().join(",");
        format!("redis-cluster://{}{addresses}", self.options.url_login())
    }

    fn all(&self) -> Vec<Node> {
        let nodes = self.nodes.read().unwrap_or_else(PoisonError::into_inner);
        nodes.clone()
    }
}

fn clustered(options: &RedisOptions, node_timeout: Duration) -> RedisOptions {
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
