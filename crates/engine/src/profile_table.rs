//! Profiles of members in memory, by kind, for the stores of this process.
//!
//! [`ProfileTable`] has a table for each kind, in parts by the member's hash, each under a lock of its own. A change is
//! recorded under the lock of its part, so that a journal has the changes of a member in their order. Whether a kind
//! exists, and how much memory there is, is up to the caller.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use board::{KindName, Member, Profile};
use hashbrown::HashTable;
use parking_lot::RwLock;
use shard_store::{PROFILE_WEIGHT, ProfileChange};

/// Parts of the table of a kind: a snapshot copies one at a time, and writers of the others do not wait.
const PARTS: usize = 256;

/// A member whose name is longer has it on the heap.
const INLINE_BYTES: usize = 24;

/// All profiles of a store.
#[derive(Debug, Default)]
pub struct ProfileTable {
    kinds: RwLock<HashMap<KindName, Arc<KindProfiles>>>,
}

/// The profiles of some members, by their hashes.
type Part = RwLock<HashTable<(Member, Profile)>>;

/// The profiles of one kind.
#[derive(Debug)]
pub struct KindProfiles {
    parts: Box<[Part]>,
    weight: AtomicU64,
}

impl ProfileTable {
    /// Applies a change. Calls `record` under the lock of the member, unless nothing changes.
    pub fn change(&self, kind: &KindName, change: &ProfileChange, record: impl FnOnce()) {
        let held = self.of(kind);
        match (held, &change.profile) {
            (Some(profiles), _) => profiles.change(change, record),
            (None, Some(_)) => {
                let profiles = self.kinds.write().entry(kind.clone()).or_default().clone();
                profiles.change(change, record);
            }
            (None, None) => {}
        }
    }

    /// Returns the profiles of these members, in order.
    #[must_use]
    pub fn get(&self, kind: &KindName, members: &[Member]) -> Vec<Option<Profile>> {
        let profiles = self.of(kind);
        let get = |member| profiles.as_ref()?.get(member);
        members.iter().map(get).collect()
    }

    /// Removes the profiles of a kind. Freeing them takes a while: drop them without holding a lock.
    #[must_use]
    pub fn remove_kind(&self, kind: &KindName) -> Option<Arc<KindProfiles>> {
        self.of(kind)?;
        self.kinds.write().remove(kind)
    }

    /// Returns approximately how many bytes of memory all profiles use.
    #[must_use]
    pub fn weight(&self) -> u64 {
        let kinds = self.kinds.read();
        let weights = kinds.values().map(|of| of.weight.load(Ordering::Relaxed));
        weights.sum()
    }

    /// Returns copies of all profiles, a part at a time: those of one moment.
    pub fn parts(&self) -> impl Iterator<Item = (KindName, Vec<(Member, Profile)>)> + use<> {
        let kinds = self.kinds.read();
        let kinds = kinds.iter().map(|(name, of)| (name.clone(), of.clone()));
        let kinds: Vec<_> = kinds.collect();
        kinds.into_iter().flat_map(|(name, of)| {
            (0..PARTS).filter_map(move |part| {
                let copied: Vec<_> = of.parts[part].read().iter().cloned().collect();
                (!copied.is_empty()).then(|| (name.clone(), copied))
            })
        })
    }

    fn of(&self, kind: &KindName) -> Option<Arc<KindProfiles>> {
        self.kinds.read().get(kind).cloned()
    }
}

impl Default for KindProfiles {
    fn default() -> Self {
        Self {
            parts: (0..PARTS).map(|_| RwLock::default()).collect(),
            weight: AtomicU64::new(0),
        }
    }
}

impl KindProfiles {
    fn part(&self, hash: u64) -> &Part {
        // Not the bits that a hash table uses first.
        let part = usize::try_from(hash >> 32).unwrap_or(usize::MAX) % PARTS;
        &self.parts[part]
    }

    fn get(&self, member: &Member) -> Option<Profile> {
        let hash = member.placement_hash();
        let part = self.part(hash).read();
        let found = part.find(hash, |(held, _)| held == member);
        found.map(|(_, profile)| profile.clone())
    }

    fn change(&self, change: &ProfileChange, record: impl FnOnce()) {
        let ProfileChange { member, profile } = change;
        let hash = member.placement_hash();
        let mut part = self.part(hash).write();
        let held = part.find_mut(hash, |(held, _)| held == member);
        match (held, profile) {
            (None, None) => {}
            (Some(held), Some(profile)) => {
                record();
                let before = std::mem::replace(&mut held.1, profile.clone());
                self.add(weight(member, profile));
                self.subtract(weight(member, &before));
            }
            (Some(_), None) => {
                record();
                if let Ok(held) = part.find_entry(hash, |(held, _)| held == member) {
                    let ((member, profile), _) = held.remove();
                    self.subtract(weight(&member, &profile));
                }
            }
            (None, Some(profile)) => {
                record();
                let entry = (member.clone(), profile.clone());
                part.insert_unique(hash, entry, |(held, _)| held.placement_hash());
                self.add(weight(member, profile));
            }
        }
    }

    fn add(&self, weight: u64) {
        self.weight.fetch_add(weight, Ordering::Relaxed);
    }

    fn subtract(&self, weight: u64) {
        self.weight.fetch_sub(weight, Ordering::Relaxed);
    }
}

/// Returns approximately how many bytes of memory a member's profile uses.
#[must_use]
pub fn weight(member: &Member, profile: &Profile) -> u64 {
    let name_bytes = member.as_bytes().len();
    let name_bytes = if name_bytes > INLINE_BYTES {
        name_bytes
    } else {
        0
    };
    PROFILE_WEIGHT + (name_bytes + profile.as_json().len()) as u64
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn change(member: &str, json: Option<&str>) -> ProfileChange {
        ProfileChange {
            member: Member::new(member).unwrap(),
            profile: json.map(|json| Profile::new(json).unwrap()),
        }
    }

    /// Changes of few members, compared with a map.
    #[test]
    fn changes_agree_with_a_map() {
        let table = ProfileTable::default();
        let kind = KindName::new("gifts").unwrap();
        let mut twin: BTreeMap<Member, Profile> = BTreeMap::new();
        let mut state = 17_u64;
        let mut next = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % below
        };
        for _ in 0..20_000 {
            let name = format!("a member whose name is long {}", next(500));
            let json = format!(
                "{{\"name\":\"{}\"}}",
                "x".repeat(usize::try_from(next(64)).unwrap())
            );
            let json = (next(3) > 0).then_some(json);
            let change = change(&name, json.as_deref());
            let mut recorded = false;
            table.change(&kind, &change, || recorded = true);
            let before = match &change.profile {
                Some(profile) => twin.insert(change.member.clone(), profile.clone()),
                None => twin.remove(&change.member),
            };
            assert_eq!(recorded, before.is_some() || change.profile.is_some());
        }
        let members: Vec<Member> = twin.keys().cloned().collect();
        let expected: Vec<_> = twin.values().cloned().map(Some).collect();
        assert_eq!(table.get(&kind, &members), expected);
        let copied: BTreeMap<Member, Profile> = table.parts().flat_map(|(_, part)| part).collect();
        assert_eq!(copied, twin);
        let weights = twin.iter().map(|(member, profile)| weight(member, profile));
        assert_eq!(table.weight(), weights.sum::<u64>());
        assert!(table.remove_kind(&kind).is_some() && table.weight() == 0);
        assert!(table.get(&kind, &members).iter().all(Option::is_none));
    }

    /// Beside its text and the share of a hash table that is not full: what `PROFILE_WEIGHT` estimates.
    #[test]
    fn a_profile_takes_two_words_and_its_member_three() {
        assert_eq!(size_of::<(Member, Profile)>(), 5 * size_of::<usize>());
    }

    #[test]
    fn kinds_share_no_profiles() {
        let table = ProfileTable::default();
        let [one, other] = ["one", "other"].map(|name| KindName::new(name).unwrap());
        table.change(&one, &change("a", Some("{}")), || {});
        let member = [Member::new("a").unwrap()];
        assert_eq!(table.get(&other, &member), [None]);
        assert!(table.remove_kind(&other).is_none());
        assert!(table.get(&one, &member)[0].is_some());
    }
}
