//! Detects lost data: the [`LossDetector`] keeps keys, its markers, that always exist, so that a
//! node without one of them has lost its data.
//!
//! It only logs the loss and sets the marker again; readers see by the epoch of replies that data
//! was lost.

use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::time::sleep;

use crate::call::Location;
use crate::keys::{self, FORMAT};
use crate::link::Link;
use crate::redis_link::{CommandError, reply};
use crate::tags::{SLOTS, tag_of};
use crate::topology::Topology;

/// The number of markers over the slots of a cluster, evenly spaced.
const CLUSTER_MARKERS: u16 = 64;

/// How often it checks for nodes that have restarted.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The markers of a store.
#[derive(Debug)]
pub(crate) struct LossDetector {
    /// The store's identity, which each marker contains.
    store: String,
    markers: Vec<Marker>,
}

#[derive(Debug)]
struct Marker {
    location: Location,
    key: String,
}

impl LossDetector {
    /// Reads the store's identity, or creates it.
    pub(crate) async fn open(topology: &Topology, link: &Link) -> Result<Self, CommandError> {
        let key = String::from_utf8_lossy(&keys::store()).into_owned();
        let drawn = format!("{FORMAT}{:016x}", getrandom::u64().unwrap_or_default());
        let is_new = put(link, &key, &drawn).await?;
        let stored = link.send("GET", &[&key]).await?;
        let store = reply::text(&stored).unwrap_or(&drawn).to_owned();
        let mut markers = vec![Marker {
            location: location(keys::registry_slot()),
            key,
        }];
        if matches!(topology, Topology::Cluster(_)) {
            let apart = SLOTS / CLUSTER_MARKERS;
            markers.extend((0..CLUSTER_MARKERS).map(|at| Marker {
                location: location(at * apart),
                key: format!("megaboard:{{{}}}:mark", tag_of(at * apart)),
            }));
        }
        let detector = Self { store, markers };
        if is_new {
            for marker in &detector.markers {
                let node = topology.route(marker.location).ok();
                if let Some(link) = node.and_then(|node| node.link()) {
                    // A marker that cannot be set now is set, and reported, at the next check.
                    let _ = put(&link, &marker.key, &detector.store).await;
                }
            }
        }
        Ok(detector)
    }

    /// Checks each node that has restarted, as long as the store exists.
    pub(crate) async fn keep_looking(self, topology: Arc<Topology>) {
        let mut seen = HashMap::new();
        loop {
            self.look(&topology, &mut seen).await;
            sleep(LOOK_EVERY).await;
        }
    }

    async fn look(&self, topology: &Topology, seen: &mut HashMap<String, Weak<Link>>) {
        seen.retain(|_, link| link.strong_count() > 0);
        for node in topology.nodes() {
            let Some(link) = node.link() else { continue };
            let name = node.address().to_string();
            let last = seen.get(&name).and_then(Weak::upgrade);
            if last.is_some_and(|last| Arc::ptr_eq(&last, &link)) {
                continue;
            }
            if self.look_at(topology, &link).await.is_ok() {
                seen.insert(name, Arc::downgrade(&link));
            }
        }
    }

    async fn look_at(&self, topology: &Topology, link: &Link) -> Result<(), CommandError> {
        let mut lacking = 0;
        for marker in &self.markers {
            let owner = topology.route(marker.location);
            if owner.is_ok_and(|owner| owner.address() == link.address()) {
                match put(link, &marker.key, &self.store).await {
                    Ok(was_lacking) => lacking += usize::from(was_lacking),
                    // The slot is migrating, or has migrated to another node.
                    Err(CommandError::Redis(_)) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        if lacking > 0 {
            let node = link.address();
            tracing::error!(%node, "has lost its data: boards lost what they had there");
        }
        Ok(())
    }
}

const fn location(slot: u16) -> Location {
    Location { slot, server: None }
}

/// Sets a marker if it does not exist. Returns whether it did not.
async fn put(link: &Link, key: &str, store: &str) -> Result<bool, CommandError> {
    let answer = link.send("SET", &[key, store, "NX"]).await?;
    Ok(!reply::is_null(&answer))
}
