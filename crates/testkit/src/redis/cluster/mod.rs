//! A cluster of Redis servers: [`RedisCluster`], whose slots can be moved and whose primaries can be
//! lost while a test looks on.

mod form;
mod migration;
mod node;
mod slot;

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use super::options::RedisOptions;
use super::port::Port;
use super::proxy::FaultProxy;
use super::server::RedisServer;
use crate::eventually::eventually;
pub use migration::Migration;
pub use slot::{SLOTS, slot_of};

/// How long a node may be silent before it is considered dead, by default.
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
    /// What the cluster calls it.
    id: String,
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
            options: form::clustered(options, node_timeout),
        };
        cluster.form(primaries, replicas_per_primary);
        cluster.wait_until_settled();
        cluster
    }

    /// Adds a primary that has no slots yet.
    #[track_caller]
    pub fn add_primary(&self) -> Arc<RedisServer> {
        let new = self.start_nodes(1);
        self.introduce(&new);
        self.wait_until_settled();
        Arc::clone(&new[0].server)
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
        nodes.retain(|node| node.is_primary());
        nodes
    }

    /// The primary that serves a slot, as the first node that runs sees it.
    #[track_caller]
    pub fn primary_of(&self, slot: u16) -> Arc<RedisServer> {
        let view = node::view(self.running().first().expect("a node that runs"));
        let mut parts = view.iter();
        let found = parts.find(|(_, slots)| slots.iter().any(|slots| slots.contains(&slot)));
        let (id, _) = found.unwrap_or_else(|| panic!("nobody serves slot {slot}"));
        let mut nodes = self.all().into_iter();
        let node = nodes.find(|node| node.id == *id);
        node.expect("a node of this cluster").server
    }

    /// The replicas that run of a primary.
    #[track_caller]
    pub fn replicas_of(&self, primary: &RedisServer) -> Vec<Arc<RedisServer>> {
        let mut nodes = self.running();
        nodes.retain(|node| {
            let role = node.command(&["ROLE"]);
            let role = role.items();
            role[0].text() == "slave" && role[2].integer() == i64::from(primary.port())
        });
        nodes
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
        let all = self.all();
        let running = || all.iter().filter(|node| node.server.is_running());
        let first = node::view(&running().next().expect("a node that runs").server);
        first.keys().all(|id| running().any(|node| node.id == *id))
            && running().all(|Node { server, .. }| {
                node::finds_all_well(server, all.len())
                    && node::view(server) == first
                    && (server.is_primary() || server.is_linked())
            })
    }

    /// Has the cluster send clients to this proxy instead of the node that it stands before. Not for
    /// a node with replicas: they would follow it through the proxy.
    #[track_caller]
    pub fn announce(&self, proxy: &FaultProxy) {
        let port = proxy.address().port();
        let all = self.all();
        let before = |node: &&Node| node.server.address() == proxy.server();
        let node = all
            .iter()
            .find(before)
            .expect("a proxy before a node of this cluster");
        let setting = ["CONFIG", "SET", "cluster-announce-port", &port.to_string()];
        node.server.command(&setting).ok();
        eventually("a cluster that knows the proxy", || {
            let mut running = self.running().into_iter();
            running
                .all(|other| node::port_of(&other, &node.id) == port)
                .then_some(())
        });
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
