//! Which nodes exist, and which of them has a location: [`Topology`].

use std::sync::Arc;

use tokio::time::Instant;

use crate::call::Location;
use crate::cluster::Cluster;
use crate::dial::Dial;
use crate::independent::Independent;
use crate::keys;
use crate::link::Link;
use crate::node::Node;
use crate::open_error::OpenError;
use crate::redis_link::{Address, RedisUrl, UrlKind};
use crate::sentinel::Sentinel;
use crate::settings::RedisSettings;

/// How the nodes of a store are organized.
#[derive(Debug)]
pub(crate) enum Topology {
    One(Arc<Node>),
    Independent(Independent),
    Cluster(Cluster),
    Sentinel(Sentinel),
}

impl Topology {
    /// Finds the nodes of a store, until a deadline.
    pub(crate) async fn open(
        dial: &Arc<Dial>,
        url: &RedisUrl,
        settings: &RedisSettings,
        until: Instant,
    ) -> Result<Self, OpenError> {
        let addresses = &url.addresses;
        match (&url.kind, addresses.as_slice()) {
            (UrlKind::Servers, [address]) => {
                let node = Node::start(dial, address.clone(), None);
                Ok(Self::One(Arc::new(node)))
            }
            (UrlKind::Servers, _) => {
                let accept_empty = accept_empty(settings)?;
                let servers = Independent::open(dial, addresses, &accept_empty, until).await?;
                Ok(Self::Independent(servers))
            }
            (UrlKind::Cluster, _) => {
                let cluster = Cluster::open(dial, addresses, until).await;
                cluster.map(Self::Cluster).map_err(OpenError::Unreachable)
            }
            (UrlKind::Sentinel(name), _) => {
                let sentinel = Sentinel::open(dial, addresses, name, until).await;
                sentinel.map(Self::Sentinel).map_err(OpenError::Unreachable)
            }
        }
    }

    /// Returns the location of the registry.
    pub(crate) fn registry(&self) -> Location {
        let server = match self {
            Self::Independent(servers) => Some(servers.registry()),
            Self::One(_) | Self::Cluster(_) | Self::Sentinel(_) => None,
        };
        let slot = keys::registry_slot();
        Location { slot, server }
    }

    /// Returns the node of a location, or why there is none.
    pub(crate) fn route(&self, location: Location) -> Result<Arc<Node>, String> {
        match self {
            Self::One(node) => Ok(node.clone()),
            Self::Independent(servers) => {
                servers.node(location.server.unwrap_or_else(|| servers.registry()))
            }
            Self::Cluster(cluster) => cluster.route(location.slot),
            Self::Sentinel(sentinel) => sentinel.primary(),
        }
    }

    /// Returns the node that a redirection named; only a cluster has any.
    pub(crate) fn at(&self, address: &Address) -> Option<Arc<Node>> {
        match self {
            Self::Cluster(cluster) => Some(cluster.at(address)),
            Self::One(_) | Self::Independent(_) | Self::Sentinel(_) => None,
        }
    }

    /// Has the topology read again in the background: it may have changed.
    pub(crate) fn stale(&self, hint: Option<Address>) {
        match self {
            Self::Cluster(cluster) => cluster.stale(hint),
            Self::Sentinel(sentinel) => sentinel.stale(),
            Self::One(_) | Self::Independent(_) => {}
        }
    }

    /// Returns each node.
    pub(crate) fn nodes(&self) -> Vec<Arc<Node>> {
        match self {
            Self::One(node) => vec![node.clone()],
            Self::Independent(servers) => {
                let servers = servers.servers().iter();
                servers.map(|(_, node)| node.clone()).collect()
            }
            Self::Cluster(cluster) => cluster.nodes(),
            Self::Sentinel(sentinel) => sentinel.primary().into_iter().collect(),
        }
    }

    /// Returns the nodes that are connected.
    pub(crate) fn links(&self) -> impl Iterator<Item = Arc<Link>> {
        self.nodes().into_iter().filter_map(|node| node.link())
    }

    /// Returns everything that prevents some location from being served.
    pub(crate) fn troubles(&self) -> Vec<String> {
        let trouble = |node: &Arc<Node>| Some(format!("{}: {}", node.title(), node.trouble()?));
        let mut troubles: Vec<String> = self.nodes().iter().filter_map(trouble).collect();
        match self {
            Self::Cluster(cluster) => match cluster.uncovered() {
                0 => {}
                slots => troubles.push(format!("no node has {slots} of the slots")),
            },
            Self::Sentinel(sentinel) => troubles.extend(sentinel.primary().err()),
            Self::One(_) | Self::Independent(_) => {}
        }
        troubles
    }
}

fn accept_empty(settings: &RedisSettings) -> Result<Vec<Address>, OpenError> {
    let addresses = settings.accept_empty.iter().map(|text| {
        Address::parse(text, crate::redis_link::PORT)
            .map_err(|why| OpenError::Setting(format!("accept_empty: {text:?}: {why}")))
    });
    addresses.collect()
}
