//! Finds the nodes of a store when it is opened.

use std::sync::Arc;

use crate::redis_link::{Address, RedisUrl, Task, UrlKind};
use tokio::time::Instant;

use crate::cluster::Cluster;
use crate::dial::Dial;
use crate::independent::Independent;
use crate::loss_detector::LossDetector;
use crate::node::{Node, NodeState};
use crate::open_error::OpenError;
use crate::sentinel::Sentinel;
use crate::settings::NodeSettings;
use crate::topology::Topology;

/// Sets the store's markers; independent servers have identities instead.
pub(crate) async fn look_for_losses(
    topology: &Arc<Topology>,
    until: Instant,
) -> Result<Option<Task>, OpenError> {
    let registry = topology.route(topology.registry());
    let registry = registry.map_err(OpenError::Unreachable)?;
    let at_registry = |why: &str| format!("{}: {why}", registry.address());
    let link = match registry.answers(until).await {
        NodeState::Up(link) => link,
        NodeState::Absent(absence) if absence.is_refused => {
            return Err(OpenError::Refused(at_registry(&absence.why)));
        }
        NodeState::Absent(absence) => {
            return Err(OpenError::Unreachable(at_registry(&absence.why)));
        }
        NodeState::Unknown => return Err(OpenError::Unreachable(at_registry("no answer"))),
    };
    if matches!(**topology, Topology::Independent(_)) {
        return Ok(None);
    }
    let detector = LossDetector::open(topology, &link).await;
    let detector =
        detector.map_err(|error| OpenError::Unreachable(at_registry(&error.to_string())))?;
    let looking = detector.keep_looking(topology.clone());
    Ok(Some(Task::spawn(looking)))
}

pub(crate) async fn open_topology(
    dial: &Arc<Dial>,
    url: &RedisUrl,
    settings: &NodeSettings,
    until: Instant,
) -> Result<Topology, OpenError> {
    let addresses = &url.addresses;
    match (&url.kind, addresses.as_slice()) {
        (UrlKind::Servers, [address]) => {
            let node = Node::start(dial, address.clone(), None);
            Ok(Topology::One(Arc::new(node)))
        }
        (UrlKind::Servers, _) => {
            let accept_empty = accept_empty(settings)?;
            let servers = Independent::open(dial, addresses, &accept_empty, until).await?;
            Ok(Topology::Independent(servers))
        }
        (UrlKind::Cluster, _) => {
            let cluster = Cluster::open(dial, addresses, until).await;
            cluster
                .map(Topology::Cluster)
                .map_err(OpenError::Unreachable)
        }
        (UrlKind::Sentinel(name), _) => {
            let sentinel = Sentinel::open(dial, addresses, name, until).await;
            sentinel
                .map(Topology::Sentinel)
                .map_err(OpenError::Unreachable)
        }
    }
}

fn accept_empty(settings: &NodeSettings) -> Result<Vec<Address>, OpenError> {
    let addresses = settings.accept_empty.iter().map(|text| {
        Address::parse(text, crate::redis_link::PORT)
            .map_err(|why| OpenError::Setting(format!("accept_empty: {text:?}: {why}")))
    });
    addresses.collect()
}
