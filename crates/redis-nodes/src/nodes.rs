//! The nodes of a store: [`Nodes`], which takes calls.

use std::sync::Arc;
use std::time::Duration;

use crate::redis_link::{RedisUrl, Task};
use futures::FutureExt as _;
use futures::future::{BoxFuture, join_all};
use metering::Registry;
use tokio::time::{Instant, sleep_until};

use crate::attempts::Attempts;
use crate::backlog::Backlog;
use crate::call::{Call, CallError, Effect, FunctionReply, Location, ServerId};
use crate::checks;
use crate::dial::Dial;
use crate::library::FunctionLibrary;
use crate::link::Link;
use crate::loss_detector::LossDetector;
use crate::metrics::NodeCollector;
use crate::node::NodeState;
use crate::open_error::OpenError;
use crate::scan::KeyScan;
use crate::settings::RedisSettings;
use crate::store_clock::StoreClock;
use crate::topology::Topology;
use shard_store::Overload;

/// How long nodes may take to reply when a store is opened.
const START_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a node may send no reply, while calls wait for one, before it counts as silent. A node that replies
/// within this time is not.
pub(crate) const SILENT_AFTER: Duration = Duration::from_millis(500);

/// The nodes of a store.
#[derive(Debug)]
pub struct Nodes {
    pub(crate) topology: Arc<Topology>,
    settings: RedisSettings,
    clock: Arc<StoreClock>,
    _looking: Option<Task>,
    _clock_looking: Task,
}

impl Nodes {
    /// Connects, and checks whether the nodes can be used.
    #[must_use]
    pub fn open<'a>(
        url: &'a RedisUrl,
        settings: &'a RedisSettings,
        library: &'static FunctionLibrary,
    ) -> BoxFuture<'a, Result<Self, OpenError>> {
        let until = Instant::now() + START_TIMEOUT;
        Self::open_until(url, settings, library, until).boxed()
    }

    /// As [`Nodes::open`], with a deadline for the nodes.
    pub(crate) async fn open_until(
        url: &RedisUrl,
        settings: &RedisSettings,
        library: &'static FunctionLibrary,
        until: Instant,
    ) -> Result<Self, OpenError> {
        let dial = Arc::new(Dial::new(url, settings, library)?);
        let topology = Arc::new(Topology::open(&dial, url, settings, until).await?);
        let nodes = topology.nodes();
        join_all(nodes.iter().map(|node| node.answers(until))).await;
        for link in topology.links() {
            let checked = checks::check(&link, settings).await;
            checked.map_err(OpenError::Refused)?;
        }
        let looking = look_for_losses(&topology, until).await?;
        let clock = StoreClock::new(topology.clone(), settings.clock_skew_max);
        let clock = Arc::new(clock);
        Ok(Self {
            topology,
            settings: settings.clone(),
            _looking: looking,
            _clock_looking: Task::spawn(clock.clone().keep_looking()),
            clock,
        })
    }

    /// Returns the registry's location.
    #[must_use]
    pub fn registry(&self) -> Location {
        self.topology.registry()
    }

    /// Returns the independent servers over which a board that is created now is spread; none on
    /// other topologies.
    #[must_use]
    pub fn ids(&self) -> Vec<ServerId> {
        match &*self.topology {
            Topology::Independent(servers) => servers.ids(),
            _ => Vec::new(),
        }
    }

    /// Returns the epoch of the process that has a location now, if one is connected.
    #[must_use]
    pub fn epoch(&self, location: Location) -> Option<u64> {
        self.link(location).map(|link| link.epoch())
    }

    /// Returns whether the node of a location is connected.
    #[must_use]
    pub fn is_connected(&self, location: Location) -> bool {
        self.link(location).is_some()
    }

    /// Completes when the node of one of these locations is silent: at once, if it is known to be.
    pub async fn silence(&self, locations: &[Location]) {
        loop {
            let silences = locations.iter().filter_map(|location| {
                let node = self.topology.route(*location).ok()?;
                node.silent_since()
            });
            let now = Instant::now();
            let silent_since = silences.min().unwrap_or(now);
            let silent_at = silent_since + SILENT_AFTER;
            if silent_at <= now {
                return;
            }
            sleep_until(silent_at).await;
        }
    }

    /// Returns whether the node of one of these locations has more reads to do than it can be sent.
    #[must_use]
    pub fn has_queue(&self, locations: &[Location]) -> bool {
        locations.iter().any(|location| {
            let link = self.link(*location);
            link.is_some_and(|link| link.backlog(Effect::Read).has_queue())
        })
    }

    /// Returns whether one call may have keys of any slots that are on the same server as this
    /// location: not in a cluster. Without scripts such a call would make its round trips one after
    /// the other.
    #[must_use]
    pub fn takes_any_slot(&self, location: Location) -> bool {
        if matches!(*self.topology, Topology::Cluster(_)) {
            return false;
        }
        let link = self.link(location);
        link.is_some_and(|link| link.has_functions())
    }

    /// Returns the backlog of writes of a location's node, if it is connected.
    #[must_use]
    pub fn writes_backlog(&self, location: Location) -> Option<Arc<Backlog>> {
        Some(self.link(location)?.backlog(Effect::Write).clone())
    }

    /// Returns the node of a location, if it is connected.
    fn link(&self, location: Location) -> Option<Arc<Link>> {
        self.topology.route(location).ok()?.link()
    }

    /// Rejects a write with this deadline if no node has time for it.
    pub fn check_backlogs(&self, until: Instant) -> Result<(), Overload> {
        let registry = self.writes_backlog(self.registry());
        // Mostly the first one has time, and no other is checked.
        if registry.is_none_or(|backlog| backlog.check(until).is_ok()) {
            return Ok(());
        }
        let mut checked = Ok(());
        for link in self.topology.links() {
            checked = link.backlog(Effect::Write).check(until);
            if checked.is_ok() {
                break;
            }
        }
        checked
    }

    /// Calls a function, with retries that do no harm, until its deadline.
    #[must_use]
    pub fn call<'a>(
        &'a self,
        location: Location,
        call: &'a Call,
    ) -> BoxFuture<'a, Result<FunctionReply, CallError>> {
        Attempts::new(&self.topology, &self.settings, location, call)
            .run()
            .boxed()
    }

    /// Returns how many conflicts calls without scripts had with other writes, and how often they
    /// waited for replies.
    #[must_use]
    pub fn spent(&self) -> (u64, u64) {
        let links = self.topology.links();
        links.fold((0, 0), |(conflicts, trips), link| {
            let spent = link.spent();
            (conflicts + spent.0, trips + spent.1)
        })
    }

    /// Returns whether the process of this replication id is one of the connected nodes, or a
    /// replica of one.
    #[must_use]
    pub fn has_node(&self, replication_id: &str) -> bool {
        let mut links = self.topology.links();
        links.any(|link| link.info().history == replication_id)
    }

    /// Registers the metrics of the nodes.
    pub fn register_metrics(&self, registry: &mut Registry) {
        let nodes = NodeCollector(Arc::downgrade(&self.topology));
        registry.register_collector(Box::new(nodes));
    }

    /// Returns an error while this process's clock is wrong.
    pub fn check_clock(&self) -> Result<(), String> {
        self.clock.trouble().map_or(Ok(()), Err)
    }

    /// Returns the time to use when this process's clock shows `own_us`, in microseconds since
    /// 1970.
    #[must_use]
    pub fn time_us(&self, own_us: i64) -> i64 {
        self.clock.time_us(own_us)
    }

    /// Begins to scan the keys of all primaries; fails while one of them is unavailable.
    pub fn scan(&self) -> Result<KeyScan, String> {
        let troubles = self.topology.troubles();
        if !troubles.is_empty() {
            return Err(troubles.join("; "));
        }
        Ok(KeyScan::new(self.topology.links().collect()))
    }

    /// Checks that every location is served and this process's clock is right; otherwise returns
    /// what is wrong.
    pub fn ready(&self) -> Result<(), String> {
        let mut troubles = self.topology.troubles();
        troubles.extend(self.clock.trouble());
        if troubles.is_empty() {
            Ok(())
        } else {
            Err(troubles.join("; "))
        }
    }
}

/// Sets the store's markers; independent servers have identities instead.
async fn look_for_losses(
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
