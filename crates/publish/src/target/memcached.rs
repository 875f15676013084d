//! Publishing to memcached, as JSON only: it has no sorted sets.
//!
//! An update begins by reading the item's `cas`. It stores with that `cas` (meta protocol, `C`), or, if there was no
//! item, only if there is still none. The version of an item is known only if this process stored it; other items are
//! replaced. The flags of an item are 0, since clients use them for its type.

use std::collections::HashMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_memcached::{Client, Error, MetaProtocol, Status};
use board::PublishTarget;
use parking_lot::Mutex;
use tokio::time::timeout;

use super::access::{COMMAND_TIMEOUT, CONNECT_TIMEOUT, IDLE_CONNECTIONS_MAX};
use super::outcome::{Replaced, TargetError};
use crate::content::Content;
use crate::names::Names;

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
    address: String,
    idle: Mutex<Vec<Client>>,
    stored: Mutex<HashMap<String, Stored>>,
}

/// An update of one item.
pub(crate) struct MemcachedUpdate<'a> {
    target: &'a MemcachedTarget,
    client: Client,
    cas: Option<u64>,
    published: Option<String>,
}

impl MemcachedTarget {
    pub(super) fn new(target: &PublishTarget) -> Self {
        Self {
            address: format!("{}:{}", target.host, target.port),
            idle: Mutex::default(),
            stored: Mutex::default(),
        }
    }

    pub(super) async fn begin(&self, names: &Names) -> Result<MemcachedUpdate<'_>, TargetError> {
        let mut client = self.client().await?;
        let cas = match read_cas(&mut client, names).await {
            // An idle connection may have been closed long ago.
            Err(TargetError::Unreachable(_)) => {
                self.idle.lock().clear();
                client = self.client().await?;
                read_cas(&mut client, names).await?
            }
            cas => cas?,
        };
        let published = {
            let stored = self.stored.lock();
            let stored = stored.get(&names.set);
            stored
                .filter(|stored| Some(stored.cas) == cas)
                .map(|stored| stored.version.clone())
        };
        Ok(MemcachedUpdate {
            target: self,
            client,
            cas,
            published,
        })
    }

    async fn client(&self) -> Result<Client, TargetError> {
        if let Some(client) = self.idle.lock().pop() {
            return Ok(client);
        }
        let unreachable =
            |why: String| TargetError::Unreachable(format!("{}: {why}", self.address));
        let url = format!("tcp://{}", self.address);
        match timeout(CONNECT_TIMEOUT, Client::new(url)).await {
            Ok(Ok(client)) => Ok(client),
            Ok(Err(error)) => Err(unreachable(error.to_string())),
            Err(_) => Err(unreachable(format!(
                "no connection within {CONNECT_TIMEOUT:?}"
            ))),
        }
    }

    fn keep(&self, client: Client) {
        let mut idle = self.idle.lock();
        if idle.len() < IDLE_CONNECTIONS_MAX && !client.is_closed() {
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
    pub(super) fn published(&self) -> Option<&str> {
        self.published.as_deref()
    }

    pub(super) const fn is_there(&self) -> bool {
        self.cas.is_some()
    }

    pub(super) async fn replace(
        mut self,
        names: &Names,
        content: Content,
    ) -> Result<Replaced, TargetError> {
        let condition = self
            .cas
            .map_or_else(|| "ME".to_owned(), |cas| format!("C{cas}"));
        let expiry = format!("T{}", expiry(content.ttl));
        let flags = [condition.as_str(), expiry.as_str(), "c"];
        let set = self.client.meta_set(
            &names.set,
            content.json.as_slice(),
            false,
            None,
            Some(&flags),
        );
        let outcome = in_time(set).await?;
        let stored = match outcome {
            Ok(stored) => stored,
            Err(error) => return self.not_replaced(&error),
        };
        let cas = stored.and_then(|item| item.cas);
        let version = content.version;
        if let Some(cas) = cas {
            self.target.remember(&names.set, Stored { cas, version });
        }
        self.target.keep(self.client);
        Ok(Replaced::Yes)
    }

    pub(super) async fn remove(mut self, names: &Names) -> Result<Replaced, TargetError> {
        let Some(cas) = self.cas else {
            self.target.keep(self.client);
            return Ok(Replaced::Yes);
        };
        let condition = format!("C{cas}");
        let flags = [condition.as_str()];
        let delete = self
            .client
            .meta_delete(&names.set, false, None, Some(&flags));
        match in_time(delete).await? {
            Ok(_) => {
                self.target.keep(self.client);
                Ok(Replaced::Yes)
            }
            Err(error) => self.not_replaced(&error),
        }
    }

    pub(super) async fn abandon(
        mut self,
        names: &Names,
        ttl: Option<Duration>,
    ) -> Result<(), TargetError> {
        if ttl.is_some() {
            let expiry = format!("T{}", expiry(ttl));
            let flags = [expiry.as_str()];
            let touch = self.client.meta_get(&names.set, false, None, Some(&flags));
            in_time(touch)
                .await?
                .map_err(|error| target_error(&error))?;
        }
        self.target.keep(self.client);
        Ok(())
    }

    fn not_replaced(self, error: &Error) -> Result<Replaced, TargetError> {
        match error {
            Error::Protocol(Status::Exists | Status::NotStored | Status::NotFound) => {
                self.target.keep(self.client);
                Ok(Replaced::Overtaken)
            }
            error => Err(target_error(error)),
        }
    }
}

/// Returns the item's `cas`, if the item exists.
async fn read_cas(client: &mut Client, names: &Names) -> Result<Option<u64>, TargetError> {
    let reply = in_time(client.meta_get(&names.set, false, None, Some(&["c"]))).await?;
    let item = reply.map_err(|error| target_error(&error))?;
    Ok(item.and_then(|item| item.cas))
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

async fn in_time<T>(work: impl Future<Output = T>) -> Result<T, TargetError> {
    let outcome = timeout(COMMAND_TIMEOUT, work).await;
    outcome.map_err(|_| TargetError::Unreachable("no reply in time".to_owned()))
}

fn target_error(error: &Error) -> TargetError {
    match error {
        Error::Protocol(_) | Error::ParseError(_) => TargetError::Rejected(error.to_string()),
        _ => TargetError::Unreachable(error.to_string()),
    }
}
