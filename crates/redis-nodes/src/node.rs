//! One node of a store: [`Node`], an address to which a task keeps a connection.
//!
//! Nothing here waits for an unavailable node: the caller gets the reason, and decides. No two
//! nodes share a task, so that one that hangs delays no other calls.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout_at};

use crate::dial::Dial;
use crate::identity::{self, Expected};
use crate::link::Link;
use crate::metrics::NodeMetrics;
use crate::probe::NoLink;
use crate::redis_link::{Address, Backoff, SILENCE, Task};

/// The first and the longest pause between attempts to connect.
const RECONNECT_PAUSES: (Duration, Duration) =
    (Duration::from_millis(20), Duration::from_millis(500));

/// The minimum duration of a link after which the next attempt follows at once.
const STABLE_AFTER: Duration = Duration::from_secs(5);

/// The state of a node.
#[derive(Debug, Clone)]
pub(crate) enum NodeState {
    /// Unknown yet.
    Unknown,
    Up(Arc<Link>),
    Absent(Absence),
}

/// Why a node has no link, and since when.
#[derive(Debug, Clone)]
pub(crate) struct Absence {
    pub(crate) why: Arc<str>,
    pub(crate) since: Instant,
    /// Whether it replies, but cannot be used. Otherwise it does not reply.
    pub(crate) is_refused: bool,
    /// Whether its last link ended because it sent no replies.
    is_silent: bool,
}

/// A node.
#[derive(Debug)]
pub(crate) struct Node {
    address: Address,
    /// The identity that is expected of it, if one is.
    expected: Option<Expected>,
    state: watch::Receiver<NodeState>,
    metrics: Arc<NodeMetrics>,
    _keeper: Task,
}

impl Node {
    /// Begins to connect. With `expected`, only a server of that identity is accepted.
    pub(crate) fn start(dial: &Arc<Dial>, address: Address, expected: Option<Expected>) -> Self {
        let (sender, state) = watch::channel(NodeState::Unknown);
        let metrics = Arc::new(NodeMetrics::default());
        let keeper = Keeper {
            metrics: metrics.clone(),
            dial: dial.clone(),
            address: address.clone(),
            expected,
            state: sender,
        };
        Self {
            address,
            expected,
            state,
            metrics,
            _keeper: Task::spawn(keeper.keep()),
        }
    }

    pub(crate) fn address(&self) -> &Address {
        &self.address
    }

    /// Returns its address, and its identity if it has one.
    pub(crate) fn title(&self) -> String {
        match &self.expected {
            Some(expected) => format!("{} (server {})", self.address, expected.id),
            None => self.address.to_string(),
        }
    }

    /// Returns its metrics.
    pub(crate) const fn metrics(&self) -> &Arc<NodeMetrics> {
        &self.metrics
    }

    pub(crate) fn state(&self) -> NodeState {
        self.state.borrow().clone()
    }

    pub(crate) fn link(&self) -> Option<Arc<Link>> {
        match &*self.state.borrow() {
            NodeState::Up(link) => Some(link.clone()),
            _ => None,
        }
    }

    /// Returns why it has no link, if it has none.
    pub(crate) fn trouble(&self) -> Option<String> {
        match self.state() {
            NodeState::Up(_) => None,
            NodeState::Unknown => Some("not yet connected".to_owned()),
            NodeState::Absent(absence) => Some(absence.why.to_string()),
        }
    }

    /// Returns since when it has sent no replies though calls wait for one; without a link, since when that is if its
    /// last one ended for this reason.
    pub(crate) fn silent_since(&self) -> Option<Instant> {
        match &*self.state.borrow() {
            NodeState::Up(link) => link.silent_since(),
            NodeState::Absent(absence) if absence.is_silent && !absence.is_refused => {
                Some(absence.since - SILENCE)
            }
            NodeState::Unknown | NodeState::Absent(_) => None,
        }
    }

    /// Returns since when it is known to have no link.
    pub(crate) fn absent_since(&self) -> Option<Instant> {
        match &*self.state.borrow() {
            NodeState::Up(_) | NodeState::Unknown => None,
            NodeState::Absent(absence) => Some(absence.since),
        }
    }

    /// Waits until its state is known, or until a deadline.
    pub(crate) async fn settled(&self, until: Instant) -> NodeState {
        let is_known = |state: &NodeState| !matches!(state, NodeState::Unknown);
        self.wait_for(until, is_known).await
    }

    /// Waits until it has a link or cannot be used, or until a deadline.
    pub(crate) async fn answers(&self, until: Instant) -> NodeState {
        let answers = |state: &NodeState| match state {
            NodeState::Up(_) => true,
            NodeState::Absent(absence) => absence.is_refused,
            NodeState::Unknown => false,
        };
        self.wait_for(until, answers).await
    }

    async fn wait_for(&self, until: Instant, is_met: impl Fn(&NodeState) -> bool) -> NodeState {
        let mut state = self.state.clone();
        // Its sender ends with the node.
        let _ = timeout_at(until, state.wait_for(is_met)).await;
        self.state()
    }

    /// Waits until its state changes, or until a deadline.
    pub(crate) async fn changed(&self, until: Instant) {
        let mut state = self.state.clone();
        state.borrow_and_update();
        // Either ends the wait.
        let _ = timeout_at(until, state.changed()).await;
    }
}

struct Keeper {
    metrics: Arc<NodeMetrics>,
    dial: Arc<Dial>,
    address: Address,
    expected: Option<Expected>,
    state: watch::Sender<NodeState>,
}

impl Keeper {
    async fn keep(self) {
        let new_pause = || Backoff::new(RECONNECT_PAUSES.0, RECONNECT_PAUSES.1);
        let mut pause = new_pause();
        loop {
            let begun = Instant::now();
            let why = self.connect_and_watch().await;
            self.report(why, begun);
            if begun.elapsed() >= STABLE_AFTER {
                pause = new_pause();
            }
            sleep(pause.next_pause()).await;
        }
    }

    async fn connect_and_watch(&self) -> NoLink {
        let link = match Link::open(&self.dial, &self.address).await {
            Ok(opened) => opened,
            Err(none) => return none,
        };
        if let Some(expected) = &self.expected
            && let Err(none) = identity::check(&link, expected).await
        {
            return none;
        }
        let link = Arc::new(link);
        self.metrics.connections.inc();
        tracing::info!(node = %self.address, "connected to Redis {}", link.info().version);
        self.state.send_replace(NodeState::Up(link.clone()));
        NoLink::Down(link.watch().await)
    }

    /// Logs why there is no link, once for each reason. The attempt to connect began at `begun`.
    fn report(&self, none: NoLink, begun: Instant) {
        self.state.send_if_modified(|state| {
            let (is_refused, why) = match none {
                NoLink::Down(why) => (false, why),
                NoLink::Refused(why) => (true, why),
            };
            let (since, is_silent) = match state {
                NodeState::Absent(known)
                    if known.is_refused == is_refused && *known.why == *why =>
                {
                    return false;
                }
                NodeState::Absent(known) => (known.since, known.is_silent),
                NodeState::Unknown => (begun, false),
                NodeState::Up(link) => (Instant::now(), link.ended_silent()),
            };
            if is_refused {
                tracing::error!(node = %self.address, "refused: {why}");
            } else {
                tracing::warn!(node = %self.address, "not connected: {why}");
            }
            *state = NodeState::Absent(Absence {
                why: why.into(),
                since,
                is_refused,
                is_silent,
            });
            true
        });
    }
}
