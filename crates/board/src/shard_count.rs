//! [`ShardCount`]: how many shards a board has, and which one a member belongs to.

use serde::{Deserialize, Serialize};

use crate::limits::SHARDS_MAX;

/// Number of shards: a power of two from 1 to 4096.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(try_from = "u16")]
pub struct ShardCount(u16);

impl TryFrom<u16> for ShardCount {
    type Error = &'static str;

    fn try_from(count: u16) -> Result<Self, &'static str> {
        Self::new(count.into()).ok_or("a number of shards is a power of two from 1 to 4096")
    }
}

impl ShardCount {
    /// One shard.
    pub const ONE: Self = Self(1);

    /// The maximum.
    pub const MAX: Self = Self(SHARDS_MAX);

    /// The default of a store whose shards may be on several servers.
    pub const DEFAULT: Self = Self(16);

    /// Returns the default of a store in a process with so many cores. Writes to a shard wait for one
    /// another, so each core has two; a read asks every shard, so there are no more than
    /// [`ShardCount::DEFAULT`]; and four cost little where there will be more cores.
    #[must_use]
    pub fn of_cores(cores: usize) -> Self {
        let count = cores
            .saturating_mul(2)
            .clamp(4, usize::from(Self::DEFAULT.0));
        // At most 16, which is a power of two, so that the next power of two is too.
        #[expect(clippy::cast_possible_truncation)]
        Self(count.next_power_of_two() as u16)
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_follow_the_cores_from_4_to_16() {
        let defaults = [0, 1, 2, 3, 4, 6, 8, 64, usize::MAX].map(|n| ShardCount::of_cores(n).get());
        assert_eq!(defaults, [4, 4, 4, 8, 8, 16, 16, 16, 16]);
    }
}
