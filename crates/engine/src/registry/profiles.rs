//! Profiles of members: changed only while their kind exists, and deleted with it.

use std::borrow::Cow;

use board::{KindName, Member, Profile};
use shard_store::{ProfileChange, StoreError};

use super::Registry;
use crate::log::{Event, Log};

impl Registry {
    /// Applies changes of profiles, in order. `StaleKind`: the kind does not exist.
    pub fn change_profiles(
        &self,
        kind: &KindName,
        changes: &[ProfileChange],
        log: &mut dyn Log,
    ) -> Result<(), StoreError> {
        let kinds = self.kinds.read();
        let known = kinds.get(kind);
        if known.is_none_or(|known| known.record.kind.is_none()) {
            return Err(StoreError::StaleKind);
        }
        for change in changes {
            let event = Event::ProfileChanged {
                kind: Cow::Borrowed(kind),
                change: Cow::Borrowed(change),
            };
            let record = || log.record(event);
            self.profiles.change(kind, change, record);
        }
        Ok(())
    }

    /// Returns the profiles of members, in order.
    pub fn profiles(&self, kind: &KindName, members: &[Member]) -> Vec<Option<Profile>> {
        self.profiles.get(kind, members)
    }

    /// Returns approximately how many bytes of memory all profiles use.
    pub fn profiles_weight(&self) -> u64 {
        self.profiles.weight()
    }

    /// Returns copies of all profiles, some at a time.
    pub fn profile_parts(
        &self,
    ) -> impl Iterator<Item = (KindName, Vec<(Member, Profile)>)> + use<> {
        self.profiles.parts()
    }

    /// Restores a profile from a snapshot, which may have one of a kind that was created while it was taken, or replays
    /// its change.
    pub fn replay_profile(&self, kind: &KindName, change: &ProfileChange) {
        self.profiles.change(kind, change, || {});
    }
}
