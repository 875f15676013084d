//! Independent servers: [`Independent`]. Each is known by the identity that it stores.

use std::sync::Arc;

use futures::future::try_join_all;
use tokio::time::{Instant, sleep};

use crate::call::ServerId;
use crate::dial::Dial;
use crate::identity::{self, Expected, Roster};
use crate::keys;
use crate::link::Link;
use crate::node::Node;
use crate::open_error::OpenError;
use crate::probe::NoLink;
use crate::redis_link::{Address, Backoff, CommandError, reply};
use crate::start_lock::{START_PAUSES, StartLock};

/// Servers that are not connected with one another.
#[derive(Debug)]
pub(crate) struct Independent {
    registry: ServerId,
    /// By identity.
    servers: Vec<(ServerId, Arc<Node>)>,
}

impl Independent {
    /// Reads the identities, and begins to connect.
    pub(crate) async fn open(
        dial: &Arc<Dial>,
        addresses: &[Address],
        accept_empty: &[Address],
        until: Instant,
    ) -> Result<Self, OpenError> {
        let asked = addresses.iter().map(|address| link(dial, address, until));
        let links = try_join_all(asked).await?;
        // One start at a time: two that find empty servers would assign different identities.
        let first = addresses
            .iter()
            .enumerate()
            .min_by_key(|(_, address)| address.to_string());
        let first = &links[first.map_or(0, |(at, _)| at)];
        let lock = StartLock::acquire(first, until).await?;
        let roster = assign_identities(&links, addresses, accept_empty).await;
        lock.release(first).await;
        Ok(Self::of(dial, addresses, &roster?))
    }

    fn of(dial: &Arc<Dial>, addresses: &[Address], roster: &Roster) -> Self {
        let servers = addresses.iter().enumerate().map(|(at, address)| {
            let expected = roster.expected(at);
            let node = Node::start(dial, address.clone(), Some(expected));
            (expected.id, Arc::new(node))
        });
        let mut servers: Vec<_> = servers.collect();
        servers.sort_unstable_by_key(|(id, _)| *id);
        Self {
            registry: roster.registry,
            servers,
        }
    }

    pub(crate) fn registry(&self) -> ServerId {
        self.registry
    }

    /// Returns all identities, in their order.
    pub(crate) fn ids(&self) -> Vec<ServerId> {
        self.servers.iter().map(|(id, _)| *id).collect()
    }

    pub(crate) fn servers(&self) -> &[(ServerId, Arc<Node>)] {
        &self.servers
    }

    pub(crate) fn node(&self, id: ServerId) -> Result<Arc<Node>, String> {
        let location = self.servers.binary_search_by_key(&id, |(id, _)| *id);
        let location = location.map_err(|_| format!("server {id} is not in the list"))?;
        Ok(self.servers[location].1.clone())
    }
}

/// Reads the identities, and assigns new ones to servers without.
async fn assign_identities(
    links: &[Link],
    addresses: &[Address],
    accept_empty: &[Address],
) -> Result<Roster, OpenError> {
    let mut found = Vec::new();
    for link in links {
        found.push(identity::read(link).await.map_err(unreachable(link))?);
    }
    let members = members(links, &found).await?;
    let draw = || ServerId(getrandom::u64().unwrap_or_default());
    let roster = identity::roster(addresses, &found, &members, accept_empty, draw)
        .map_err(OpenError::Refused)?;
    for at in &roster.empty {
        let link = &links[*at];
        log_identity(link, &roster, *at);
        let identity = roster.expected(*at);
        let written = identity::write(link, identity).await;
        written.map_err(unreachable(link))?;
    }
    let at_registry = roster.ids.iter().position(|id| *id == roster.registry);
    if let Some(link) = at_registry.and_then(|at| links.get(at)) {
        let kept = keep_members(link, &roster.ids).await;
        kept.map_err(unreachable(link))?;
    }
    Ok(roster)
}

impl Roster {
    fn expected(&self, at: usize) -> Expected {
        Expected {
            id: self.ids[at],
            registry: self.registry,
        }
    }
}

fn unreachable(link: &Link) -> impl Fn(CommandError) -> OpenError {
    |error| OpenError::Unreachable(link.failure(&error))
}

fn log_identity(link: &Link, roster: &Roster, at: usize) {
    let (node, id) = (link.address(), roster.ids[at]);
    if roster.stand_ins.contains(&at) {
        tracing::error!(%node, "replaces server {id}: the data of that server is lost");
    } else {
        tracing::info!(%node, "is server {id} from now on");
    }
}

/// Connects to the server, with attempts until a deadline.
async fn link(dial: &Dial, address: &Address, until: Instant) -> Result<Link, OpenError> {
    let mut pause = Backoff::new(START_PAUSES.0, START_PAUSES.1);
    loop {
        match Link::open(dial, address).await {
            Ok(opened) => return Ok(opened),
            Err(NoLink::Refused(why)) => {
                return Err(OpenError::Refused(format!("{address}: {why}")));
            }
            Err(NoLink::Down(why)) if Instant::now() >= until => {
                return Err(OpenError::Unreachable(format!("{address}: {why}")));
            }
            Err(NoLink::Down(_)) => sleep(pause.next_pause()).await,
        }
    }
}

/// Returns all servers that the registry lists; none if the registry is not among the servers.
async fn members(links: &[Link], found: &[Option<Expected>]) -> Result<Vec<ServerId>, OpenError> {
    let is_registry = |found: &Option<Expected>| found.is_some_and(|it| it.id == it.registry);
    let Some(at) = found.iter().position(is_registry) else {
        return Ok(Vec::new());
    };
    let link = &links[at];
    let answer = link.send("GET", &[&members_key()]).await;
    let answer = answer.map_err(unreachable(link))?;
    let ids = reply::text(&answer)
        .unwrap_or_default()
        .split_ascii_whitespace()
        .map(|id| u64::from_str_radix(id, 16).map(ServerId));
    let ids: Result<Vec<_>, _> = ids.collect();
    ids.map_err(|_| {
        OpenError::Refused(format!(
            "{}: its list of members could not be parsed",
            link.address()
        ))
    })
}

/// Returns the key that holds the identities of all members, in one string: the client may mistake
/// a reply of several strings for something else.
fn members_key() -> String {
    String::from_utf8_lossy(&keys::registry("members")).into_owned()
}

async fn keep_members(link: &Link, ids: &[ServerId]) -> Result<(), CommandError> {
    let text: Vec<String> = ids.iter().map(ServerId::to_string).collect();
    let args = [members_key(), text.join(" ")];
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    link.send("SET", &args).await.map(drop)
}
