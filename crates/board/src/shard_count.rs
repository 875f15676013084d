//! [`ShardCount`]: how many shards a board has, and which one a member belongs to.

use crate::limits::SHARDS_MAX;

/// Number of shards: a power of two from 1 to 4096.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShardCount(u16);

impl ShardCount {
    /// Accepts a power of two from 1 to 4096.
    #[must_use]
    pub const fn new(count: u64) -> Option<Self> {
        if count.is_power_of_two() && count <= SHARDS_MAX as u64 {
            // At most 4096.
            #[expect(clippy::cast_possible_truncation)]
            Some(Self(count as u16))
        } else {
            None
        }
    }

    /// Returns the number.
    #[must_use]
    pub const fn get(self) -> u16 {
        self.0
    }

    /// Returns the shard of a placement hash: its top bits, so that when a count doubles, members
    /// of shard `i` are in `2i` and `2i + 1`.
    #[must_use]
    pub const fn shard_of(self, placement_hash: u64) -> u16 {
        // The product is below 2^76, its upper half below 2^12.
        #[expect(clippy::cast_possible_truncation)]
        let shard = ((placement_hash as u128 * self.0 as u128) >> 64) as u16;
        shard
    }
}
