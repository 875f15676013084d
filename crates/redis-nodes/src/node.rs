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
use crate::redis_link::Address;
use crate::redis_link::Backoff;
use crate::redis_link::SILENCE;
use crate::redis_link::Task;

/// The first and the longest pause between attempts to connect.
const RECONNECT_PAUSES: (Duration, Duration) =
    (Duration::from_millis(20), Duration::from_millis(500));

/// The minimum duration of a link after which the next attempt follows at once.
const STEADY: Duration = Duration::from_secs(5);

/// The state of a node.
#[derive(Debug, Clone)]
pub(crate) enum State {
    /// Unknown yet.
    Unknown,
    Up(Arc<Link>),
    /// It does not reply.
    Down(Absence),
    /// It replies, but cannot be used.
    Refused(Absence),
}

/// Why a node has no link, and since when.
#[derive(Debug, Clone)]
pub(crate) struct Absence {
    pub(crate) why: Arc<str>,
    pub(crate) since: Instant,
    /// Whether its last link ended because it sent no replies.
    pub(crate) is_silent: bool,
}

/// A node.
#[derive(Debug)]
pub(crate) struct Node {
    address: Address,
    state: watch::Receiver<State>,
    metrics: Arc<NodeMetrics>,
    _keeper: Task,
}

impl Node {
    /// Begins to connect. With `expected`, only a server of that identity is accepted.
    pub(crate) fn start(dial: &Arc<Dial>, address: Address, expected: Option<Expected>) -> Self {
        let (sender, state) = watch::channel(State::Unknown);
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
            state,
            metrics,
            _keeper: Task::spawn(keeper.keep()),
        }
    }

    pub(crate) fn address(&self) -> &Address {
        &self.address
    }

    /// Returns its metrics.
    pub(crate) const fn metrics(&self) -> &Arc<NodeMetrics> {
        &self.metrics
    }

    pub(crate) fn state(&self) -> State {
        self.state.borrow().clone()
    }

    pub(crate) fn link(&self) -> Option<Arc<Link>> {
        match &*self.state.borrow() {
            State::Up(link) => Some(link.clone()),
            _ => None,
        }
    }

    /// Returns why it has no link, if it has none.
    pub(crate) fn trouble(&self) -> Option<String> {
        match self.state() {
            State::Up(_) => None,
            State::Unknown => Some("not yet connected".to_owned()),
            State::Down(absence) | State::Refused(absence) => Some(absence.why.to_string()),
        }
    }

    /// Returns since when it has sent no replies though calls wait for one; without a link, since when that is if its
    /// last one ended for this reason.
    pub(crate) fn silent_since(&self) -> Option<Instant> {
        match &*self.state.borrow() {
            State::Up(link) => link.silent_since(),
            State::Down(absence) if absence.is_silent => Some(absence.since - SILENCE),
            State::Unknown | State::Down(_) | State::Refused(_) => None,
        }
    }

    /// Returns since when it is known to have no link.
    pub(crate) fn absent_since(&self) -> Option<Instant> {
        match &*self.state.borrow() {
            State::Up(_) | State::Unknown => None,
            State::Down(absence) | State::Refused(absence) => Some(absence.since),
        }
    }

    /// Waits until its state is known, or until a deadline.
    pub(crate) async fn settled(&self, until: Instant) -> State {
        let mut state = self.state.clone();
        let known = state.wait_for(|state| !matches!(state, State::Unknown));
        match timeout_at(until, known).await {
            Ok(Ok(state)) => state.clone(),
            _ => self.state(),
        }
    }

    /// Waits until it has a link or cannot be used, or until a deadline.
    pub(crate) async fn answers(&self, until: Instant) -> State {
        let mut state = self.state.clone();
        let answers = state.wait_for(|state| matches!(state, State::Up(_) | State::Refused(_)));
        match timeout_at(until, answers).await {
            Ok(Ok(state)) => state.clone(),
            _ => self.state(),
        }
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
    state: watch::Sender<State>,
}

impl Keeper {
    async fn keep(self) {
        let new_pause = || Backoff::new(RECONNECT_PAUSES.0, RECONNECT_PAUSES.1);
        let mut pause = new_pause();
        loop {
            let begun = Instant::now();
            let why = self.connect_and_watch().await;
            self.report(why, begun);
            if begun.elapsed() >= STEADY {
                pause = new_pause();
            }
            sleep(pause.next_pause()).await;
        }
    }

    async fn connect_and_watch(&self) -> NoLink {
        let (link, mut ends) = match Link::open(&self.dial, &self.address).await {
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
        self.state.send_replace(State::Up(link.clone()));
        NoLink::Down(link.watch(&mut ends).await)
    }

    /// Logs why there is no link, once for each reason. The attempt to connect began at `begun`.
    fn report(&self, none: NoLink, begun: Instant) {
        self.state.send_if_modified(|state| {
            let (refused, why) = match none {
                NoLink::Down(why) => (false, why),
                NoLink::Refused(why) => (true, why),
            };
            let known = match state {
                State::Down(known) => !refused && *known.why == *why,
                State::Refused(known) => refused && *known.why == *why,
                State::Unknown | State::Up(_) => false,
            };
            if known {
                return false;
            }
            let (since, is_silent) = match state {
                State::Down(known) | State::Refused(known) => (known.since, known.is_silent),
                State::Unknown => (begun, false),
                State::Up(link) => (Instant::now(), link.ended_silent()),
            };
            let absence = Absence {
                why: why.into(),
                since,
                is_silent,
            };
            let why = &absence.why;
            if refused {
                tracing::error!(node = %self.address, "refused: {why}");
                *state = State::Refused(absence);
            } else {
                tracing::warn!(node = %self.address, "not connected: {why}");
                *state = State::Down(absence);
            }
            true
        });
    }
}
