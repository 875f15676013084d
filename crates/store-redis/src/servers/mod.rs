//! Where calls go, and how they come to an answer.
//!
//! [`Servers::call`] sends one function call to the node that has its keys, and again until its
//! deadline where that does no harm.
//!
//! ```text
//! Servers ── Topology ── Node, one for each address ── Link, one for each process
//!    │       who has a    keeps a link, makes           functions, clock, epoch,
//!    │       slot         another when it ends          acks ── two Connections (redis-link)
//!    │                                                      └── Backlog: how much is under way
//! Attempts: redirections, retries, the deadline
//! ```
//!
//! A connection does nothing by itself: no reconnecting, no retries, no cluster routing. A node that hangs
//! delays no other node: each has its own task, two connections and two backlogs.

mod acks;
mod attempts;
mod backlog;
mod call;
mod checks;
mod cluster;
mod dial;
mod fault;
mod identity;
mod independent;
mod info;
mod link;
mod marks;
mod metrics;
mod node;
mod node_clock;
mod pace;
mod scan;
mod script_free;
mod sentinel;
mod slots;
mod store_clock;
mod topology;
mod turn;

#[cfg(test)]
mod tests;

use std::sync::{Arc, Weak};
use std::time::Duration;

use board::Timestamp;
use futures::FutureExt as _;
use futures::future::join_all;
use metering::{Collector, DescriptorEncoder, Registry};
use tokio::time::Instant;

use super::settings::RedisSettings;
use attempts::Attempts;
pub(super) use backlog::{Backlog, Gathered};
pub(super) use call::{Answer, Call, CallError, Effect, Place, Refusal, ServerId};
use cluster::Cluster;
use dial::Dial;
use independent::Independent;
use marks::Marks;
use metrics::{ToldNode, encode_nodes};
use node::{Node, State};
use redis_link::Address;
use redis_link::Task;
use redis_link::{RedisUrl, UrlKind};
pub(super) use scan::ScannedKeys;
use sentinel::Sentinel;
use shard_store::StoreError;
use store_clock::StoreClock;
use topology::Topology;

/// How long nodes may take to answer when a store is opened.
const START_TIMEOUT: Duration = Duration::from_secs(10);

/// The first and the longest pause between attempts to reach a node when a store is opened.
const START_PAUSES: (Duration, Duration) = (Duration::from_millis(20), Duration::from_millis(500));

/// A Redis store could not be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// TLS cannot be set up.
    #[error("TLS: {0}")]
    Tls(String),
    /// A setting is none.
    #[error("{0}")]
    Setting(String),
    /// Redis does not answer.
    #[error("Redis cannot be reached: {0}")]
    Unreachable(String),
    /// It answers, and is not to be used as it is.
    #[error("{0}")]
    Refused(String),
}

/// The nodes of a store.
#[derive(Debug)]
pub(super) struct Servers {
    topology: Arc<Topology>,
    acks: u32,
    clock: Arc<StoreClock>,
    _looking: Option<Task>,
    _clock_looking: Task,
}

impl Servers {
    /// Connects, and looks whether the nodes are what they should be.
    pub(super) async fn open(url: &RedisUrl, settings: &RedisSettings) -> Result<Self, OpenError> {
        let until = Instant::now() + START_TIMEOUT;
        // In a box, since so much awaits it.
        Self::open_until(url, settings, until).boxed().await
    }

    /// As [`Servers::open`], waiting for nodes until then.
    async fn open_until(
        url: &RedisUrl,
        settings: &RedisSettings,
        until: Instant,
    ) -> Result<Self, OpenError> {
        let dial = Arc::new(Dial::new(url, settings)?);
        let topology = Arc::new(open_topology(&dial, url, settings, until).await?);
        let nodes = topology.nodes().into_iter().map(|(node, _)| node);
        let nodes: Vec<Arc<Node>> = nodes.collect();
        join_all(nodes.iter().map(|node| node.answers(until))).await;
        for link in nodes.iter().filter_map(|node| node.link()) {
            let checked = checks::check(&link, settings).await;
            checked.map_err(OpenError::Refused)?;
        }
        let looking = look_for_losses(&topology, until).await?;
        let clock = StoreClock::new(topology.clone(), settings.clock_skew_max);
        let clock = Arc::new(clock);
        Ok(Self {
            topology,
            acks: settings.acks,
            _looking: looking,
            _clock_looking: Task::spawn(clock.clone().keep_looking()),
            clock,
        })
    }

    /// The registry's place.
    pub(super) fn registry(&self) -> Place {
        self.topology.registry()
    }

    /// The independent servers that a board created now is spread over; none otherwise.
    pub(super) fn ids(&self) -> Vec<ServerId> {
        match &*self.topology {
            Topology::Independent(servers) => servers.ids(),
            _ => Vec::new(),
        }
    }

    /// The epoch of the process that has a place now, if one is connected.
    pub(super) fn epoch(&self, place: Place) -> Option<u64> {
        let node = self.topology.route(place).ok()?;
        node.link().map(|link| link.epoch())
    }

    /// Whether the node of a place is connected.
    pub(super) fn is_connected(&self, place: Place) -> bool {
        let node = self.topology.route(place);
        node.is_ok_and(|node| node.link().is_some())
    }

    /// The writes that wait for the node of a place, where that is connected.
    pub(super) fn writes_backlog(&self, place: Place) -> Option<Arc<Backlog>> {
        let link = self.topology.route(place).ok()?.link()?;
        Some(link.backlog(Effect::Write).clone())
    }

    /// Refuses a write by this deadline for which no node has time.
    pub(super) fn check_backlogs(&self, until: Instant) -> Result<(), StoreError> {
        let registry = self.writes_backlog(self.registry());
        // Mostly this one has time, and no other is looked at.
        if registry.is_none_or(|backlog| backlog.check(until).is_ok()) {
            return Ok(());
        }
        let nodes = self.topology.nodes().into_iter();
        let mut checked = Ok(());
        for link in nodes.filter_map(|(node, _)| node.link()) {
            checked = link.backlog(Effect::Write).check(until);
            if checked.is_ok() {
                break;
            }
        }
        checked.map_err(StoreError::Overloaded)
    }

    /// Calls a function, again where that does no harm, until its deadline.
    pub(super) async fn call(&self, place: Place, call: &Call) -> Result<Answer, CallError> {
        Attempts::new(self, place, call).run().await
    }

    /// How often calls without scripts met other writes, and how often they waited for answers.
    #[cfg(test)]
    pub(super) fn spent(&self) -> (u64, u64) {
        let nodes = self.topology.nodes().into_iter();
        let links = nodes.filter_map(|(node, _)| node.link());
        links.fold((0, 0), |(conflicts, trips), link| {
            let spent = link.spent();
            (conflicts + spent.0, trips + spent.1)
        })
    }

    /// Whether the process of this replication id is one of the nodes that are connected, or a replica of one.
    pub(super) fn has_node(&self, replication_id: &str) -> bool {
        let nodes = self.topology.nodes().into_iter();
        let mut links = nodes.filter_map(|(node, _)| node.link());
        links.any(|link| link.info().history == replication_id)
    }

    /// Names what is counted of each node.
    pub(super) fn register_metrics(&self, registry: &mut Registry) {
        let nodes = ToldNodes(Arc::downgrade(&self.topology));
        registry.register_collector(Box::new(nodes));
    }

    /// Refuses what goes by this process's clock, while that is wrong.
    pub(super) fn check_clock(&self) -> Result<(), StoreError> {
        let trouble = self.clock.trouble();
        trouble.map_or(Ok(()), |why| Err(StoreError::Unavailable(why)))
    }

    /// The time to go by where this process's clock shows `own`.
    pub(super) fn time(&self, own: Timestamp) -> Timestamp {
        self.clock.time(own)
    }

    /// Whether every place is served and this process's clock is right; if not, what is wrong.
    pub(super) fn ready(&self) -> Result<(), String> {
        let mut troubles = self.topology.troubles();
        troubles.extend(self.clock.trouble());
        if troubles.is_empty() {
            Ok(())
        } else {
            Err(troubles.join("; "))
        }
    }
}

/// The nodes that there are when they are asked for.
#[derive(Debug)]
struct ToldNodes(Weak<Topology>);

impl Collector for ToldNodes {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
        let Some(topology) = self.0.upgrade() else {
            return Ok(());
        };
        let nodes = topology.nodes().into_iter().map(|(node, _)| {
            let clock = node.link().map(|link| link.clock());
            let now = Instant::now();
            let skew_ms = clock.map(|clock| clock.skew_ms(store_clock::own_ms(), now));
            ToldNode::new(node.address(), skew_ms, node.metrics().clone())
        });
        encode_nodes(&mut encoder, &nodes.collect::<Vec<_>>())
    }
}

/// Finds the store's marks; independent servers have identities instead.
async fn look_for_losses(
    topology: &Arc<Topology>,
    until: Instant,
) -> Result<Option<Task>, OpenError> {
    let registry = topology.route(topology.registry());
    let registry = registry.map_err(OpenError::Unreachable)?;
    let told = |why: &str| format!("{}: {why}", registry.address());
    let link = match registry.answers(until).await {
        State::Up(link) => link,
        State::Refused(why) => return Err(OpenError::Refused(told(&why))),
        State::Down(why) => return Err(OpenError::Unreachable(told(&why))),
        State::Unknown => return Err(OpenError::Unreachable(told("no answer"))),
    };
    if matches!(**topology, Topology::Independent(_)) {
        return Ok(None);
    }
    let marks = Marks::open(topology, &link).await;
    let marks = marks.map_err(|fault| OpenError::Unreachable(told(fault.words())))?;
    let looking = marks.keep_looking(topology.clone());
    Ok(Some(Task::spawn(looking)))
}

async fn open_topology(
    dial: &Arc<Dial>,
    url: &RedisUrl,
    settings: &RedisSettings,
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

fn accept_empty(settings: &RedisSettings) -> Result<Vec<Address>, OpenError> {
    let addresses = settings.accept_empty.iter().map(|text| {
        Address::parse(text, redis_link::PORT)
            .map_err(|why| OpenError::Setting(format!("accept_empty: {text:?}: {why}")))
    });
    addresses.collect()
}
