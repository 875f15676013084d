//! Profiles of members: [`Profiles`], hashes that a kind has once for all its boards.
//!
//! They are sharded by the member's hash, as boards are, over as many slots as the registry says (`registry/profiles`).
//! A write asks the registry for that place first, so that it never goes to those of a kind that was deleted before it
//! began. A read uses the place that was found for the same revision of the kind.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use board::{Incarnation, KindName, Member, Profile, ShardCount};
use bytes::Bytes;
use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::boards::parts::Parts;
use crate::boards::wire::{Garbled, Unpack};
use crate::boards::{keys, spread};
use redis_nodes::{Call, Effect, Location, ServerId};
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
pub(crate) struct Profiles {
    parts: Parts,
    /// At most one for each kind.
    found: Mutex<HashMap<KindName, Found>>,
}

/// What one call of a function is about: the indexes of members by their shards, which are of one slot, or of one
/// server.
type CallMembers = BTreeMap<u16, Vec<usize>>;

impl Profiles {
    /// Creates the profiles of these nodes.
    pub(crate) fn new(parts: &Parts) -> Self {
        Self {
            parts: parts.clone(),
            found: Mutex::default(),
        }
    }

    /// Changes profiles, in order.
    pub(crate) async fn put(
        &self,
        kind: &KindRecord,
        changes: &[ProfileChange],
    ) -> Result<(), StoreError> {
        let puts = changes.iter().any(|change| change.profile.is_some());
        let place = if puts {
            self.parts.registry.place_profiles(&kind.name).await?
        } else {
            match self.parts.registry.profiles_place(&kind.name).await? {
                Some(place) => place,
                None => return Ok(()),
            }
        };
        let until = Instant::now() + self.parts.settings.write_deadline;
        let members = changes.iter().map(|change| &change.member);
        let calls = self.calls(&place, members).into_iter().map(|(at, of)| {
            let change = |args: &mut Vec<Bytes>, index: usize| {
                let ProfileChange { member, profile } = &changes[index];
                args.push(Bytes::copy_from_slice(member.as_bytes()));
                let json = profile.as_ref().map_or("", Profile::as_json);
                args.push(Bytes::copy_from_slice(json.as_bytes()));
            };
            let of_puts = of.values().flatten();
            let puts = of_puts
                .clone()
                .any(|index| changes[*index].profile.is_some());
            let function = if puts {
                "put_profiles"
            } else {
                "delete_profiles"
            };
            let call = call_of(&of, &place, function, Effect::Write, until, change);
            self.change(at, call)
        });
        let calls: Vec<_> = calls.collect();
        let done: Vec<Result<(), StoreError>> = stream::iter(calls)
            .buffer_unordered(CALLS_AT_ONCE)
            .collect()
            .await;
        all_or_unknown(done)
    }

    async fn change(&self, at: Location, call: Call) -> Result<(), StoreError> {
        self.parts.servers.call(at, &call).await?;
        Ok(())
    }

    /// Returns the profiles of members, in order.
    pub(crate) async fn get(
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
        let until = Instant::now() + self.parts.settings.read_deadline;
        let calls = self.calls(place, members.iter()).into_iter();
        let calls = calls.map(|(at, of)| {
            let member = |args: &mut Vec<Bytes>, index: usize| {
                args.push(Bytes::copy_from_slice(members[index].as_bytes()));
            };
            let call = call_of(&of, place, "profiles", Effect::Read, until, member);
            async move {
                let answer = self.parts.servers.call(at, &call).await?;
                let profiles = parse(&answer.payload)?;
                let indexes: Vec<usize> = of.into_values().flatten().collect();
                if profiles.len() == indexes.len() {
                    Ok(indexes.into_iter().zip(profiles))
                } else {
                    Err(StoreError::from(Garbled("another number of profiles")))
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
    pub(crate) async fn drop_ended(&self) -> Result<(), StoreError> {
        let until = Instant::now() + self.parts.settings.write_deadline;
        for place in self.parts.registry.ended_profiles().await? {
            let drops = (0..place.shards.get()).map(|shard| {
                let keys = vec![place.key(shard)];
                let call = Call::new("drop_profiles", Effect::Write, keys, Vec::new(), until);
                let at = place.location(shard);
                self.change(at, call)
            });
            let drops = stream::iter(drops.collect::<Vec<_>>()).buffer_unordered(CALLS_AT_ONCE);
            drops.try_collect::<()>().await?;
            self.parts.registry.forget_profiles(&place).await?;
        }
        Ok(())
    }

    /// Returns where the profiles of this revision of a kind are. Without any there is no place, which another server
    /// may change at any time, so that it is not remembered.
    async fn place(&self, kind: &KindRecord) -> Result<Option<Arc<ProfilesPlace>>, StoreError> {
        let epoch = self.parts.registry.epoch();
        let known = self.found.lock().get(&kind.name).and_then(|found| {
            let is_current = found.revision == kind.revision && found.epoch == epoch;
            is_current.then(|| found.place.clone())
        });
        if known.is_some() {
            return Ok(known);
        }
        let place = self
            .parts
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
    ) -> Vec<(Location, CallMembers)> {
        let mut calls: Vec<(Location, CallMembers)> = Vec::new();
        let mut known: HashMap<(Option<ServerId>, Option<u16>), usize> = HashMap::new();
        for (index, member) in members.enumerate() {
            let shard = place.shards.shard_of(member.placement_hash());
            let location = place.location(shard);
            let any_slot = self.parts.servers.takes_any_slot(location);
            let group = (location.server, (!any_slot).then_some(shard));
            let call = *known.entry(group).or_insert_with(|| {
                calls.push((location, CallMembers::default()));
                calls.len() - 1
            });
            let (_, call) = &mut calls[call];
            call.entry(shard).or_default().push(index);
        }
        calls
    }
}

/// Returns the call of a function. `push` adds the arguments of the member at an index.
fn call_of(
    of: &CallMembers,
    place: &ProfilesPlace,
    function: &'static str,
    effect: Effect,
    until: Instant,
    push: impl Fn(&mut Vec<Bytes>, usize),
) -> Call {
    let mut args = Vec::new();
    for indexes in of.values() {
        args.push(indexes.len().to_string().into());
        for index in indexes {
            push(&mut args, *index);
        }
    }
    let keys = of.keys().map(|shard| place.key(*shard)).collect();
    Call::new(function, effect, keys, args, until)
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
