//! [`RedisCluster`]: its nodes, which of them serve which slots, and failovers.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use super::form;
use super::node::{self, Node};
use crate::eventually::eventually;
use crate::redis::options::RedisOptions;
use crate::redis::proxy::FaultProxy;
use crate::redis::server::RedisServer;

/// The default time a node may be unreachable before it is considered failed.
pub const NODE_TIMEOUT: Duration = Duration::from_secs(2);

/// A Redis Cluster; its nodes are killed on drop.
#[derive(Debug)]
pub struct RedisCluster {
    nodes: RwLock<Vec<Node>>,
    options: RedisOptions,
}

impl RedisCluster {
    /// Starts `primaries` primaries, which share the slots evenly, each with `replicas_per_primary`
    /// replicas, and waits until all nodes agree. The options apply to each node.
    #[track_caller]
    pub fn start(primaries: u16, replicas_per_primary: u16, options: &RedisOptions) -> Self {
        Self::with_node_timeout(primaries, replicas_per_primary, options, NODE_TIMEOUT)
    }

    /// As [`start`](Self::start), with another `cluster-node-timeout`.
    #[track_caller]
    pub fn with_node_timeout(
        primaries: u16,
        replicas_per_primary: u16,
        options: &RedisOptions,
        node_timeout: Duration,
    ) -> Self {
        let options = form::clustered(options, node_timeout);
        let nodes = form::form(&options, primaries, replicas_per_primary);
        let cluster = Self {
            nodes: RwLock::new(nodes),
            options,
        };
        cluster.wait_until_settled();
        cluster
    }

    /// Adds a primary without slots.
    #[track_caller]
    pub fn add_primary(&self) -> Arc<RedisServer> {
        let mut nodes = self.all();
        nodes.extend(form::start_nodes(&self.options, nodes.len(), 1));
        let added = &nodes[nodes.len() - 1];
        form::introduce(std::slice::from_ref(added), &nodes);
        let server = Arc::clone(&added.server);
        *self.nodes.write().unwrap_or_else(PoisonError::into_inner) = nodes;
        self.wait_until_settled();
        server
    }

    /// Returns all nodes, including stopped and killed ones; the initial primaries come first.
    pub fn nodes(&self) -> Vec<Arc<RedisServer>> {
        self.all().into_iter().map(|node| node.server).collect()
    }

    /// Returns the running nodes.
    pub fn running(&self) -> Vec<Arc<RedisServer>> {
        let mut nodes = self.nodes();
        nodes.retain(|node| node.is_running());
        nodes
    }

    /// Returns the running primaries, including ones without slots.
    #[track_caller]
    pub fn primaries(&self) -> Vec<Arc<RedisServer>> {
        let mut nodes = self.running();
        nodes.retain(|node| node.is_primary());
        nodes
    }

    /// Returns the primary that serves a slot, according to the first running node.
    #[track_caller]
    pub fn primary_of(&self, slot: u16) -> Arc<RedisServer> {
        let view = node::view(self.running().first().expect("a running node"));
        let mut parts = view.iter();
        let found = parts.find(|(_, slots)| slots.iter().any(|slots| slots.contains(&slot)));
        let (id, _) = found.unwrap_or_else(|| panic!("no node serves slot {slot}"));
        let mut nodes = self.all().into_iter();
        let node = nodes.find(|node| node.id == *id);
        node.expect("a node of this cluster").server
    }

    /// Returns the running replicas of a primary.
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

    /// Kills the primary that serves a slot, and returns it.
    #[track_caller]
    pub fn kill_primary_of(&self, slot: u16) -> Arc<RedisServer> {
        let primary = self.primary_of(slot);
        primary.kill();
        primary
    }

    /// Waits until all slots are served by running nodes, all running nodes agree on that, and
    /// replicas are connected.
    #[track_caller]
    pub fn wait_until_settled(&self) {
        eventually("the cluster is settled", || self.is_settled().then_some(()));
    }

    fn is_settled(&self) -> bool {
        let all = self.all();
        let running = || all.iter().filter(|node| node.server.is_running());
        let first = node::view(&running().next().expect("a running node").server);
        first.keys().all(|id| running().any(|node| node.id == *id))
            && running().all(|Node { server, .. }| {
                node::finds_all_well(server, all.len())
                    && node::view(server) == first
                    && (server.is_primary() || server.is_linked())
            })
    }

    /// Makes the cluster direct clients to this proxy instead of the node behind it. Not for a node
    /// with replicas: they would replicate through the proxy.
    #[track_caller]
    pub fn announce(&self, proxy: &FaultProxy) {
        let port = proxy.address().port();
        let all = self.all();
        let before = |node: &&Node| node.server.address() == proxy.server();
        let node = all
            .iter()
            .find(before)
            .expect("the proxy of a node of this cluster");
        let setting = ["CONFIG", "SET", "cluster-announce-port", &port.to_string()];
        node.server.command(&setting).ok();
        eventually("the cluster knows the proxy", || {
            let mut running = self.running().into_iter();
            running
                .all(|other| node::port_of(&other, &node.id) == port)
                .then_some(())
        });
    }

    /// Returns `redis-cluster://HOST:PORT,HOST:PORT` with all nodes, and the login if one is
    /// required.
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
