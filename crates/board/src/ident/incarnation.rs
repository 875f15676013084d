//! [`Incarnation`], and the digests of contribution ids, which belong to one.

use std::fmt;

use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_128;

use super::{ContributionId, Member};
use crate::limits::{ID_BYTES_MAX, NAME_BYTES_MAX};

/// One incarnation of a board, drawn at random when the board is created. Everything that is
/// written, remembered or shown of a board belongs to one incarnation, so that nothing of a deleted
/// board reappears.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
pub struct Incarnation(pub u64);

impl fmt::Display for Incarnation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// The digest by which a shard remembers a contribution id: 128 bits of (incarnation, member, id).
///
/// With a billion ids on one shard the probability of a collision is below 10^-20. The incarnation
/// is the seed, so that nobody can prepare colliding ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IdDigest(pub u128);

impl IdDigest {
    /// Computes the digest of one member's id on one incarnation of a board.
    #[must_use]
    pub fn new(incarnation: Incarnation, member: &Member, id: &ContributionId) -> Self {
        let mut bytes = [0u8; 1 + NAME_BYTES_MAX + ID_BYTES_MAX];
        let (m, i) = (member.as_bytes(), id.as_bytes());
        bytes[0] = u8::try_from(m.len()).expect("a member has at most 128 bytes");
        bytes[1..=m.len()].copy_from_slice(m);
        bytes[1 + m.len()..1 + m.len() + i.len()].copy_from_slice(i);
        let text = &bytes[..1 + m.len() + i.len()];
        Self(XxHash3_128::oneshot_with_seed(incarnation.0, text))
    }
}
