//! Members that a kind's boards do not show: [`Hidden`].
//!
//! The standings of hidden members are kept, and contributions to them count; ranks are computed as
//! if the members did not exist. A member that is shown again has the position that its standing
//! gives it. The list is part of the kind's record, so that every store keeps it and every server
//! reads it.

use std::fmt;
use std::sync::Arc;

use twox_hash::XxHash3_64;

use crate::ident::Member;
use crate::limits::HIDDEN_MAX;
use crate::shard_count::ShardCount;

/// The hidden members of a kind. A clone is cheap.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Hidden {
    /// Sorted by placement hash, then name: the members of one shard are adjacent.
    members: Arc<[HashedMember]>,
    digest: u64,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct HashedMember {
    hash: u64,
    member: Member,
}

/// More members than a kind may hide.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a kind hides at most {HIDDEN_MAX} members")]
pub struct TooManyHidden;

impl Hidden {
    /// Creates a set of these members. Duplicates are removed; the order does not matter.
    pub fn new(members: impl IntoIterator<Item = Member>) -> Result<Self, TooManyHidden> {
        let placed = |member: Member| HashedMember {
            hash: member.placement_hash(),
            member,
        };
        let mut members: Vec<_> = members.into_iter().map(placed).collect();
        members.sort_unstable();
        members.dedup();
        if members.len() > HIDDEN_MAX {
            return Err(TooManyHidden);
        }
        let mut bytes = Vec::new();
        for HashedMember { member, .. } in &members {
            // A name has at most 128 bytes and contains no line feed.
            bytes.extend_from_slice(member.as_bytes());
            bytes.push(b'\n');
        }
        let digest = match &members[..] {
            [] => 0,
            _ => XxHash3_64::oneshot(&bytes),
        };
        Ok(Self {
            members: members.into(),
            digest,
        })
    }

    /// Returns the set with this member added.
    pub fn with(&self, member: &Member) -> Result<Self, TooManyHidden> {
        Self::new(self.iter().chain([member]).cloned())
    }

    /// Returns the set without this member.
    #[must_use]
    pub fn without(&self, member: &Member) -> Self {
        let others = self.iter().filter(|other| *other != member);
        Self::new(others.cloned()).expect("fewer than there were")
    }

    /// Iterates over all hidden members.
    pub fn iter(&self) -> impl Iterator<Item = &Member> {
        self.members.iter().map(|placed| &placed.member)
    }

    /// Iterates over the members that belong to shard `shard` of `shards`.
    pub fn on_shard(&self, shards: ShardCount, shard: u16) -> impl Iterator<Item = &Member> {
        let begins = |shard: u16| {
            self.members
                .partition_point(|placed| shards.shard_of(placed.hash) < shard)
        };
        let end = match shard.checked_add(1) {
            Some(next) => begins(next),
            None => self.members.len(),
        };
        let here = &self.members[begins(shard)..end];
        here.iter().map(|placed| &placed.member)
    }

    /// Returns whether this member is hidden.
    #[must_use]
    pub fn contains(&self, member: &Member) -> bool {
        let hash = member.placement_hash();
        let order = |placed: &HashedMember| placed.hash.cmp(&hash).then(placed.member.cmp(member));
        self.members.binary_search_by(order).is_ok()
    }

    /// Returns the number of hidden members.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Returns whether no member is hidden.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Returns a digest that differs between different sets; 0 for the empty set.
    #[must_use]
    pub const fn digest(&self) -> u64 {
        self.digest
    }
}

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(number: usize) -> Member {
        Member::new(&format!("m{number}")).unwrap()
    }

    #[test]
    fn shards_have_each_member_once() {
        let hidden = Hidden::new((0..500).map(member)).unwrap();
        for count in [1, 16, 4096] {
            let shards = ShardCount::new(count).unwrap();
            let mut seen = 0;
            for shard in 0..shards.get() {
                for member in hidden.on_shard(shards, shard) {
                    assert_eq!(shards.shard_of(member.placement_hash()), shard);
                    seen += 1;
                }
            }
            assert_eq!(seen, 500, "{count} shards");
        }
    }

    #[test]
    fn equal_sets_have_equal_digests_however_they_were_made() {
        let one = Hidden::new([member(1), member(2), member(1)]).unwrap();
        let other = Hidden::default().with(&member(2)).unwrap();
        assert_ne!(one, other);
        assert_ne!(one.digest(), other.digest());
        let other = other.with(&member(1)).unwrap();
        assert_eq!((&one, one.digest()), (&other, other.digest()));
        assert_eq!(one.len(), 2);
        assert!(one.contains(&member(2)) && !one.contains(&member(3)));
        let none = one.without(&member(1)).without(&member(2));
        assert_eq!(none, Hidden::default());
        assert_eq!(none.digest(), 0);
    }

    #[test]
    fn the_limit_is_accepted_and_one_more_is_rejected() {
        let full = Hidden::new((0..HIDDEN_MAX).map(member)).unwrap();
        assert_eq!(full.with(&member(HIDDEN_MAX)), Err(TooManyHidden));
        assert_eq!(full.with(&member(0)).unwrap(), full);
    }
}
