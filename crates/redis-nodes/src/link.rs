//! A node that is connected: [`Link`], to one process with one history.
//!
//! A new link is opened whenever a connection, the role or the history of the node changes, so that
//! what it says about the node stays true.
//!
//! Reads and probes have a separate connection, which no queue of writes delays; each connection
//! has a [`Backlog`]. A write waits for its reply as long as the node replies at all, also past its
//! deadline: the function itself rejects late calls.

use std::sync::Arc;
use std::time::Duration;

use crate::redis_link::{Address, CommandError, Connection, Reply, SILENCE, Value, reply};
use bytes::Bytes;
use parking_lot::Mutex;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use crate::acks::Acks;
use crate::backlog::{Backlog, Permit};
use crate::call::{Call, Effect};
use crate::dial::Dial;
use crate::info::Info;
use crate::library::FunctionLibrary;
use crate::node_clock::NodeClock;
use crate::probe::{NoLink, ask_clock, ask_info, check, check_cluster, check_format};
use crate::script_free::{Lease, SESSIONS_MAX, ScriptFree};
use crate::settings::Writes;

/// How often a node is probed.
const PROBE_EVERY: Duration = Duration::from_secs(1);

/// The maximum time of a probe, after which the node counts as unavailable.
const PROBE_MAX: Duration = Duration::from_secs(10);

/// The minimum time that calls other than writes wait for a reply after they were sent.
const READ_MIN: Duration = Duration::from_millis(50);

/// The minimum time that calls that may already be applied wait for a reply past their deadline: as
/// long as a node may be silent.
pub(crate) const IN_DOUBT_MIN: Duration = SILENCE;

/// A connected node.
#[derive(Debug)]
pub(crate) struct Link {
    address: Address,
    reads: Channel,
    writes: Channel,
    /// The node as it was when the link was opened.
    info: Info,
    clock: Mutex<NodeClock>,
    acks: Acks,
    /// Runs the functions if the node does not.
    script_free: Option<Arc<ScriptFree>>,
    library: &'static FunctionLibrary,
}

/// A connection, and the work that waits for it.
#[derive(Debug)]
struct Channel {
    connection: Arc<Connection>,
    backlog: Arc<Backlog>,
}

impl Channel {
    fn new(connection: Connection, address: &Address, writes: Writes) -> Self {
        let calls_max = (writes == Writes::ScriptFree).then_some(SESSIONS_MAX);
        Self {
            connection: Arc::new(connection),
            backlog: Backlog::new(address, calls_max),
        }
    }

    /// Ends the connection: callers that wait for a reply, or to send, fail at once.
    fn end(&self) {
        self.connection.end();
        self.backlog.close();
    }
}

/// A call that may be sent now.
#[derive(Debug)]
pub(crate) struct Admitted {
    permit: Permit,
    /// The session of the call, if the node runs no functions.
    lease: Option<Lease>,
}

/// The result of a function, and the session of its writes.
#[derive(Debug)]
pub(crate) struct CallReply {
    pub(crate) payload: Bytes,
    /// The separate connection of a session.
    lease: Option<Lease>,
}

impl Link {
    /// Connects to a primary that has what is needed.
    pub(crate) async fn open(dial: &Dial, address: &Address) -> Result<Self, NoLink> {
        let reads = Connection::open(&dial.options, address)
            .await
            .map_err(NoLink::because)?;
        let asked = Instant::now();
        let info = ask_info(&reads, None).await?;
        let trip = asked.elapsed();
        check(dial, &info)?;
        if dial.is_for_cluster {
            check_cluster(&reads).await?;
        }
        check_format(&reads).await?;
        let clock = ask_clock(&reads, None).await?;
        let writes = Connection::open(&dial.options, address)
            .await
            .map_err(NoLink::because)?;
        let channel_of = |connection| Channel::new(connection, address, dial.writes);
        let (reads, writes) = (channel_of(reads), channel_of(writes));
        let script_free = (dial.writes == Writes::ScriptFree)
            .then(|| Arc::new(ScriptFree::new(dial, address, &info)));
        let link = Self {
            script_free,
            library: dial.library,
            address: address.clone(),
            acks: Acks::new(writes.connection.clone(), Some(writes.backlog.clone())),
            reads,
            writes,
            info,
            clock: Mutex::new(clock),
        };
        link.saw_trip(trip);
        link.saw_trip(clock.trip());
        link.load_at_first().await?;
        Ok(link)
    }

    pub(crate) fn address(&self) -> &Address {
        &self.address
    }

    /// Returns the message of an error of this node.
    pub(crate) fn failure(&self, error: &CommandError) -> String {
        format!("{}: {error}", self.address)
    }

    pub(crate) fn info(&self) -> &Info {
        &self.info
    }

    pub(crate) fn epoch(&self) -> u64 {
        self.info.epoch()
    }

    /// Returns the node's clock, as it was read last.
    pub(crate) fn clock(&self) -> NodeClock {
        *self.clock.lock()
    }

    /// Returns how many replicas have the writes with a reply: at least `wanted`, or as many as
    /// there are after a while.
    pub(crate) async fn count_acks(
        &self,
        reply: &mut CallReply,
        wanted: u32,
    ) -> Result<u32, CommandError> {
        match &mut reply.lease {
            Some(lease) => lease.count(wanted).await,
            None => self.acks.count(wanted).await,
        }
    }

    /// Returns since when calls that read, and probes, have been waiting while no reply to any of them arrived.
    pub(crate) fn silent_since(&self) -> Option<Instant> {
        self.reads.connection.silent_since()
    }

    /// Returns whether the link ended because the node did not reply.
    pub(crate) fn ended_silent(&self) -> bool {
        self.channels()
            .any(|channel| channel.connection.ended_silent())
    }

    /// Returns whether the node runs functions itself: then none is applied past its deadline.
    pub(crate) fn has_functions(&self) -> bool {
        self.script_free.is_none()
    }

    /// Returns how many conflicts calls without scripts had with other writes, and how often they
    /// waited for replies.
    pub(crate) fn spent(&self) -> (u64, u64) {
        self.script_free
            .as_ref()
            .map_or((0, 0), |calls| calls.spent())
    }

    /// Completes when the link cannot be used any more, and returns why. Then it is ended.
    pub(crate) async fn watch(&self) -> String {
        let why = tokio::select! {
            why = self.reads.connection.ended() => why.to_string(),
            why = self.writes.connection.ended() => why.to_string(),
            why = self.probe_until_bad() => why,
        };
        self.end();
        why
    }

    /// Ends the link.
    fn end(&self) {
        self.reads.end();
        self.writes.end();
        if let Some(script_free) = &self.script_free {
            script_free.end();
        }
    }

    async fn probe_until_bad(&self) -> String {
        loop {
            sleep(PROBE_EVERY).await;
            match timeout(PROBE_MAX, self.probe()).await {
                Ok(Ok(None)) => {}
                Ok(Ok(Some(why))) => return why,
                Ok(Err(error)) => return error.to_string(),
                Err(_) => return "no answer to a probe in time".to_owned(),
            }
        }
    }

    async fn probe(&self) -> Result<Option<String>, CommandError> {
        let reads = &self.reads.connection;
        let info = ask_info(reads, Some("replication")).await?;
        if !info.is_primary() {
            return Ok(Some("it is no longer a primary".to_owned()));
        }
        if info.history != self.info.history {
            return Ok(Some("it restarted or was promoted".to_owned()));
        }
        // The reply would wait behind what is under way: load would be taken for distance. From time to time nothing
        // is, for a round trip: BBR does the same.
        let writes_drained = self.writes.backlog.drained().await;
        let reads_drained = self.reads.backlog.drained().await;
        let is_idle = (writes_drained.is_some() || self.writes.backlog.is_idle())
            && (reads_drained.is_some() || self.reads.backlog.is_idle());
        let asked = Instant::now();
        let clock = ask_clock(reads, Some(self.clock())).await?;
        if is_idle {
            self.saw_trip(asked.elapsed());
        }
        *self.clock.lock() = clock;
        Ok(None)
    }

    fn channels(&self) -> impl Iterator<Item = &Channel> {
        [&self.reads, &self.writes].into_iter()
    }

    /// Records the time of a reply that needed no work of the node.
    fn saw_trip(&self, trip: Duration) {
        for channel in self.channels() {
            channel.backlog.saw_trip(trip);
        }
    }

    /// Returns the longest recent round trip, and how long the node needs for what waits or is under way.
    pub(crate) fn distance_and_load(&self) -> (Duration, Duration) {
        let load = self.channels().map(|channel| channel.backlog.wait());
        (self.reads.backlog.trip(), load.max().unwrap_or_default())
    }

    fn channel(&self, effect: Effect) -> &Channel {
        match effect {
            Effect::Read | Effect::Volatile => &self.reads,
            Effect::Write => &self.writes,
        }
    }

    /// Returns the backlog for calls with this effect.
    pub(crate) fn backlog(&self, effect: Effect) -> &Arc<Backlog> {
        &self.channel(effect).backlog
    }

    /// Waits until a call may be sent. With `in_doubt` it may already be applied: it waits past its
    /// deadline.
    pub(crate) async fn admit(
        &self,
        call: &Call,
        in_doubt: bool,
    ) -> Result<Admitted, CommandError> {
        let until = if in_doubt {
            call.until.max(Instant::now() + IN_DOUBT_MIN)
        } else {
            call.until
        };
        let backlog = self.backlog(call.effect);
        let permit = backlog.enter(call.weight(), until, in_doubt).await?;
        let lease = match &self.script_free {
            Some(script_free) => Some(script_free.lease(call.effect, until).await?),
            None => None,
        };
        Ok(Admitted { permit, lease })
    }

    /// Calls a function; with `asking` while its slot is still migrating to the node.
    pub(crate) async fn fcall(
        &self,
        call: &Call,
        asking: bool,
        admitted: Admitted,
    ) -> Result<CallReply, CommandError> {
        let Admitted { permit, lease } = admitted;
        if let Some((script_free, lease)) = self.script_free.clone().zip(lease) {
            let (call, args) = (call.clone(), self.function_args(call));
            let (until, effect) = (call.until, call.effect);
            // A separate task, which continues when its caller has gone: the session stays usable,
            // and the pace reflects how slow the node is.
            let called = tokio::spawn(async move {
                let called = script_free.call(&call, &args, lease).await;
                permit.ended(&called);
                called
            });
            let (payload, lease) = within_deadline(until, effect, called).await?;
            let lease = Some(lease);
            return Ok(CallReply { payload, lease });
        }
        let connection = self.channel(call.effect).connection.clone();
        let args = self.args(call);
        // A separate task: the call is under way until the node replies, also when its caller has
        // gone.
        let answer = tokio::spawn(async move {
            let answer = fcall_over(&connection, asking, args).await;
            permit.ended(&answer);
            answer
        });
        let payload = within_deadline(call.until, call.effect, answer).await?;
        let lease = None;
        Ok(CallReply { payload, lease })
    }

    fn args(&self, call: &Call) -> Vec<Value> {
        let given = self.function_args(call);
        let mut args = Vec::with_capacity(call.keys.len() + given.len() + 2);
        args.push(Value::from(self.library.function(call.function)));
        args.push(Value::from(call.keys.len().to_string()));
        args.extend(call.keys.iter().cloned().map(Value::Bytes));
        args.extend(given.into_iter().map(Value::Bytes));
        args
    }

    /// Returns the arguments of the function after its keys.
    fn function_args(&self, call: &Call) -> Vec<Bytes> {
        let mut args = Vec::with_capacity(call.args.len() + 1);
        if call.effect != Effect::Read {
            // Functions compare milliseconds.
            let deadline = self.clock.lock().at(call.until) / 1_000;
            args.push(Bytes::from(deadline.to_string()));
        }
        args.extend(call.args.iter().cloned());
        args
    }

    /// Sends a command of our own to the node.
    pub(crate) async fn send(
        &self,
        command: &'static str,
        args: &[&str],
    ) -> Result<Reply, CommandError> {
        let args = args.iter().map(|arg| Value::from(*arg)).collect();
        self.reads.connection.send(command, args).await
    }

    /// Loads our functions, unless they are there or are not needed.
    pub(crate) async fn load(&self) -> Result<(), CommandError> {
        if !self.has_functions() {
            return Ok(());
        }
        let source = self.library.source();
        match self.send("FUNCTION", &["LOAD", source]).await {
            Err(CommandError::Redis(words)) if words.contains("already exists") => Ok(()),
            Err(CommandError::Redis(words)) if words.starts_with("NOPERM") => {
                Err(CommandError::Redis(format!(
                    "{words} (where functions may not be used: writes = \"script-free\" under [redis])"
                )))
            }
            answer => answer.map(drop),
        }
    }

    /// A node that accepts no writes now may have our functions: the first call will show that.
    async fn load_at_first(&self) -> Result<(), NoLink> {
        match self.load().await {
            Err(CommandError::Redis(words)) if !words.starts_with("LOADING") => {
                tracing::warn!(node = %self.address, "functions are not loaded: {words}");
                Ok(())
            }
            answer => Ok(answer?),
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.end();
    }
}

/// Waits for a write until it has a reply or its connection ends, since it may be applied; for
/// other calls until their deadline.
async fn within_deadline<T>(
    until: Instant,
    effect: Effect,
    answer: JoinHandle<Result<T, CommandError>>,
) -> Result<T, CommandError> {
    let answer = match effect {
        Effect::Write => answer.await,
        Effect::Read | Effect::Volatile => {
            let until = until.max(Instant::now() + READ_MIN);
            let answer = timeout_at(until, answer).await;
            answer.map_err(|_| CommandError::Lost("no answer in time".to_owned()))?
        }
    };
    // Its task was ended with the server, or has panicked, which the log reports.
    answer.unwrap_or_else(|_| {
        Err(CommandError::Lost(
            "the call was cut off in this server".to_owned(),
        ))
    })
}

async fn fcall_over(
    connection: &Connection,
    asking: bool,
    args: Vec<Value>,
) -> Result<Bytes, CommandError> {
    if asking {
        return connection.send_asking("FCALL", args).await;
    }
    let reply = connection.send("FCALL", args).await?;
    let lost = || CommandError::Lost("the reply is not one of a function".to_owned());
    reply::bytes(&reply).cloned().ok_or_else(lost)
}
