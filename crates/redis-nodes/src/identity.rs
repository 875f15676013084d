//! The identity of an independent server, which it stores, so that neither the order of a list nor
//! an empty or foreign server does harm.

use std::collections::BTreeSet;

use crate::call::ServerId;
use crate::keys::{FORMAT, SERVER};
use crate::link::Link;
use crate::probe::NoLink;
use crate::redis_link::{Address, CommandError, reply};

/// The identity of a server, and that of the server with the registry of its store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Expected {
    pub(crate) id: ServerId,
    pub(crate) registry: ServerId,
}

/// Reads the identity of a server.
pub(crate) async fn read(link: &Link) -> Result<Option<Expected>, CommandError> {
    let answer = link.send("HMGET", &[SERVER, "id", "registry"]).await?;
    let fields = reply::items(&answer).unwrap_or_default();
    if fields.iter().all(reply::is_null) {
        return Ok(None);
    }
    let id = |at: usize| {
        let text = fields.get(at).and_then(reply::text)?;
        let digits = text.strip_prefix(FORMAT)?;
        u64::from_str_radix(digits, 16).ok().map(ServerId)
    };
    match (id(0), id(1)) {
        (Some(id), Some(registry)) => Ok(Some(Expected { id, registry })),
        _ => Err(CommandError::Lost(format!(
            "what it keeps in {SERVER} is not an identity"
        ))),
    }
}

/// Gives an empty server its identity.
pub(crate) async fn write(link: &Link, identity: Expected) -> Result<(), CommandError> {
    let [id, registry] = [identity.id, identity.registry].map(|id| format!("{FORMAT}{id}"));
    let args = [SERVER, "id", &id, "registry", &registry];
    link.send("HSET", &args).await.map(drop)
}

/// Checks whether a server still has its identity.
pub(crate) async fn check(link: &Link, expected: &Expected) -> Result<(), NoLink> {
    match read(link).await? {
        Some(found) if found == *expected => Ok(()),
        Some(found) => Err(NoLink::Refused(format!(
            "it is server {} of the store of {}, not server {}",
            found.id, found.registry, expected.id
        ))),
        None => Err(NoLink::Refused(format!(
            "it has lost its data: it was server {}, and has no identity now. Restore its data, or \
             start Megaboard again with accept_empty naming it, which goes on without what it had",
            expected.id
        ))),
    }
}

/// The identities of the servers of a list.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Roster {
    pub(crate) registry: ServerId,
    /// The identity of each server of the list, in its order.
    pub(crate) ids: Vec<ServerId>,
    /// The servers of the list that have not yet stored theirs.
    pub(crate) empty: Vec<usize>,
    /// Those of them that replace a server whose data is lost.
    pub(crate) stand_ins: Vec<usize>,
}

/// Assigns identities. `found` is what each server of the list has stored, `members` are the
/// identities that the registry lists, `draw` returns new identities.
pub(crate) fn roster(
    servers: &[Address],
    found: &[Option<Expected>],
    members: &[ServerId],
    accept_empty: &[Address],
    mut draw: impl FnMut() -> ServerId,
) -> Result<Roster, String> {
    let empty: Vec<usize> = (0..servers.len())
        .filter(|at| found[*at].is_none())
        .collect();
    let Some(registry) = one_registry(servers, found)? else {
        let ids: Vec<ServerId> = servers.iter().map(|_| draw()).collect();
        return Ok(Roster {
            registry: ids[0],
            ids,
            empty,
            stand_ins: Vec::new(),
        });
    };
    for at in &empty {
        if !accept_empty.contains(&servers[*at]) {
            let server = &servers[*at];
            return Err(format!(
                "{server} has no identity, though other servers have: it has lost its data, or it \
                 is new. Restore its data, or name it in accept_empty to take it as it is"
            ));
        }
    }
    let known: BTreeSet<ServerId> = members.iter().copied().chain([registry]).collect();
    let present: BTreeSet<ServerId> = found.iter().flatten().map(|each| each.id).collect();
    let mut missing: Vec<ServerId> = known.difference(&present).copied().collect();
    missing.reverse();
    let mut stand_ins = Vec::new();
    let ids = (0..servers.len()).map(|at| match (found[at], missing.pop()) {
        (Some(found), lost) => {
            missing.extend(lost);
            found.id
        }
        (None, Some(lost)) => {
            stand_ins.push(at);
            lost
        }
        (None, None) => draw(),
    });
    let ids = ids.collect();
    if let Some(lost) = missing.first() {
        return Err(format!(
            "no server of the list is server {lost}, which has boards: name it, wherever it is \
             now. If its data is lost, add an empty server and name that in accept_empty too"
        ));
    }
    Ok(Roster {
        registry,
        ids,
        empty,
        stand_ins,
    })
}

/// Returns the registry that all servers with an identity name.
fn one_registry(
    servers: &[Address],
    found: &[Option<Expected>],
) -> Result<Option<ServerId>, String> {
    let named = || {
        servers.iter().zip(found).filter_map(|(server, found)| {
            let found = found.as_ref()?;
            Some((server, found))
        })
    };
    let Some((first, of_first)) = named().next() else {
        return Ok(None);
    };
    for (at, (server, found)) in named().enumerate() {
        if found.registry != of_first.registry {
            return Err(format!(
                "{first} and {server} belong to different stores: their registries are on servers \
                 {} and {}",
                of_first.registry, found.registry
            ));
        }
        if let Some((twin, _)) = named().take(at).find(|(_, twin)| twin.id == found.id) {
            return Err(format!(
                "{twin} and {server} are both server {}: one is a copy of the other, or the same \
                 under another name. Name one of them",
                found.id
            ));
        }
    }
    Ok(Some(of_first.registry))
}

#[cfg(test)]
mod tests;
