//! A Redis, Valkey or cluster of them that boards are published to.
//!
//! The look is `WATCH` and `GET` of the key that holds the mark, and whether the other two are there; the switch one
//! `MULTI`, `UNLINK`, `ZADD`, `SET`, `EXEC`, on the connection that watches, which nobody else uses meanwhile. A
//! transaction is one step for readers, replicas and the log alike, so that a set under a temporary name would add
//! nothing to it. Nothing runs as a script.
//!
//! Taking away writes the mark first, in the same transaction: so it is noticed by an update that watches a mark that
//! was not there, and is about to publish the board as it was before.
//!
//! Each new connection asks for the server's `run_id`: another one than before may have begun without what
//! the one before had. By its `master_replid` a node of the service's own store is found out, which is never
//! written to.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use board::{PublishProtocol, PublishTarget};
use parking_lot::Mutex;
use redis_link::{Address, Command, ConnectOptions, Connection, Reply, Value, reply};
use shard_store::ShardStore;

use super::{Access, COMMAND_TIMEOUT, CONNECT_TIMEOUT, Fault, IDLE_CONNECTIONS_MAX, Switched};
use crate::content::Content;
use crate::names::Names;

/// Redirections that one update follows.
const REDIRECTIONS_MAX: usize = 4;

/// Errors of a server that takes no writes for now, or no longer: another one may have its name.
const AWAY_CODES: [&str; 4] = ["READONLY", "LOADING", "MASTERDOWN", "CLUSTERDOWN"];

/// Nodes of a cluster that are remembered, to begin at where the one that is named is away.
const NODES_MAX: usize = 64;

/// The server, and its idle connections.
pub(crate) struct RedisTarget {
    options: Result<ConnectOptions, String>,
    store: Arc<dyn ShardStore>,
    is_cluster: bool,
    /// The first is the one that is named.
    nodes: Mutex<Vec<Address>>,
    idle: Mutex<Vec<(Address, Connection)>>,
    /// The `run_id` that each node had when it was last connected to; no more than [`NODES_MAX`].
    runs: Mutex<HashMap<Address, String>>,
    /// Whether one of them was another one since it was last asked.
    is_another: AtomicBool,
}

/// A connection that watches the mark of one board.
pub(crate) struct RedisUpdate<'a> {
    target: &'a RedisTarget,
    address: Address,
    connection: Connection,
    published: Option<String>,
    has_set: bool,
    has_json: bool,
}

impl RedisTarget {
    pub(super) fn new(target: &PublishTarget, access: Access<'_>) -> Self {
        let tls = target.tls.then(|| access.credentials.tls()).transpose();
        let options = tls.map(|tls| ConnectOptions {
            login: access.login.of_redis(),
            tls,
            database: match target.protocol {
                PublishProtocol::Redis { database } => Some(database),
                _ => None,
            },
            connect_timeout: CONNECT_TIMEOUT,
            silence: COMMAND_TIMEOUT,
            ..ConnectOptions::default()
        });
        let named = Address::new(target.host.as_str(), target.port);
        Self {
            options: options.map_err(|error| error.to_string()),
            store: access.store.clone(),
            is_cluster: target.protocol == PublishProtocol::RedisCluster,
            nodes: Mutex::new(vec![named]),
            idle: Mutex::default(),
            runs: Mutex::default(),
            is_another: AtomicBool::new(false),
        }
    }

    pub(super) async fn begin(&self, names: &Names) -> Result<RedisUpdate<'_>, Fault> {
        let (mut address, mut connection) = self.somewhere().await?;
        for _ in 0..=REDIRECTIONS_MAX {
            let answers = match send(&connection, look(names)).await {
                // One that was kept may have ended long ago.
                Err(Fault::Away(_)) => {
                    self.idle.lock().retain(|(held, _)| *held != address);
                    connection = self.connection(&address).await?;
                    send(&connection, look(names)).await?
                }
                answers => answers?,
            };
            match all(answers) {
                Ok(answers) => {
                    let [_, set, json, mark] = <[Reply; 4]>::try_from(answers)
                        .map_err(|_| Fault::Away("the reply was incomplete".to_owned()))?;
                    let published = (!reply::is_null(&mark))
                        .then(|| reply::text(&mark).unwrap_or_default().to_owned());
                    return Ok(RedisUpdate {
                        target: self,
                        address,
                        connection,
                        published,
                        has_set: reply::number(&set) == Some(1),
                        has_json: reply::number(&json) == Some(1),
                    });
                }
                Err(error) => {
                    let Some(node) = self.redirected(&error, &address) else {
                        return Err(self.failed(error, address, connection));
                    };
                    self.keep(address, connection);
                    address = node;
                    connection = self.connection(&address).await?;
                }
            }
        }
        Err(Fault::Away("too many redirections".to_owned()))
    }

    /// A connection to the server, or to any node of a cluster.
    async fn somewhere(&self) -> Result<(Address, Connection), Fault> {
        let nodes = self.nodes.lock().clone();
        let mut first = None;
        for node in nodes {
            match self.connection(&node).await {
                Ok(connection) => return Ok((node, connection)),
                Err(fault) => first = first.or(Some(fault)),
            }
        }
        Err(first.unwrap_or_else(|| Fault::Away("no address".to_owned())))
    }

    async fn connection(&self, address: &Address) -> Result<Connection, Fault> {
        let idle = {
            let mut idle = self.idle.lock();
            let position = idle.iter().rposition(|(held, _)| held == address);
            position.map(|position| idle.swap_remove(position).1)
        };
        if let Some(connection) = idle {
            return Ok(connection);
        }
        let options = self.options.as_ref();
        let options = options.map_err(|error| Fault::Away(error.clone()))?;
        let opened = Connection::open(options, address).await;
        let (connection, _ended) =
            opened.map_err(|why| Fault::Away(format!("{address}: {why}")))?;
        self.know(address, &connection).await?;
        Ok(connection)
    }

    /// Refuses a node of the service's own store, and compares the server that was connected to with the
    /// one that was there before.
    async fn know(&self, address: &Address, connection: &Connection) -> Result<(), Fault> {
        let sections = ["server", "replication"];
        let asked = sections.map(|section| ("INFO", vec![text(section)]));
        let answers = send(connection, asked.into()).await?.into_iter().flatten();
        let info: Vec<String> = answers
            .filter_map(|info| reply::text(&info).map(str::to_owned))
            .collect();
        let value = |name| {
            let mut lines = info.iter().flat_map(|info| info.lines());
            lines.find_map(|line| line.strip_prefix(name))
        };
        let id = value("master_replid:");
        if self.store.may_be_node(id) {
            let why = match id {
                Some(_) => "is a node of the store of this service",
                None => {
                    "does not report whether it is a node of the store of this service: its user requires INFO"
                }
            };
            return Err(Fault::Away(format!("{address} {why}")));
        }
        // A replica of a cluster redirects to its primary.
        if !self.is_cluster && value("role:") == Some("slave") {
            return Err(Fault::Away(format!("{address} is a replica")));
        }
        let Some(run) = value("run_id:") else {
            return Ok(());
        };
        let mut runs = self.runs.lock();
        if runs.len() >= NODES_MAX && !runs.contains_key(address) {
            return Ok(());
        }
        let before = runs.insert(address.clone(), run.to_owned());
        if before.is_some_and(|before| before != run) {
            self.is_another.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Whether a server was another one than before, since this was last asked.
    pub(super) fn take_another(&self) -> bool {
        self.is_another.swap(false, Ordering::Relaxed)
    }

    /// The node that an error of a cluster names.
    fn redirected(&self, error: &str, teller: &Address) -> Option<Address> {
        let mut words = error.split(' ').filter(|_| self.is_cluster);
        // ASK asks for one command, and an update has many: it is tried again when the slot has moved.
        if words.next() != Some("MOVED") {
            return None;
        }
        let node = Address::from_redirection(words.nth(1)?, teller)?;
        let mut nodes = self.nodes.lock();
        if !nodes.contains(&node) && nodes.len() < NODES_MAX {
            nodes.push(node.clone());
        }
        Some(node)
    }

    /// What an error comes to. No connection is kept to a server that takes no writes.
    fn failed(&self, error: String, address: Address, connection: Connection) -> Fault {
        let code = error.split(' ').next().unwrap_or_default();
        if AWAY_CODES.contains(&code) {
            self.idle.lock().retain(|(held, _)| *held != address);
            return Fault::Away(format!("{address}: {error}"));
        }
        self.keep(address, connection);
        Fault::Refused(error)
    }

    fn keep(&self, address: Address, connection: Connection) {
        let mut idle = self.idle.lock();
        if idle.len() >= IDLE_CONNECTIONS_MAX {
            // The one that was used longest ago.
            idle.remove(0);
        }
        idle.push((address, connection));
    }
}

impl RedisUpdate<'_> {
    pub(super) fn published(&self) -> Option<&str> {
        self.published.as_deref()
    }

    pub(super) const fn has_set(&self) -> bool {
        self.has_set
    }

    pub(super) const fn has_json(&self) -> bool {
        self.has_json
    }

    pub(super) async fn switch(self, names: &Names, content: Content) -> Result<Switched, Fault> {
        let mut commands = vec![("UNLINK", vec![text(&names.set)])];
        if let Some(set) = content.set {
            commands.push(("ZADD", added(&names.set, set)));
        }
        let json = Value::Bytes(content.json.into());
        commands.push(("SET", vec![text(&names.json), json]));
        commands.push(("SET", vec![text(&names.version), text(&content.mark)]));
        commands.extend(expiries(names, content.lasts));
        self.transaction(commands).await
    }

    pub(super) async fn clear(self, names: &Names) -> Result<Switched, Fault> {
        let keys = [&names.set, &names.json, &names.version];
        let keys = keys.map(|key| text(key)).to_vec();
        let touch = ("SET", vec![text(&names.version), text("")]);
        self.transaction(vec![touch, ("UNLINK", keys)]).await
    }

    pub(super) async fn leave(self, names: &Names, lasts: Option<Duration>) -> Result<(), Fault> {
        let mut commands: Vec<Command> = vec![("UNWATCH", Vec::new())];
        commands.extend(expiries(names, lasts));
        let answers = send(&self.connection, commands).await?;
        self.ended(answers).map(drop)
    }

    async fn transaction(self, commands: Vec<Command>) -> Result<Switched, Fault> {
        let mut whole: Vec<Command> = vec![("MULTI", Vec::new())];
        whole.extend(commands);
        whole.push(("EXEC", Vec::new()));
        let answers = send(&self.connection, whole).await?;
        match self.ended(answers)?.pop() {
            Some(Reply::Null) => Ok(Switched::Overtaken),
            Some(Reply::Array { .. }) => Ok(Switched::Yes),
            other => Err(Fault::Away(format!("EXEC answered {other:?}"))),
        }
    }

    /// What the last commands of the update were answered. Whatever that is, the watch is over.
    fn ended(self, answers: Vec<Result<Reply, String>>) -> Result<Vec<Reply>, Fault> {
        let Self {
            target,
            address,
            connection,
            ..
        } = self;
        match all(answers) {
            Ok(answers) => {
                target.keep(address, connection);
                Ok(answers)
            }
            Err(error) => Err(target.failed(error, address, connection)),
        }
    }
}

/// The look at what is published, watched from then on.
fn look(names: &Names) -> Vec<Command> {
    vec![
        ("WATCH", vec![text(&names.version)]),
        ("EXISTS", vec![text(&names.set)]),
        ("EXISTS", vec![text(&names.json)]),
        ("GET", vec![text(&names.version)]),
    ]
}

/// Sends commands in one go, and returns what each was answered, errors of Redis included.
async fn send(
    connection: &Connection,
    commands: Vec<Command>,
) -> Result<Vec<Result<Reply, String>>, Fault> {
    let away = |fault: redis_link::Fault| Fault::Away(fault.message().to_owned());
    let replies = connection.send_together(commands).await.map_err(away)?;
    let replies = replies.into_iter().map(|reply| match reply {
        Ok(reply) => Ok(Ok(reply)),
        Err(redis_link::Fault::Redis(words)) => Ok(Err(words)),
        Err(fault) => Err(away(fault)),
    });
    replies.collect()
}

/// The answers, or the first error among them.
fn all(answers: Vec<Result<Reply, String>>) -> Result<Vec<Reply>, String> {
    answers.into_iter().collect()
}

fn text(text: &str) -> Value {
    Value::String(text.into())
}

/// The arguments that add all entries. They come best first, so that Redis finds the position of each at the
/// beginning of what is there.
fn added(key: &str, set: Vec<(f64, String)>) -> Vec<Value> {
    let mut args = Vec::with_capacity(1 + 2 * set.len());
    args.push(text(key));
    for (score, member) in set {
        args.push(Value::String(score.to_string().into()));
        args.push(Value::String(member.into()));
    }
    args
}

fn expiries(names: &Names, lasts: Option<Duration>) -> Vec<Command> {
    let Some(lasts) = lasts else {
        return Vec::new();
    };
    let ms = i64::try_from(lasts.as_millis()).unwrap_or(i64::MAX);
    let keys = [&names.set, &names.json, &names.version];
    let expiry = |key: &String| ("PEXPIRE", vec![text(key), Value::Integer(ms)]);
    keys.into_iter().map(expiry).collect()
}

#[cfg(test)]
mod tests {
    use store_local::LocalStore;
    use testkit::redis::RedisServer;

    use super::*;
    use crate::credentials::{Credentials, Login};

    fn content(mark: &str) -> Content {
        Content {
            mark: mark.to_owned(),
            json: b"{}".to_vec(),
            set: Some(vec![(1.0, "u".to_owned())]),
            lasts: None,
        }
    }

    fn target(redis: &RedisServer) -> (RedisTarget, Names) {
        let at = redis.url().parse().unwrap();
        let credentials = Credentials::default();
        let store: Arc<dyn ShardStore> = Arc::new(LocalStore::in_memory().unwrap());
        let access = Access {
            credentials: &credentials,
            login: Login::default(),
            store: &store,
        };
        let names = Names {
            set: "k".to_owned(),
            json: "k:json".to_owned(),
            version: "k:version".to_owned(),
        };
        (RedisTarget::new(&at, access), names)
    }

    #[tokio::test]
    async fn a_server_that_has_become_a_replica_is_away_until_it_is_a_primary_again() {
        let redis = RedisServer::plain();
        let (target, names) = target(&redis);
        let publishing = target.begin(&names).await.unwrap();
        let leaving = target.begin(&names).await.unwrap();
        redis.command(&["REPLICAOF", "127.0.0.1", "1"]).ok();
        let is_readonly =
            |fault: &Fault| matches!(fault, Fault::Away(why) if why.contains("READONLY"));
        let switched = publishing.switch(&names, content("1")).await;
        assert!(switched.as_ref().is_err_and(is_readonly), "{switched:?}");
        let lasts = Some(Duration::from_mins(1));
        let left = leaving.leave(&names, lasts).await;
        assert!(left.as_ref().is_err_and(is_readonly), "{left:?}");
        // No connection was kept: a new one finds out where it leads.
        assert!(target.idle.lock().is_empty());
        let begun = target.begin(&names).await.err();
        let is_replica =
            |fault: Fault| matches!(fault, Fault::Away(why) if why.ends_with("is a replica"));
        assert!(begun.is_some_and(is_replica));
        redis.command(&["REPLICAOF", "NO", "ONE"]).ok();
        let publishing = target.begin(&names).await.unwrap();
        let switched = publishing.switch(&names, content("2")).await;
        assert_eq!(switched, Ok(Switched::Yes));
    }

    #[tokio::test]
    async fn a_removal_of_nothing_overtakes_a_turn_that_is_about_to_publish() {
        let redis = RedisServer::plain();
        let (target, names) = target(&redis);
        for _ in 0..2 {
            let publishing = target.begin(&names).await.unwrap();
            assert_eq!(publishing.published(), None);
            // Somebody has deleted the board meanwhile, which was published nowhere yet.
            let taking = target.begin(&names).await.unwrap();
            assert_eq!(taking.clear(&names).await, Ok(Switched::Yes));
            let switched = publishing.switch(&names, content("1")).await;
            assert_eq!(switched, Ok(Switched::Overtaken));
            assert!(redis.command(&["KEYS", "*"]).items().is_empty());
        }
        let publishing = target.begin(&names).await.unwrap();
        let switched = publishing.switch(&names, content("2")).await;
        assert_eq!(switched, Ok(Switched::Yes));
        assert_eq!(redis.command(&["GET", "k:version"]).text(), "2");
    }
}
