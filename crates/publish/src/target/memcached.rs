//! A memcached that boards are published to, as JSON: it has no sorted sets.
//!
//! The look asks for the item's `cas` alone; the switch stores under it (meta protocol, `C`), or only if there
//! is no item. What an item says is known of those that were stored here: one that somebody else stored
//! is replaced. The flags of an item stay 0, since clients take them for its type.

use std::collections::HashMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_memcached::{Client, Error, MetaProtocol, Status};
use board::PublishTarget;
use parking_lot::Mutex;
use tokio::time::timeout;

use super::{COMMAND_TIMEOUT, CONNECT_TIMEOUT, Fault, IDLE_CONNECTIONS_MAX, Switched};
use crate::content::Content;
use crate::names::Names;

/// Items whose content is remembered.
const REMEMBERED_MAX: usize = 65_536;

/// Above this many seconds memcached takes an expiry for a time since 1970.
const RELATIVE_EXPIRY_MAX_S: u64 = 30 * 24 * 3600;

/// What was stored under this `cas`.
struct Stored {
    cas: u64,
    mark: String,
}

/// The server, and its idle connections.
pub(crate) struct MemcachedTarget {
    address: String,
    idle: Mutex<Vec<Client>>,
    stored: Mutex<HashMap<String, Stored>>,
}

/// An item as it was seen.
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

    pub(super) async fn begin(&self, names: &Names) -> Result<MemcachedUpdate<'_>, Fault> {
        let mut client = self.client().await?;
        let cas = match look(&mut client, names).await {
            // One that was kept may have ended long ago.
            Err(Fault::Away(_)) => {
                self.idle.lock().clear();
                client = self.client().await?;
                look(&mut client, names).await?
            }
            cas => cas?,
        };
        let published = {
            let stored = self.stored.lock();
            let stored = stored.get(&names.set);
            stored
                .filter(|stored| Some(stored.cas) == cas)
                .map(|stored| stored.mark.clone())
        };
        Ok(MemcachedUpdate {
            target: self,
            client,
            cas,
            published,
        })
    }

    async fn client(&self) -> Result<Client, Fault> {
        if let Some(client) = self.idle.lock().pop() {
            return Ok(client);
        }
        let away = |why: String| Fault::Away(format!("{}: {why}", self.address));
        let url = format!("tcp://{}", self.address);
        match timeout(CONNECT_TIMEOUT, Client::new(url)).await {
            Ok(Ok(client)) => Ok(client),
            Ok(Err(error)) => Err(away(error.to_string())),
            Err(_) => Err(away(format!("no connection within {CONNECT_TIMEOUT:?}"))),
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
        if all.len() >= REMEMBERED_MAX && !all.contains_key(key) {
            // What is forgotten is stored once more.
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

    pub(super) async fn switch(
        mut self,
        names: &Names,
        content: Content,
    ) -> Result<Switched, Fault> {
        let only = self
            .cas
            .map_or_else(|| "ME".to_owned(), |cas| format!("C{cas}"));
        let expiry = format!("T{}", expiry(content.lasts));
        let flags = [only.as_str(), expiry.as_str(), "c"];
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
            Err(error) => return self.not_done(&error),
        };
        let cas = stored.and_then(|item| item.cas);
        let mark = content.mark;
        if let Some(cas) = cas {
            self.target.remember(&names.set, Stored { cas, mark });
        }
        self.target.keep(self.client);
        Ok(Switched::Yes)
    }

    pub(super) async fn clear(mut self, names: &Names) -> Result<Switched, Fault> {
        let Some(cas) = self.cas else {
            self.target.keep(self.client);
            return Ok(Switched::Yes);
        };
        let only = format!("C{cas}");
        let flags = [only.as_str()];
        let delete = self
            .client
            .meta_delete(&names.set, false, None, Some(&flags));
        match in_time(delete).await? {
            Ok(_) => {
                self.target.keep(self.client);
                Ok(Switched::Yes)
            }
            Err(error) => self.not_done(&error),
        }
    }

    pub(super) async fn leave(
        mut self,
        names: &Names,
        lasts: Option<Duration>,
    ) -> Result<(), Fault> {
        if lasts.is_some() {
            let expiry = format!("T{}", expiry(lasts));
            let flags = [expiry.as_str()];
            let touch = self.client.meta_get(&names.set, false, None, Some(&flags));
            in_time(touch).await?.map_err(|error| fault(&error))?;
        }
        self.target.keep(self.client);
        Ok(())
    }

    fn not_done(self, error: &Error) -> Result<Switched, Fault> {
        match error {
            Error::Protocol(Status::Exists | Status::NotStored | Status::NotFound) => {
                self.target.keep(self.client);
                Ok(Switched::Overtaken)
            }
            error => Err(fault(error)),
        }
    }
}

/// The item's `cas`, if there is an item.
async fn look(client: &mut Client, names: &Names) -> Result<Option<u64>, Fault> {
    let seen = in_time(client.meta_get(&names.set, false, None, Some(&["c"]))).await?;
    let item = seen.map_err(|error| fault(&error))?;
    Ok(item.and_then(|item| item.cas))
}

/// Seconds, or from thirty days on the time since 1970; 0 is never.
fn expiry(lasts: Option<Duration>) -> u64 {
    let Some(lasts) = lasts else { return 0 };
    let seconds = lasts.as_secs().max(1);
    if seconds < RELATIVE_EXPIRY_MAX_S {
        return seconds;
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.unwrap_or_default().as_secs() + seconds
}

async fn in_time<T>(work: impl Future<Output = T>) -> Result<T, Fault> {
    let done = timeout(COMMAND_TIMEOUT, work).await;
    done.map_err(|_| Fault::Away("no reply in time".to_owned()))
}

fn fault(error: &Error) -> Fault {
    match error {
        Error::Protocol(_) | Error::ParseError(_) => Fault::Refused(error.to_string()),
        _ => Fault::Away(error.to_string()),
    }
}
