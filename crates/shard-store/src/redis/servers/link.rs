//! A node that is connected: [`Link`], to one process with one history.
//!
//! It is made anew whenever the connection, the role or the history of the node changes, so that what
//! it says of the node stays true.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use fred::types::Value;
use parking_lot::Mutex;
use tokio::time::{Instant, sleep};

use super::super::address::Address;
use super::super::library::Library;
use super::super::settings::RedisWrites;
use super::acks::Acks;
use super::call::{Call, Effect};
use super::connection::{COMMAND_TIMEOUT, Connection, Ended, Reply};
use super::dial::Dial;
use super::fault::Fault;
use super::info::Info;
use super::node_clock::NodeClock;
use super::reply;
use super::script_free::{Lease, ScriptFree};

/// How often a node is looked at.
const PROBE_EVERY: Duration = Duration::from_secs(1);

/// How long a look may take until the node counts as gone.
const PROBE_TIMEOUT: Duration = Duration::from_secs(2);

/// A connected node.
#[derive(Debug)]
pub(super) struct Link {
    address: Address,
    reads: Arc<Connection>,
    writes: Arc<Connection>,
    /// As it was when the link was made.
    info: Info,
    clock: Mutex<NodeClock>,
    acks: Acks,
    /// Where the node runs no functions, who does.
    script_free: Option<ScriptFree>,
}

/// What a function says, and what its writes went by.
#[derive(Debug)]
pub(super) struct Told {
    pub(super) said: Bytes,
    /// A connection of its own.
    lease: Option<Lease>,
}

/// Why there is no link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NoLink {
    /// The node does not answer as it should.
    Down(String),
    /// It does, and is not one to be used.
    Refused(String),
}

impl NoLink {
    /// Of words that were said when the node was to be spoken to.
    fn because(words: String) -> Self {
        let who_we_are = ["NOAUTH", "WRONGPASS", "NOPERM"];
        if who_we_are.iter().any(|code| words.starts_with(code)) {
            Self::Refused(words)
        } else {
            Self::Down(words)
        }
    }
}

impl From<Fault> for NoLink {
    fn from(fault: Fault) -> Self {
        Self::because(fault.words().to_owned())
    }
}

/// Ends when a connection of the link does.
#[derive(Debug)]
pub(super) struct Ends {
    reads: Ended,
    writes: Option<Ended>,
}

impl Link {
    /// Connects to a primary that has what is needed.
    pub(super) async fn open(dial: &Dial, address: &Address) -> Result<(Self, Ends), NoLink> {
        let (reads, reads_end) = Connection::open(dial, address)
            .await
            .map_err(NoLink::because)?;
        let reads = Arc::new(reads);
        let info = ask_info(&reads, None).await?;
        check(dial, &info)?;
        if dial.is_for_cluster {
            check_cluster(&reads).await?;
        }
        let clock = ask_clock(&reads).await?;
        let (writes, writes_end) = if dial.is_for_acks {
            let (writes, end) = Connection::open(dial, address)
                .await
                .map_err(NoLink::because)?;
            (Arc::new(writes), Some(end))
        } else {
            (reads.clone(), None)
        };
        let script_free =
            (dial.writes == RedisWrites::ScriptFree).then(|| ScriptFree::new(dial, address, &info));
        let link = Self {
            script_free,
            address: address.clone(),
            acks: Acks::new(writes.clone()),
            reads,
            writes,
            info,
            clock: Mutex::new(clock),
        };
        link.load_at_first().await?;
        let ends = Ends {
            reads: reads_end,
            writes: writes_end,
        };
        Ok((link, ends))
    }

    pub(super) fn address(&self) -> &Address {
        &self.address
    }

    pub(super) fn info(&self) -> &Info {
        &self.info
    }

    pub(super) fn epoch(&self) -> u64 {
        self.info.epoch()
    }

    /// The node's clock, as it was read last.
    pub(super) fn clock(&self) -> NodeClock {
        *self.clock.lock()
    }

    /// How many replicas have what was told: `wanted` at least, or as many as there are after a while.
    pub(super) async fn count_acks(&self, told: &mut Told, wanted: u32) -> Result<u32, Fault> {
        match &mut told.lease {
            Some(lease) => lease.count(wanted).await,
            None => self.acks.count(wanted).await,
        }
    }

    /// Whether the node runs functions itself: then none is applied past its deadline.
    pub(super) fn has_functions(&self) -> bool {
        self.script_free.is_none()
    }

    /// How often calls without scripts met other writes, and how often they waited for answers.
    #[cfg(test)]
    pub(super) fn spent(&self) -> (u64, u64) {
        self.script_free.as_ref().map_or((0, 0), ScriptFree::spent)
    }

    /// Until the link is no good any more; answers why. Then it is ended.
    pub(super) async fn watch(&self, ends: &mut Ends) -> String {
        let writes_end = async {
            match &mut ends.writes {
                Some(ended) => drop(ended.await),
                None => std::future::pending().await,
            }
        };
        let why = tokio::select! {
            _ = &mut ends.reads => "the connection ended".to_owned(),
            () = writes_end => "the connection ended".to_owned(),
            why = self.probe_until_bad() => why,
        };
        self.end();
        why
    }

    /// Ends it: who waits for an answer hears of it at once.
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
            match self.probe().await {
                Ok(None) => {}
                Ok(Some(why)) => return why,
                Err(fault) => return fault.words().to_owned(),
            }
        }
    }

    async fn probe(&self) -> Result<Option<String>, Fault> {
        let info = ask_info(&self.reads, Some("replication")).await?;
        if !info.is_primary() {
            return Ok(Some("it is no primary any more".to_owned()));
        }
        if info.history != self.info.history {
            return Ok(Some("it began anew".to_owned()));
        }
        let clock = ask_clock(&self.reads).await?;
        *self.clock.lock() = clock;
        Ok(None)
    }

    /// Calls a function; with `asking` although its slot is still on its way here.
    pub(super) async fn fcall(&self, call: &Call, asking: bool) -> Result<Told, Fault> {
        if let Some(script_free) = &self.script_free {
            let (said, lease) = script_free.call(call, &self.function_args(call)).await?;
            let lease = Some(lease);
            return Ok(Told { said, lease });
        }
        let said = self.fcall_there(call, asking).await?;
        Ok(Told { said, lease: None })
    }

    async fn fcall_there(&self, call: &Call, asking: bool) -> Result<Bytes, Fault> {
        let connection = match call.effect {
            Effect::Read | Effect::Passing => &self.reads,
            Effect::Write => &self.writes,
        };
        let args = self.args(call);
        let left = call.until.saturating_duration_since(Instant::now());
        let within = left.min(COMMAND_TIMEOUT);
        if asking {
            return connection.send_asking("FCALL", args, within).await;
        }
        let reply = connection.send("FCALL", args, within).await?;
        let lost = || Fault::Lost("no answer of a function".to_owned());
        reply::bytes(&reply).cloned().ok_or_else(lost)
    }

    fn args(&self, call: &Call) -> Vec<Value> {
        let given = self.function_args(call);
        let mut args = Vec::with_capacity(call.keys.len() + given.len() + 2);
        args.push(Value::from(Library::this().function(call.function)));
        args.push(Value::from(call.keys.len().to_string()));
        args.extend(call.keys.iter().cloned().map(Value::Bytes));
        args.extend(given.into_iter().map(Value::Bytes));
        args
    }

    /// What the function is given beside keys.
    fn function_args(&self, call: &Call) -> Vec<Bytes> {
        let mut args = Vec::with_capacity(call.args.len() + 1);
        if call.effect != Effect::Read {
            let deadline = self.clock.lock().at(call.until);
            args.push(Bytes::from(deadline.to_string()));
        }
        args.extend(call.args.iter().cloned());
        args
    }

    /// Sends a command of our own to the node.
    pub(super) async fn send(&self, command: &'static str, args: &[&str]) -> Result<Reply, Fault> {
        let args = args.iter().map(|arg| Value::from(*arg)).collect();
        self.reads.send(command, args, COMMAND_TIMEOUT).await
    }

    /// Loads our functions, unless they are there or are not to be.
    pub(super) async fn load(&self) -> Result<(), Fault> {
        if !self.has_functions() {
            return Ok(());
        }
        let source = Library::this().source.as_str();
        match self.send("FUNCTION", &["LOAD", source]).await {
            Err(Fault::Redis(words)) if words.contains("already exists") => Ok(()),
            Err(Fault::Redis(words)) if words.starts_with("NOPERM") => Err(Fault::Redis(format!(
                "{words} (where functions may not be used: writes = \"script-free\" under [redis])"
            ))),
            answer => answer.map(drop),
        }
    }

    /// A node that takes no writes for now may well have our functions: the first call will tell.
    async fn load_at_first(&self) -> Result<(), NoLink> {
        match self.load().await {
            Err(Fault::Redis(words)) if !words.starts_with("LOADING") => {
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

pub(super) async fn ask_info(
    connection: &Connection,
    section: Option<&str>,
) -> Result<Info, Fault> {
    let args = section.map(Value::from).into_iter().collect();
    let reply = connection.send("INFO", args, PROBE_TIMEOUT).await?;
    let text = reply::text(&reply).ok_or_else(|| Fault::Lost("INFO is no text".to_owned()))?;
    Ok(Info::of(text))
}

async fn ask_clock(connection: &Connection) -> Result<NodeClock, Fault> {
    let reply = connection.send("TIME", Vec::new(), PROBE_TIMEOUT).await?;
    let read = Instant::now();
    let parts = reply::items(&reply).unwrap_or_default();
    match parts {
        [seconds, micros] => match (reply::number(seconds), reply::number(micros)) {
            (Some(seconds), Some(micros)) => {
                Ok(NodeClock::new(seconds * 1000 + micros / 1000, read))
            }
            _ => Err(Fault::Lost("TIME is no time".to_owned())),
        },
        _ => Err(Fault::Lost("TIME is no time".to_owned())),
    }
}

fn check(dial: &Dial, info: &Info) -> Result<(), NoLink> {
    let refuse = |why: String| Err(NoLink::Refused(why));
    if !info.has_functions() {
        let version = &info.version;
        return refuse(format!("it is Redis {version}: 7.0 is the least"));
    }
    match (dial.is_for_cluster, info.is_in_cluster) {
        (true, false) => return refuse("it is no node of a cluster".to_owned()),
        (false, true) => {
            let why = "it is a node of a cluster: its URL begins with redis-cluster://";
            return refuse(why.to_owned());
        }
        _ => {}
    }
    if !info.is_primary() {
        return refuse("it is a replica".to_owned());
    }
    Ok(())
}

/// A node of a cluster that is down answers nothing but that, and ends the connection doing so.
async fn check_cluster(connection: &Connection) -> Result<(), NoLink> {
    let args = vec![Value::from("INFO")];
    let reply = connection.send("CLUSTER", args, PROBE_TIMEOUT).await?;
    let text = reply::text(&reply).unwrap_or_default();
    if text.lines().any(|line| line == "cluster_state:ok") {
        return Ok(());
    }
    Err(NoLink::Down("the cluster is down".to_owned()))
}
