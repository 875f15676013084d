//! Publishing to memcached, as JSON only: it has no sorted sets.
//!
//! An update begins by reading the item's `cas`. It stores with that `cas` (meta protocol, `C`), or, if there was no
//! item, only if there is still none. The version of an item is known only if this process stored it; other items are
//! replaced. The flags of an item are 0, since clients use them for its type.

use std::collections::HashMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use board::PublishTarget;
use parking_lot::Mutex;
use redis_nodes::redis_link::Address;
use tokio::time::timeout;

use super::outcome::{Replaced, TargetError};
use super::{COMMAND_TIMEOUT, CONNECT_TIMEOUT, Found, IDLE_CONNECTIONS_MAX};
use crate::content::Content;
use crate::names::Names;
use client::{Client, MetaReply};

mod client;

/// The number of items whose version is remembered.
const STORED_MAX: usize = 65_536;

/// memcached interprets a greater expiry as a Unix time.
const RELATIVE_EXPIRY_MAX_S: u64 = 30 * 24 * 3600;

/// An item that was stored.
struct Stored {
    cas: u64,
    version: String,
}

/// The server, and its idle connections.
pub(crate) struct MemcachedTarget {
    address: Address,
    idle: Mutex<Vec<Client>>,
    stored: Mutex<HashMap<String, Stored>>,
}

/// An update of one item.
pub(crate) struct MemcachedUpdate<'a> {
    target: &'a MemcachedTarget,
    client: Client,
    cas: Option<u64>,
}

impl MemcachedTarget {
    pub(super) fn new(target: &PublishTarget) -> Self {
        Self {
            address: Address::new(target.host.as_str(), target.port),
            idle: Mutex::default(),
            stored: Mutex::default(),
        }
    }

    pub(super) async fn begin(
        &self,
        names: &Names,
    ) -> Result<(Found, MemcachedUpdate<'_>), TargetError> {
        let command = format!("mg {} c", names.set);
        let mut client = self.client().await?;
        let reply = match self.ask(&mut client, &command, None).await {
            // An idle connection may have been closed long ago.
            Err(TargetError::Unreachable(_)) => {
                self.idle.lock().clear();
                client = self.client().await?;
                self.ask(&mut client, &command, None).await?
            }
            reply => reply?,
        };
        let cas = match reply {
            MetaReply::Done { cas } => cas,
            MetaReply::Missing | MetaReply::Overtaken => None,
        };
        let version = {
            let stored = self.stored.lock();
            let stored = stored.get(&names.set);
            let stored = stored.filter(|stored| Some(stored.cas) == cas);
            stored.map(|stored| stored.version.clone())
        };
        let found = Found {
            version,
            has_json: cas.is_some(),
            has_set: true,
            is_there: cas.is_some(),
            watches_missing: false,
        };
        let update = MemcachedUpdate {
            target: self,
            client,
            cas,
        };
        Ok((found, update))
    }

    async fn client(&self) -> Result<Client, TargetError> {
        if let Some(client) = self.idle.lock().pop() {
            return Ok(client);
        }
        match timeout(CONNECT_TIMEOUT, Client::connect(&self.address)).await {
            Ok(client) => client.map_err(|error| self.unreachable(error)),
            Err(_) => Err(self.unreachable(format!("no connection within {CONNECT_TIMEOUT:?}"))),
        }
    }

    async fn ask(
        &self,
        client: &mut Client,
        command: &str,
        data: Option<&[u8]>,
    ) -> Result<MetaReply, TargetError> {
        match timeout(COMMAND_TIMEOUT, client.ask(command, data)).await {
            Ok(Ok(reply)) => reply.map_err(TargetError::Rejected),
            Ok(Err(error)) => Err(self.unreachable(error)),
            Err(_) => Err(self.unreachable("no reply in time")),
        }
    }

    fn unreachable(&self, why: impl std::fmt::Display) -> TargetError {
        TargetError::Unreachable(format!("{}: {why}", self.address))
    }

    fn keep(&self, client: Client) {
        let mut idle = self.idle.lock();
        if idle.len() < IDLE_CONNECTIONS_MAX {
            idle.push(client);
        }
    }

    fn remember(&self, key: &str, stored: Stored) {
        let mut all = self.stored.lock();
        if all.len() >= STORED_MAX && !all.contains_key(key) {
            // These items are stored once more when they are checked.
            all.clear();
        }
        all.insert(key.to_owned(), stored);
    }
}

impl MemcachedUpdate<'_> {
    pub(super) async fn replace(
        mut self,
        names: &Names,
        content: Content,
    ) -> Result<Replaced, TargetError> {
        let condition = self
            .cas
            .map_or_else(|| "ME".to_owned(), |cas| format!("C{cas}"));
        let command = format!(
            "ms {} {} {condition} T{} c",
            names.set,
            content.json.len(),
            expiry(content.ttl)
        );
        let Self { target, client, .. } = &mut self;
        let reply = target.ask(client, &command, Some(&content.json)).await?;
        if let MetaReply::Done { cas: Some(cas) } = reply {
            let version = content.version;
            target.remember(&names.set, Stored { cas, version });
        }
        Ok(self.ended(&reply))
    }

    pub(super) async fn remove(mut self, names: &Names) -> Result<Replaced, TargetError> {
        let Some(cas) = self.cas else {
            self.target.keep(self.client);
            return Ok(Replaced::Yes);
        };
        let command = format!("md {} C{cas}", names.set);
        let reply = self.target.ask(&mut self.client, &command, None).await?;
        Ok(self.ended(&reply))
    }

    pub(super) async fn abandon(
        mut self,
        names: &Names,
        ttl: Option<Duration>,
    ) -> Result<(), TargetError> {
        if ttl.is_some() {
            let command = format!("mg {} T{}", names.set, expiry(ttl));
            self.target.ask(&mut self.client, &command, None).await?;
        }
        self.target.keep(self.client);
        Ok(())
    }

    /// Keeps the connection after the last reply. Returns whether it replaced the item.
    fn ended(self, reply: &MetaReply) -> Replaced {
        self.target.keep(self.client);
        match reply {
            MetaReply::Done { .. } => Replaced::Yes,
            MetaReply::Missing | MetaReply::Overtaken => Replaced::Overtaken,
        }
    }
}

/// Returns the expiry as memcached represents it: seconds, or from thirty days on a Unix time; 0 for none.
fn expiry(ttl: Option<Duration>) -> u64 {
    let Some(ttl) = ttl else { return 0 };
    let seconds = ttl.as_secs().max(1);
    if seconds < RELATIVE_EXPIRY_MAX_S {
        return seconds;
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.unwrap_or_default().as_secs() + seconds
}
