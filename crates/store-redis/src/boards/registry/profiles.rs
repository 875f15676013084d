//! Where the profiles of each kind are.
//!
//! The profiles of a kind have an incarnation, which ends with the kind, so that a later kind of its name begins
//! without any, though their keys are removed later.

use std::time::Duration;

use board::{Incarnation, KindName, ShardCount};
use redis_nodes::{CallError, registry_key};
use shard_store::StoreError;

use super::boards::drawn;
use super::record::{hex, servers_named, servers_text};
use super::{Registry, flag, text};
use crate::boards::profiles::ProfilesPlace;
use crate::boards::wire::{Garbled, Unpack};

/// Shards of the profiles of a kind, whatever its boards have: it has one set of them, and they are read by member.
const PROFILE_SHARDS: u64 = 64;

/// How long after the end of a kind its profiles are removed again: longer than a write that had begun may take.
const ENDED_FOR: Duration = Duration::from_hours(1);

/// Maximum ended kinds that are returned at once.
const ENDED_MAX: usize = 1_000;

impl Registry {
    /// Returns where the profiles of a kind are, if it may have any.
    pub(crate) async fn profiles_place(
        &self,
        kind: &KindName,
    ) -> Result<Option<ProfilesPlace>, StoreError> {
        let keys = vec![registry_key("profiles")];
        let answer = self.read("profiles_place", keys, vec![text(kind)]).await?;
        if answer.is_empty() {
            return Ok(None);
        }
        Ok(Some(parse(kind, &answer)?))
    }

    /// Returns where the profiles of a kind are to be. `StaleKind`: it does not exist.
    pub(crate) async fn place_profiles(
        &self,
        kind: &KindName,
    ) -> Result<ProfilesPlace, StoreError> {
        let servers = servers_text(&self.servers.ids());
        let place = format!("{} {PROFILE_SHARDS} {servers}", drawn()?);
        let keys = vec![registry_key("kinds"), registry_key("profiles")];
        let args = vec![text(kind), place.into(), flag(self.settings.acks > 0)];
        match self.write("place_profiles", keys, args).await {
            Err(CallError::Refused(refusal)) if refusal.code == "STALE" => {
                Err(StoreError::StaleKind)
            }
            answer => parse(kind, &answer?).map_err(Garbled::in_doubt),
        }
    }

    /// Returns where profiles are whose kinds were deleted, the oldest first.
    pub(crate) async fn ended_profiles(&self) -> Result<Vec<ProfilesPlace>, StoreError> {
        let keys = vec![registry_key("ended_profiles")];
        let args = vec![text(ENDED_MAX)];
        let answer = self.read("ended_profiles", keys, args).await?;
        Ok(parse_ended(&answer)?)
    }

    /// Forgets ended profiles that were removed, unless they ended just now.
    pub(crate) async fn forget_profiles(&self, ended: &ProfilesPlace) -> Result<(), StoreError> {
        let ProfilesPlace {
            kind,
            incarnation,
            shards,
            servers,
        } = ended;
        let servers = servers_text(servers);
        let line = format!("{incarnation} {} {servers} {kind}", shards.get());
        let args = vec![text(ENDED_FOR.as_millis()), line.into()];
        let keys = vec![registry_key("ended_profiles")];
        self.write("forget_profiles", keys, args).await?;
        Ok(())
    }
}

fn parse(kind: &KindName, answer: &[u8]) -> Result<ProfilesPlace, Garbled> {
    const WRONG: Garbled = Garbled("no place of profiles");
    let place = std::str::from_utf8(answer).map_err(|_| WRONG)?;
    let words: Vec<&str> = place.split(' ').collect();
    let &[incarnation, shards, servers] = words.as_slice() else {
        return Err(WRONG);
    };
    let shards = shards.parse().ok().and_then(ShardCount::new);
    Ok(ProfilesPlace {
        kind: kind.clone(),
        incarnation: Incarnation(hex(incarnation)?),
        shards: shards.ok_or(WRONG)?,
        servers: servers_named(servers)?,
    })
}

fn parse_ended(answer: &[u8]) -> Result<Vec<ProfilesPlace>, Garbled> {
    const WRONG: Garbled = Garbled("no place of ended profiles");
    let mut answer = Unpack::new(answer);
    let count = answer.array()?;
    let places = (0..count).map(|_| {
        let (place, kind) = answer.text()?.rsplit_once(' ').ok_or(WRONG)?;
        parse(&kind.parse().map_err(|_| WRONG)?, place.as_bytes())
    });
    places.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_place_is_refused() {
        let kind = "gifts".parse().unwrap();
        let place = parse(&kind, b"00000000000000ff 64 -").unwrap();
        assert_eq!(
            (place.incarnation, place.shards.get()),
            (Incarnation(255), 64)
        );
        let of_two = parse(
            &kind,
            b"00000000000000ff 64 0000000000000001,0000000000000002",
        );
        assert_eq!(of_two.unwrap().servers.len(), 2);
        for wrong in ["", "ff", "00000000000000ff 63 -", "fg 64 -", "ff 64 - x"] {
            assert!(parse(&kind, wrong.as_bytes()).is_err(), "{wrong}");
        }
    }
}
