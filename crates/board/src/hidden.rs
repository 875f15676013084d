//! Members that a kind's boards do not show: [`Hidden`].
//!
//! Their standings stay, and contributions to them count; ranks close up as if they were not there. A member that is
//! shown again is where it would have been. The list is kept in the kind's record, so that every store keeps it and
//! every server learns of it.

use std::fmt;
use std::sync::Arc;

use twox_hash::XxHash3_64;

use crate::ident::Member;
use crate::kind::ShardCount;
use crate::limits::HIDDEN_MAX;

/// The hidden members of a kind. A clone is cheap.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Hidden {
    /// By placement hash, then name: those of a shard stand together.
    members: Arc<[Placed]>,
    digest: u64,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Placed {
    hash: u64,
    member: Member,
}

/// More members than a kind may hide.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a kind hides at most {HIDDEN_MAX} members")]
pub struct TooManyHidden;

impl Hidden {
    /// These members, each once, whatever their order.
    pub fn new(members: impl IntoIterator<Item = Member>) -> Result<Self, TooManyHidden> {
        let placed = |member: Member| Placed {
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
        for Placed { member, .. } in &members {
            // A name has at most 128 bytes, none of which is a line's end.
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

    /// With this one hidden too.
    pub fn with(&self, member: &Member) -> Result<Self, TooManyHidden> {
        Self::new(self.iter().chain([member]).cloned())
    }

    /// With this one shown.
    #[must_use]
    pub fn without(&self, member: &Member) -> Self {
        let others = self.iter().filter(|other| *other != member);
        Self::new(others.cloned()).expect("fewer than there were")
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Member> {
        self.members.iter().map(|placed| &placed.member)
    }

    /// Those whose standings lie on one of so many shards.
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

    /// Whether this one is hidden.
    #[must_use]
    pub fn contains(&self, member: &Member) -> bool {
        let hash = member.placement_hash();
        let order = |placed: &Placed| placed.hash.cmp(&hash).then(placed.member.cmp(member));
        self.members.binary_search_by(order).is_ok()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Tells one such set from another; 0 for none.
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
    fn the_same_members_are_the_same_set_whatever_came_before() {
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
    fn there_is_room_for_so_many() {
        let full = Hidden::new((0..HIDDEN_MAX).map(member)).unwrap();
        assert_eq!(full.with(&member(HIDDEN_MAX)), Err(TooManyHidden));
        assert_eq!(full.with(&member(0)).unwrap(), full);
    }
}
