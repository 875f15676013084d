//! [`MemberRef`]: the member that a ranking writes.

use board::Member;

/// The member that is written: its name, its placement hash and its shard.
#[derive(Debug, Clone, Copy)]
pub struct MemberRef<'a> {
    pub member: &'a Member,
    pub hash: u64,
    pub shard: u16,
}
