//! The set of exported members, in bounded memory: [`SeenMembers`].
//!
//! It stores a keyed hash of 16 bytes for each member. The probability that two of 50 million members have the same
//! hash is 1 in 10^23.

use std::collections::HashSet;

use twox_hash::XxHash3_128;

/// The maximum number of members of one window.
pub(super) const SEEN_MEMBERS_MAX: usize = 50_000_000;

/// A set of texts, by their hashes. A text takes 17 bytes, up to 34 after the table has grown.
pub(super) struct SeenMembers {
    hashes: HashSet<u128>,
    seed: u64,
    capacity: usize,
}

/// The set has reached its capacity.
#[derive(Debug, Eq, PartialEq, thiserror::Error)]
#[error("more than {0} members in one window")]
pub(super) struct Full(usize);

impl SeenMembers {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            hashes: HashSet::new(),
            // The seed protects against names that are chosen to collide. Without randomness, there is no protection.
            seed: getrandom::u64().unwrap_or_default(),
            capacity,
        }
    }

    /// Inserts a text. Returns whether it is new.
    pub(super) fn insert(&mut self, text: &str) -> Result<bool, Full> {
        let hash = XxHash3_128::oneshot_with_seed(self.seed, text.as_bytes());
        if self.hashes.len() < self.capacity {
            Ok(self.hashes.insert(hash))
        } else if self.hashes.contains(&hash) {
            Ok(false)
        } else {
            Err(Full(self.capacity))
        }
    }

    pub(super) fn len(&self) -> usize {
        self.hashes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_new_once_and_the_capacity_is_limited() {
        let mut seen = SeenMembers::new(2);
        let are_new = ["a", "b", "a", "b"].map(|text| seen.insert(text));
        assert_eq!(are_new, [Ok(true), Ok(true), Ok(false), Ok(false)]);
        assert_eq!(seen.insert("c"), Err(Full(2)));
        assert_eq!(seen.len(), 2);
    }
}
