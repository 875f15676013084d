//! Profiles of members: [`Profiles`], hashes that a kind has once for all its boards.
//!
//! They are sharded by the member's hash, as boards are, over as many slots as the registry says (`registry/profiles`).
//! A write asks the registry for that place first, so that it never goes to those of a kind that was deleted before it
//! began. A read uses the place that was found for the same revision of the kind.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use board::{Incarnation, KindName, Member, Profile, ShardCount};
use bytes::Bytes;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::boards::call_error::{failed, unread};
use crate::boards::keys;
use crate::boards::registry::Registry;
use crate::boards::settings::RedisSettings;
use crate::boards::spread;
use crate::boards::wire::{Garbled, Unpack};
use redis_nodes::{Call, Effect, Location, Nodes, ServerId};
use shard_store::{KindRecord, ProfileChange, Revision, StoreError};

/// The number of shards that are called at once.
const CALLS_AT_ONCE: usize = 32;

/// The number of members of one read: Redis does nothing else meanwhile.
const MEMBERS_MAX: usize = 1_000;

/// Where the profiles of a kind are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProfilesPlace {
    pub(crate) kind: KindName,
    /// It ends with the kind.
    pub(crate) incarnation: Incarnation,
    pub(crate) shards: ShardCount,
    /// The independent servers over which they are spread; none on other topologies.
    pub(crate) servers: Arc<[ServerId]>,
}

impl ProfilesPlace {
    fn location(&self, shard: u16) -> Location {
        spread::location(self.incarnation, self.shards, &self.servers, shard)
    }

    fn key(&self, shard: u16) -> Bytes {
        keys::profiles(&self.kind, self.incarnation, self.shards, shard)
    }
}

/// The place of a kind's profiles, as it was found.
#[derive(Debug)]
struct Found {
    revision: Revision,
    /// Of the registry.
    epoch: u64,
    place: Arc<ProfilesPlace>,
}

/// The profiles of a store.
#[derive(Debug)]
pub struct Profiles {
    servers: Arc<Nodes>,
    registry: Arc<Registry>,
    read_deadline: Duration,
    write_deadline: Duration,
    /// At most one for each kind.
    found: Mutex<HashMap<KindName, Found>>,
}

/// What one call of a function is about: members of shards of one slot, or of one server.
#[derive(Debug, Default)]
struct ProfileCall {
    /// By shard, the indexes of its members.
    shards: BTreeMap<u16, Vec<usize>>,
}

impl Profiles {
    /// Creates the profiles of these nodes.
    #[must_use]
    pub fn new(servers: Arc<Nodes>, registry: Arc<Registry>, settings: &RedisSettings) -> Self {
        Self {
            servers,
            registry,
            read_deadline: settings.read_deadline,
            write_deadline: settings.write_deadline,
            found: Mutex::default(),
        }
    }

    /// Changes profiles, in order.
    pub fn put<'a>(
        &'a self,
        kind: &'a KindRecord,
        changes: &'a [ProfileChange],
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        self.put_all(kind, changes).boxed()
    }

    async fn put_all(
        &self,
        kind: &KindRecord,
        changes: &[ProfileChange],
    ) -> Result<(), StoreError> {
        let puts = changes.iter().any(|change| change.profile.is_some());
        let place = if puts {
            self.registry.place_profiles(&kind.name).await?
        } else {
            match self.registry.profiles_place(&kind.name).await? {
                Some(place) => place,
                None => return Ok(()),
            }
        };
        let until = Instant::now() + self.write_deadline;
        let members = changes.iter().map(|change| &change.member);
        let calls = self.calls(&place, members).into_iter().map(|(at, of)| {
            let change = |args: &mut Vec<Bytes>, index: usize| {
                let ProfileChange { member, profile } = &changes[index];
                args.push(Bytes::copy_from_slice(member.as_bytes()));
                let json = profile.as_ref().map_or("", Profile::as_json);
                args.push(Bytes::copy_from_slice(json.as_bytes()));
            };
            let of_puts = of.shards.values().flatten();
            let puts = of_puts
                .clone()
                .any(|index| changes[*index].profile.is_some());
            let function = if puts {
                "put_profiles"
            } else {
                "delete_profiles"
            };
            let call = of.call(&place, function, Effect::Write, until, change);
            async move { self.servers.call(at, &call).await.map(drop).map_err(failed) }
        });
        let calls: Vec<_> = calls.collect();
        let done: Vec<Result<(), StoreError>> = stream::iter(calls)
            .buffer_unordered(CALLS_AT_ONCE)
            .collect()
            .await;
        all_or_unknown(done)
    }

    /// Returns the profiles of members, in order.
    pub fn get<'a>(
        &'a self,
        kind: &'a KindRecord,
        members: &'a [Member],
    ) -> BoxFuture<'a, Result<Vec<Option<Profile>>, StoreError>> {
        self.get_all(kind, members).boxed()
    }

    async fn get_all(
        &self,
        kind: &KindRecord,
        members: &[Member],
    ) -> Result<Vec<Option<Profile>>, StoreError> {
        let Some(place) = self.place(kind).await? else {
            return Ok(vec![None; members.len()]);
        };
        let mut all = Vec::with_capacity(members.len());
        for members in members.chunks(MEMBERS_MAX) {
            all.extend(self.get_some(&place, members).await?);
        }
        Ok(all)
    }

    async fn get_some(
        &self,
        place: &ProfilesPlace,
        members: &[Member],
    ) -> Result<Vec<Option<Profile>>, StoreError> {
        let until = Instant::now() + self.read_deadline;
        let calls = self.calls(place, members.iter()).into_iter();
        let calls = calls.map(|(at, of)| {
            let member = |args: &mut Vec<Bytes>, index: usize| {
                args.push(Bytes::copy_from_slice(members[index].as_bytes()));
            };
            let call = of.call(place, "profiles", Effect::Read, until, member);
            async move {
                let answer = self.servers.call(at, &call).await.map_err(failed)?;
                let profiles = parse(&answer.payload).map_err(unread)?;
                let indexes: Vec<usize> = of.shards.into_values().flatten().collect();
                if profiles.len() == indexes.len() {
                    Ok(indexes.into_iter().zip(profiles))
                } else {
                    Err(unread(Garbled("another number of profiles")))
                }
            }
        });
        let calls: Vec<_> = calls.collect();
        let read = stream::iter(calls).buffer_unordered(CALLS_AT_ONCE);
        let read: Vec<_> = read.try_collect().await?;
        let mut all = vec![None; members.len()];
        for (index, profile) in read.into_iter().flatten() {
            all[index] = profile;
        }
        Ok(all)
    }

    /// Removes the profiles of kinds that were deleted.
    pub async fn drop_ended(&self) -> Result<(), StoreError> {
        let until = Instant::now() + self.write_deadline;
        for place in self.registry.ended_profiles().await? {
            let drops = (0..place.shards.get()).map(|shard| {
                let call = Call {
                    function: "drop_profiles",
                    keys: vec![place.key(shard)],
                    args: Vec::new(),
                    effect: Effect::Write,
                    until,
                    waits_until: None,
                    closes: None,
                };
                let at = place.location(shard);
                async move { self.servers.call(at, &call).await.map(drop).map_err(failed) }
            });
            let drops = stream::iter(drops.collect::<Vec<_>>()).buffer_unordered(CALLS_AT_ONCE);
            drops.try_collect::<()>().await?;
            self.registry.forget_profiles(&place).await?;
        }
        Ok(())
    }

    /// Returns where the profiles of this revision of a kind are. Without any there is no place, which another server
    /// may change at any time, so that it is not remembered.
    async fn place(&self, kind: &KindRecord) -> Result<Option<Arc<ProfilesPlace>>, StoreError> {
        let epoch = self.registry.epoch();
        let known = self.found.lock().get(&kind.name).and_then(|found| {
            let is_current = found.revision == kind.revision && found.epoch == epoch;
            is_current.then(|| found.place.clone())
        });
        if known.is_some() {
            return Ok(known);
        }
        let place = self
            .registry
            .profiles_place(&kind.name)
            .await?
            .map(Arc::new);
        if let Some(place) = &place {
            let found = Found {
                revision: kind.revision,
                epoch,
                place: place.clone(),
            };
            self.found.lock().insert(kind.name.clone(), found);
        }
        Ok(place)
    }

    /// Divides members into calls: one for each server, where a call may have keys of any slots, otherwise one for each
    /// shard.
    fn calls<'a>(
        &self,
        place: &ProfilesPlace,
        members: impl Iterator<Item = &'a Member>,
    ) -> Vec<(Location, ProfileCall)> {
        let mut calls: Vec<(Location, ProfileCall)> = Vec::new();
        let mut known: HashMap<(Option<ServerId>, Option<u16>), usize> = HashMap::new();
        for (index, member) in members.enumerate() {
            let shard = place.shards.shard_of(member.placement_hash());
            let location = place.location(shard);
            let any_slot = self.servers.takes_any_slot(location);
            let group = (location.server, (!any_slot).then_some(shard));
            let call = *known.entry(group).or_insert_with(|| {
                calls.push((location, ProfileCall::default()));
                calls.len() - 1
            });
            let (_, call) = &mut calls[call];
            call.shards.entry(shard).or_default().push(index);
        }
        calls
    }
}

impl ProfileCall {
    /// Returns the call of a function. `push` adds the arguments of the member at an index.
    fn call(
        &self,
        place: &ProfilesPlace,
        function: &'static str,
        effect: Effect,
        until: Instant,
        push: impl Fn(&mut Vec<Bytes>, usize),
    ) -> Call {
        let mut args = Vec::new();
        for indexes in self.shards.values() {
            args.push(indexes.len().to_string().into());
            for index in indexes {
                push(&mut args, *index);
            }
        }
        Call {
            function,
            keys: self.shards.keys().map(|shard| place.key(*shard)).collect(),
            args,
            effect,
            until,
            waits_until: None,
            closes: None,
        }
    }
}

fn parse(answer: &[u8]) -> Result<Vec<Option<Profile>>, Garbled> {
    let mut answer = Unpack::new(answer);
    let count = answer.array()?;
    let profiles = (0..count).map(|_| match answer.text()? {
        "" => Ok(None),
        json => Profile::new(json)
            .map(Some)
            .map_err(|_| Garbled("no profile")),
    });
    profiles.collect()
}

/// Returns the first error, as `Unknown` if some of the changes were done.
fn all_or_unknown(done: Vec<Result<(), StoreError>>) -> Result<(), StoreError> {
    let any_done = done.iter().any(Result::is_ok);
    let failed = done.into_iter().find_map(Result::err);
    match failed {
        None => Ok(()),
        Some(error @ StoreError::Unknown(_)) => Err(error),
        Some(error) if any_done => Err(StoreError::Unknown(format!(
            "some of the profiles may have been written: {error}"
        ))),
        Some(error) => Err(error),
    }
}
