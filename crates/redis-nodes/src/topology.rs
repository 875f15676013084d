//! Which nodes exist, and which of them has a location: [`Topology`].

use std::sync::Arc;

use tokio::time::Instant;

use crate::call::{Location, ServerId};
use crate::cluster::Cluster;
use crate::dial::Dial;
use crate::independent::Independent;
use crate::keys;
use crate::node::Node;
use crate::open_error::OpenError;
use crate::redis_link::{Address, RedisUrl, UrlKind};
use crate::sentinel::Sentinel;
use crate::settings::NodeSettings;

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
        settings: &NodeSettings,
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

    /// Returns each node, and its identity if it has one.
    pub(crate) fn nodes(&self) -> Vec<(Arc<Node>, Option<ServerId>)> {
        match self {
            Self::One(node) => vec![(node.clone(), None)],
            Self::Independent(servers) => {
                let named = servers.servers().iter();
                named.map(|(id, node)| (node.clone(), Some(*id))).collect()
            }
            Self::Cluster(cluster) => {
                let nodes = cluster.nodes().into_iter();
                nodes.map(|node| (node, None)).collect()
            }
            Self::Sentinel(sentinel) => {
                let primary = sentinel.primary().into_iter();
                primary.map(|node| (node, None)).collect()
            }
        }
    }

    /// Returns everything that prevents some location from being served.
    pub(crate) fn troubles(&self) -> Vec<String> {
        let nodes = self.nodes().into_iter();
        let mut troubles: Vec<String> = nodes
            .filter_map(|(node, id)| {
                let why = node.trouble()?;
                let address = node.address();
                Some(match id {
                    Some(id) => format!("{address} (server {id}): {why}"),
                    None => format!("{address}: {why}"),
                })
            })
            .collect();
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

fn accept_empty(settings: &NodeSettings) -> Result<Vec<Address>, OpenError> {
    let addresses = settings.accept_empty.iter().map(|text| {
        Address::parse(text, crate::redis_link::PORT)
            .map_err(|why| OpenError::Setting(format!("accept_empty: {text:?}: {why}")))
    });
    addresses.collect()
}
