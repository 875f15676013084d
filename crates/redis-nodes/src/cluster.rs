//! A cluster: [`Cluster`] knows which node has which slot, and reads that again when it changes.
//!
//! fred's own cluster routing is not used: it mistakes stored text for redirections, and one node
//! that hangs delays the others.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::redis_link::{Address, CommandError, ConnectOptions, Connection, Reply, Task, Value};
use arc_swap::ArcSwap;
use futures::FutureExt as _;
use futures::future::{BoxFuture, select_ok};
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout};

use crate::dial::Dial;
use crate::link::Link;
use crate::node::Node;
use crate::slots::SlotMap;

/// How often the map of slots is read without a reason.
const REFRESH_EVERY: Duration = Duration::from_secs(5);

/// The minimum time between two readings.
const REFRESH_APART: Duration = Duration::from_millis(50);

/// The timeout of reading the map from one node.
const REFRESH_TIMEOUT: Duration = Duration::from_secs(1);

/// The number of nodes from which the map is read at once.
const ASKED_AT_ONCE: usize = 3;

/// How long the connection to a node without slots is kept after its last use.
const STRAY_KEPT: Duration = Duration::from_mins(1);

/// The nodes of a cluster.
#[derive(Debug)]
pub(crate) struct Cluster {
    inner: Arc<Inner>,
    _refresher: Task,
}

#[derive(Debug)]
struct Inner {
    dial: Arc<Dial>,
    seeds: Vec<Address>,
    routes: ArcSwap<Routes>,
    /// Nodes that redirections named and that the map does not: slots are migrating to them.
    strays: Mutex<HashMap<Address, Stray>>,
    stale: Notify,
    /// The address of a node that may have a newer map.
    hint: Mutex<Option<Address>>,
    next_asked: AtomicUsize,
}

#[derive(Debug)]
struct Routes {
    map: SlotMap,
    /// The nodes of the map's primaries, in its order.
    nodes: Vec<Arc<Node>>,
}

#[derive(Debug)]
struct Stray {
    node: Arc<Node>,
    needed: Instant,
}

impl Cluster {
    /// Finds the nodes, until a deadline.
    pub(crate) async fn open(
        dial: &Arc<Dial>,
        seeds: &[Address],
        until: Instant,
    ) -> Result<Self, String> {
        let inner = Arc::new(Inner {
            dial: dial.clone(),
            seeds: seeds.to_vec(),
            routes: ArcSwap::from_pointee(Routes {
                map: SlotMap::empty(),
                nodes: Vec::new(),
            }),
            strays: Mutex::default(),
            stale: Notify::new(),
            hint: Mutex::default(),
            next_asked: AtomicUsize::new(0),
        });
        while let Err(why) = inner.refresh().await {
            if Instant::now() >= until {
                return Err(why);
            }
            sleep(REFRESH_APART).await;
        }
        let refresher = Task::spawn(inner.clone().keep_fresh());
        Ok(Self {
            inner,
            _refresher: refresher,
        })
    }

    /// Returns the node of a slot.
    pub(crate) fn route(&self, slot: u16) -> Result<Arc<Node>, String> {
        let routes = self.inner.routes.load();
        let owner = routes.map.owner(slot);
        let node = owner.and_then(|owner| routes.nodes.get(owner)).cloned();
        node.ok_or_else(|| format!("no node has slot {slot}"))
    }

    /// Returns the node at an address that a redirection named.
    pub(crate) fn at(&self, address: &Address) -> Arc<Node> {
        self.inner.at(address)
    }

    /// Has the map read again; `hint` may have a newer one.
    pub(crate) fn stale(&self, hint: Option<Address>) {
        if hint.is_some() {
            *self.inner.hint.lock() = hint;
        }
        self.inner.stale.notify_one();
    }

    /// Returns each primary.
    pub(crate) fn nodes(&self) -> Vec<Arc<Node>> {
        self.inner.routes.load().nodes.clone()
    }

    /// Returns the number of slots without a node.
    pub(crate) fn uncovered(&self) -> usize {
        self.inner.routes.load().map.uncovered()
    }
}

impl Inner {
    async fn keep_fresh(self: Arc<Self>) {
        loop {
            // Either is a reason.
            let _ = timeout(REFRESH_EVERY, self.stale.notified()).await;
            if let Err(why) = self.refresh().await {
                tracing::warn!("the map of slots could not be read: {why}");
            }
            sleep(REFRESH_APART).await;
        }
    }

    async fn refresh(&self) -> Result<(), String> {
        let map = self.read_map().await?;
        let routes = self.routes.load();
        self.forget_strays(&map);
        if map == routes.map {
            return Ok(());
        }
        let node = |address: &Address| self.take(&routes, address);
        let nodes = map.primaries.iter().map(node).collect();
        self.routes.store(Arc::new(Routes { map, nodes }));
        Ok(())
    }

    /// Returns the node at an address: the existing one, or a new one.
    fn take(&self, routes: &Routes, address: &Address) -> Arc<Node> {
        let known = routes.nodes.iter().find(|node| node.address() == address);
        if let Some(known) = known {
            return known.clone();
        }
        if let Some(stray) = self.strays.lock().remove(address) {
            return stray.node;
        }
        Arc::new(Node::start(&self.dial, address.clone(), None))
    }

    fn at(&self, address: &Address) -> Arc<Node> {
        let routes = self.routes.load();
        let known = routes.nodes.iter().find(|node| node.address() == address);
        if let Some(known) = known {
            return known.clone();
        }
        let mut strays = self.strays.lock();
        let stray = strays.entry(address.clone()).or_insert_with(|| Stray {
            node: Arc::new(Node::start(&self.dial, address.clone(), None)),
            needed: Instant::now(),
        });
        stray.needed = Instant::now();
        stray.node.clone()
    }

    fn forget_strays(&self, map: &SlotMap) {
        let mut strays = self.strays.lock();
        strays.retain(|address, stray| {
            stray.needed.elapsed() < STRAY_KEPT || map.primaries.contains(address)
        });
    }

    /// Reads the map from the node of the redirection, then from nodes that are connected, then
    /// from all others.
    async fn read_map(&self) -> Result<SlotMap, String> {
        let hint = self.hint.lock().take();
        let hinted = hint.and_then(|address| self.at(&address).link());
        if let Some(link) = hinted
            && let Ok(map) = map_of_link(link).await
        {
            return Ok(map);
        }
        let routes = self.routes.load_full();
        let mut links: Vec<_> = routes.nodes.iter().filter_map(|node| node.link()).collect();
        if !links.is_empty() {
            let first = self.next_asked.fetch_add(1, Ordering::Relaxed) % links.len();
            links.rotate_left(first);
            links.truncate(ASKED_AT_ONCE);
            let asked = links.into_iter().map(|link| map_of_link(link).boxed());
            if let Ok((map, _)) = select_ok(asked).await {
                return Ok(map);
            }
        }
        let mut addresses: Vec<&Address> = self.seeds.iter().collect();
        addresses.extend(&routes.map.primaries);
        addresses.sort_unstable();
        addresses.dedup();
        let asked = addresses.into_iter().map(|address| -> BoxFuture<'_, _> {
            async move {
                let map = map_at(&self.dial, address).await;
                map.map_err(|why| format!("{address}: {why}"))
            }
            .boxed()
        });
        select_ok(asked).await.map(|(map, _)| map)
    }
}

async fn map_of_link(link: Arc<Link>) -> Result<SlotMap, String> {
    let answer = timeout(REFRESH_TIMEOUT, link.send("CLUSTER", &["SLOTS"])).await;
    map_of(answer.unwrap_or_else(late), link.address())
}

/// Reads the map from a node that may be a replica, over a separate connection.
async fn map_at(dial: &Dial, address: &Address) -> Result<SlotMap, String> {
    let options = ConnectOptions {
        silence: REFRESH_TIMEOUT,
        ..dial.options.clone()
    };
    let connection = Connection::open(&options, address).await?;
    let args = vec![Value::from("SLOTS")];
    let answer = connection.send("CLUSTER", args).await;
    map_of(answer, address)
}

fn late<T>(_: tokio::time::error::Elapsed) -> Result<T, CommandError> {
    Err(CommandError::Lost("no answer in time".to_owned()))
}

fn map_of(answer: Result<Reply, CommandError>, sender: &Address) -> Result<SlotMap, String> {
    let answer = answer.map_err(|error| error.to_string())?;
    let map = SlotMap::of(&answer, sender).ok_or("the reply to CLUSTER SLOTS is not a slot map")?;
    if map.primaries.is_empty() {
        return Err("no node has any slot".to_owned());
    }
    Ok(map)
}
