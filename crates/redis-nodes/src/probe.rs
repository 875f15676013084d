//! Probes of a node over a connection, and whether it may be used: [`NoLink`] is why not.

use crate::redis_link::{CommandError, Connection, Value, reply};
use tokio::time::Instant;

use crate::dial::Dial;
use crate::info::Info;
use crate::keys::{self, FORMAT};
use crate::node_clock::NodeClock;

/// No clock shows so many seconds: additions of times never overflow.
const CLOCK_SECONDS_MAX: u64 = 1 << 40;

/// Why there is no link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NoLink {
    /// The node does not reply as it should.
    Down(String),
    /// It does, but cannot be used.
    Refused(String),
}

impl NoLink {
    /// Returns the reason for this error at the first contact with a node.
    pub(crate) fn because(words: String) -> Self {
        let who_we_are = ["NOAUTH", "WRONGPASS", "NOPERM"];
        if who_we_are.iter().any(|code| words.starts_with(code)) {
            Self::Refused(words)
        } else {
            Self::Down(words)
        }
    }
}

impl From<CommandError> for NoLink {
    fn from(error: CommandError) -> Self {
        Self::because(error.to_string())
    }
}

pub(crate) async fn ask_info(
    connection: &Connection,
    section: Option<&str>,
) -> Result<Info, CommandError> {
    let args = section.map(Value::from).into_iter().collect();
    let reply = connection.send("INFO", args).await?;
    let text = reply::text(&reply)
        .ok_or_else(|| CommandError::Lost("the reply to INFO is not text".to_owned()))?;
    Ok(Info::of(text))
}

pub(crate) async fn ask_clock(
    connection: &Connection,
    before: Option<NodeClock>,
) -> Result<NodeClock, CommandError> {
    let asked = Instant::now();
    let reply = connection.send("TIME", Vec::new()).await?;
    let read = Instant::now();
    let clock = match reply::items(&reply) {
        Some([seconds, micros]) => reply::number(seconds).zip(reply::number(micros)),
        _ => None,
    };
    let is_time =
        |(seconds, micros): &(u64, u64)| *seconds < CLOCK_SECONDS_MAX && *micros < 1_000_000;
    let (seconds, micros) = clock
        .filter(is_time)
        .ok_or_else(|| CommandError::Lost("the reply to TIME is not a time".to_owned()))?;
    let clock = NodeClock::new(seconds * 1_000_000 + micros, asked, read);
    Ok(before.map_or(clock, |before| clock.or_better(before)))
}

/// Rejects a node whose keys are of another format, before anything is written to it.
pub(crate) async fn check_format(connection: &Connection) -> Result<(), NoLink> {
    let of_server = [keys::SERVER, "id"].map(Value::from);
    for (command, args) in [
        ("GET", vec![Value::Bytes(keys::store())]),
        ("HGET", of_server.into()),
    ] {
        match connection.send(command, args).await {
            Ok(identity) if reply::text(&identity).is_none_or(|it| it.starts_with(FORMAT)) => {}
            Ok(_) => {
                let why = "its data is not of format 1, the only one that this server supports";
                return Err(NoLink::Refused(why.to_owned()));
            }
            // The key is on another node of the cluster.
            Err(CommandError::Redis(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Rejects a node that does not fit the topology of the store.
pub(crate) fn check(dial: &Dial, info: &Info) -> Result<(), NoLink> {
    let refuse = |why: String| Err(NoLink::Refused(why));
    if !info.has_functions() {
        let version = &info.version;
        return refuse(format!(
            "Redis {version} is too old: version 7.0 or later is required"
        ));
    }
    match (dial.is_for_cluster, info.is_in_cluster) {
        (true, false) => return refuse("it is not a node of a cluster".to_owned()),
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

/// A node of a cluster that is down replies to everything with that error, which ends the
/// connection.
pub(crate) async fn check_cluster(connection: &Connection) -> Result<(), NoLink> {
    let args = vec![Value::from("INFO")];
    let reply = connection.send("CLUSTER", args).await;
    let reply = reply?;
    let text = reply::text(&reply).unwrap_or_default();
    if text.lines().any(|line| line == "cluster_state:ok") {
        return Ok(());
    }
    Err(NoLink::Down("the cluster is down".to_owned()))
}
