//! Publishing to a Redis or Valkey server, or a cluster of them.
//!
//! An update begins with `WATCH` and `GET` of the key of the version, and `EXISTS` of the other two keys. It replaces
//! the content by one `MULTI`, `UNLINK`, `ZADD`, `SET`, `EXEC` on the same connection, which nothing else uses
//! meanwhile. A transaction is atomic for readers, replicas and the log, so writing to a temporary key first would gain
//! nothing. No scripts are used.
//!
//! A removal first sets the version, in the same transaction. This overtakes a concurrent update that watches a missing
//! version and is about to publish an earlier state of the board.
//!
//! Each new connection reads the server's `run_id`: another process than before may have started without the published
//! data. It also reads `master_replid`, to recognize nodes of the service's own store, which are never written to.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use board::{PublishProtocol, PublishTarget, TargetName};
use parking_lot::Mutex;
use redis_nodes::redis_link::{
    Address, Command, CommandError, ConnectOptions, Connection, Reply, Value, reply,
};
use shard_store::ShardStore;

use super::outcome::{Replaced, TargetError};
use super::{COMMAND_TIMEOUT, CONNECT_TIMEOUT, Found, IDLE_CONNECTIONS_MAX};
use crate::content::Content;
use crate::credentials::Credentials;
use crate::names::Names;

/// The number of redirections that an update follows.
const REDIRECTIONS_MAX: usize = 4;

/// Error codes of a server that does not accept writes. Its name may since resolve to another server.
const UNREACHABLE_CODES: [&str; 4] = ["READONLY", "LOADING", "MASTERDOWN", "CLUSTERDOWN"];

/// The number of known nodes of a cluster. They are tried if the configured node is unreachable.
const NODES_MAX: usize = 64;

/// The server, and its idle connections.
pub(crate) struct RedisTarget {
    options: Result<ConnectOptions, String>,
    store: Arc<dyn ShardStore>,
    is_cluster: bool,
    /// The first is the configured one.
    nodes: Mutex<Vec<Address>>,
    idle: Mutex<Vec<(Address, Connection)>>,
    /// The `run_id` of each node at the last connection; at most [`NODES_MAX`].
    run_ids: Mutex<HashMap<Address, String>>,
    /// Whether the `run_id` of a node changed since this was last taken.
    is_replaced: AtomicBool,
}

/// An update of one window. Its connection watches the version.
pub(crate) struct RedisUpdate<'a> {
    target: &'a RedisTarget,
    address: Address,
    connection: Connection,
}

impl RedisTarget {
    pub(super) fn new(
        name: &TargetName,
        target: &PublishTarget,
        credentials: &Credentials,
        store: &Arc<dyn ShardStore>,
    ) -> Self {
        let options = credentials.connect_options(name, target.tls);
        let options = options.map(|options| ConnectOptions {
            database: match target.protocol {
                PublishProtocol::Redis { database } => Some(database),
                _ => None,
            },
            connect_timeout: CONNECT_TIMEOUT,
            silence: COMMAND_TIMEOUT,
            ..options
        });
        let configured = Address::new(target.host.as_str(), target.port);
        Self {
            options,
            store: store.clone(),
            is_cluster: target.protocol == PublishProtocol::RedisCluster,
            nodes: Mutex::new(vec![configured]),
            idle: Mutex::default(),
            run_ids: Mutex::default(),
            is_replaced: AtomicBool::new(false),
        }
    }

    pub(super) async fn begin(
        &self,
        names: &Names,
    ) -> Result<(Found, RedisUpdate<'_>), TargetError> {
        let (mut address, mut connection) = self.any_connection().await?;
        for _ in 0..=REDIRECTIONS_MAX {
            let replies = match send(&connection, begin_commands(names)).await {
                // An idle connection may have been closed long ago.
                Err(TargetError::Unreachable(_)) => {
                    self.idle.lock().retain(|(idle, _)| *idle != address);
                    connection = self.connection(&address).await?;
                    send(&connection, begin_commands(names)).await?
                }
                replies => replies?,
            };
            match all(replies) {
                Ok(replies) => {
                    let [_, set, json, version] =
                        <[Reply; 4]>::try_from(replies).map_err(|_| {
                            TargetError::Unreachable("the reply was incomplete".to_owned())
                        })?;
                    let version = (!reply::is_null(&version))
                        .then(|| reply::text(&version).unwrap_or_default().to_owned());
                    let [has_set, has_json] = [set, json].map(|it| reply::number(&it) == Some(1));
                    let found = Found {
                        is_there: version.is_some() || has_set || has_json,
                        version,
                        has_set,
                        has_json,
                        watches_missing: true,
                    };
                    let update = RedisUpdate {
                        target: self,
                        address,
                        connection,
                    };
                    return Ok((found, update));
                }
                Err(error) => {
                    let Some(node) = self.redirected(&error, &address) else {
                        return Err(self.error(error, address, connection));
                    };
                    self.keep(address, connection);
                    address = node;
                    connection = self.connection(&address).await?;
                }
            }
        }
        Err(TargetError::Unreachable("too many redirections".to_owned()))
    }

    /// Returns a connection to the server, or to any node of a cluster.
    async fn any_connection(&self) -> Result<(Address, Connection), TargetError> {
        let nodes = self.nodes.lock().clone();
        let mut first = None;
        for node in nodes {
            match self.connection(&node).await {
                Ok(connection) => return Ok((node, connection)),
                Err(error) => first = first.or(Some(error)),
            }
        }
        Err(first.unwrap_or_else(|| TargetError::Unreachable("no address".to_owned())))
    }

    /// Returns a connection to this node, an idle one if possible.
    async fn connection(&self, address: &Address) -> Result<Connection, TargetError> {
        let idle = {
            let mut idle = self.idle.lock();
            let position = idle.iter().rposition(|(node, _)| node == address);
            position.map(|position| idle.swap_remove(position).1)
        };
        if let Some(connection) = idle {
            return Ok(connection);
        }
        let options = self.options.as_ref();
        let options = options.map_err(|error| TargetError::Unreachable(error.clone()))?;
        let opened = Connection::open(options, address).await;
        let connection =
            opened.map_err(|why| TargetError::Unreachable(format!("{address}: {why}")))?;
        self.check_server(address, &connection).await?;
        Ok(connection)
    }

    /// Rejects nodes of the service's own store and replicas, and compares the server process with the previous one.
    async fn check_server(
        &self,
        address: &Address,
        connection: &Connection,
    ) -> Result<(), TargetError> {
        let sections = ["server", "replication"];
        let commands = sections.map(|section| ("INFO", vec![text(section)]));
        let replies = send(connection, commands.into()).await?;
        let replies = replies.into_iter().flatten();
        let info: Vec<String> = replies
            .filter_map(|info| reply::text(&info).map(str::to_owned))
            .collect();
        let value = |name| {
            let mut lines = info.iter().flat_map(|info| info.lines());
            lines.find_map(|line| line.strip_prefix(name))
        };
        let id = value("master_replid:");
        let servers = self.store.capabilities().servers;
        if servers.is_some_and(|servers| servers.may_include(id)) {
            let why = match id {
                Some(_) => "is a node of the store of this service",
                None => {
                    "does not report whether it is a node of the store of this service: its user requires INFO"
                }
            };
            return Err(TargetError::Unreachable(format!("{address} {why}")));
        }
        // A replica of a cluster redirects to its primary.
        if !self.is_cluster && value("role:") == Some("slave") {
            return Err(TargetError::Unreachable(format!("{address} is a replica")));
        }
        let Some(run_id) = value("run_id:") else {
            return Ok(());
        };
        let mut run_ids = self.run_ids.lock();
        if run_ids.len() >= NODES_MAX && !run_ids.contains_key(address) {
            return Ok(());
        }
        let before = run_ids.insert(address.clone(), run_id.to_owned());
        if before.is_some_and(|before| before != run_id) {
            self.is_replaced.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Returns whether a server was replaced since the last call.
    pub(super) fn take_replaced(&self) -> bool {
        self.is_replaced.swap(false, Ordering::Relaxed)
    }

    /// Returns the node that a redirection of a cluster names.
    fn redirected(&self, error: &str, source: &Address) -> Option<Address> {
        let mut words = error.split(' ').filter(|_| self.is_cluster);
        // ASK redirects a single command, and an update has several. It is retried until the slot has moved.
        if words.next() != Some("MOVED") {
            return None;
        }
        let node = Address::from_redirection(words.nth(1)?, source)?;
        let mut nodes = self.nodes.lock();
        if !nodes.contains(&node) && nodes.len() < NODES_MAX {
            nodes.push(node.clone());
        }
        Some(node)
    }

    /// Converts an error of Redis. Keeps the connection unless the server does not accept writes.
    fn error(&self, error: String, address: Address, connection: Connection) -> TargetError {
        let code = error.split(' ').next().unwrap_or_default();
        if UNREACHABLE_CODES.contains(&code) {
            self.idle.lock().retain(|(idle, _)| *idle != address);
            return TargetError::Unreachable(format!("{address}: {error}"));
        }
        self.keep(address, connection);
        TargetError::Rejected(error)
    }

    fn keep(&self, address: Address, connection: Connection) {
        let mut idle = self.idle.lock();
        if idle.len() >= IDLE_CONNECTIONS_MAX {
            // The least recently used one.
            idle.remove(0);
        }
        idle.push((address, connection));
    }
}

impl RedisUpdate<'_> {
    pub(super) async fn replace(
        self,
        names: &Names,
        content: Content,
    ) -> Result<Replaced, TargetError> {
        let mut commands = vec![("UNLINK", vec![text(&names.set)])];
        if let Some(set) = content.set {
            commands.push(("ZADD", zadd_args(&names.set, set)));
        }
        let json = Value::Bytes(content.json.into());
        commands.push(("SET", vec![text(&names.json), json]));
        commands.push(("SET", vec![text(&names.version), text(&content.version)]));
        commands.extend(expire_commands(names, content.ttl));
        self.transaction(commands).await
    }

    pub(super) async fn remove(self, names: &Names) -> Result<Replaced, TargetError> {
        let keys = [&names.set, &names.json, &names.version];
        let keys = keys.map(|key| text(key)).to_vec();
        let set_version = ("SET", vec![text(&names.version), text("")]);
        self.transaction(vec![set_version, ("UNLINK", keys)]).await
    }

    pub(super) async fn abandon(
        self,
        names: &Names,
        ttl: Option<Duration>,
    ) -> Result<(), TargetError> {
        let mut commands: Vec<Command> = vec![("UNWATCH", Vec::new())];
        commands.extend(expire_commands(names, ttl));
        let replies = send(&self.connection, commands).await?;
        self.end(replies).map(drop)
    }

    async fn transaction(self, commands: Vec<Command>) -> Result<Replaced, TargetError> {
        let mut transaction: Vec<Command> = vec![("MULTI", Vec::new())];
        transaction.extend(commands);
        transaction.push(("EXEC", Vec::new()));
        let replies = send(&self.connection, transaction).await?;
        match self.end(replies)?.pop() {
            Some(Reply::Null) => Ok(Replaced::Overtaken),
            Some(Reply::Array { .. }) => Ok(Replaced::Yes),
            other => Err(TargetError::Unreachable(format!("EXEC returned {other:?}"))),
        }
    }

    /// Ends the update by the replies to its last commands. In every case they have ended the watch.
    fn end(self, replies: Vec<Result<Reply, String>>) -> Result<Vec<Reply>, TargetError> {
        let Self {
            target,
            address,
            connection,
        } = self;
        match all(replies) {
            Ok(replies) => {
                target.keep(address, connection);
                Ok(replies)
            }
            Err(error) => Err(target.error(error, address, connection)),
        }
    }
}

/// Returns the commands that read what is published, and watch its version.
fn begin_commands(names: &Names) -> Vec<Command> {
    vec![
        ("WATCH", vec![text(&names.version)]),
        ("EXISTS", vec![text(&names.set)]),
        ("EXISTS", vec![text(&names.json)]),
        ("GET", vec![text(&names.version)]),
    ]
}

/// Sends commands in one pipeline, and returns the reply to each, including errors of Redis.
async fn send(
    connection: &Connection,
    commands: Vec<Command>,
) -> Result<Vec<Result<Reply, String>>, TargetError> {
    let unreachable = |error: CommandError| TargetError::Unreachable(error.to_string());
    let replies = connection
        .send_together(commands)
        .await
        .map_err(unreachable)?;
    let replies = replies.into_iter().map(|reply| match reply {
        Ok(reply) => Ok(Ok(reply)),
        Err(CommandError::Redis(words)) => Ok(Err(words)),
        Err(error) => Err(unreachable(error)),
    });
    replies.collect()
}

/// Returns the replies, or the first error among them.
fn all(replies: Vec<Result<Reply, String>>) -> Result<Vec<Reply>, String> {
    replies.into_iter().collect()
}

fn text(text: &str) -> Value {
    Value::String(text.into())
}

/// Returns the arguments that add all entries. Entries are best first, so that Redis inserts each at the beginning of
/// the set.
fn zadd_args(key: &str, set: Vec<(f64, String)>) -> Vec<Value> {
    let mut args = Vec::with_capacity(1 + 2 * set.len());
    args.push(text(key));
    for (score, member) in set {
        args.push(Value::String(score.to_string().into()));
        args.push(Value::String(member.into()));
    }
    args
}

fn expire_commands(names: &Names, ttl: Option<Duration>) -> Vec<Command> {
    let Some(ttl) = ttl else {
        return Vec::new();
    };
    let ms = i64::try_from(ttl.as_millis()).unwrap_or(i64::MAX);
    let keys = [&names.set, &names.json, &names.version];
    let expiry = |key: &String| ("PEXPIRE", vec![text(key), Value::Integer(ms)]);
    keys.into_iter().map(expiry).collect()
}

#[cfg(test)]
mod tests;
