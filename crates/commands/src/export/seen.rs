//! The set of exported members, in bounded memory: [`SeenMembers`].
//!
//! It stores a keyed hash of 16 bytes for each member. The probability that two of 50 million members have the same
//! hash is 1 in 10^23.

use std::collections::HashSet;

use twox_hash::XxHash3_128;

use crate::delivery::Halt;

/// The maximum number of members of one window.
pub(super) const SEEN_MEMBERS_MAX: usize = 50_000_000;

/// A set of texts, by their hashes. A text takes 17 bytes, up to 34 after the table has grown.
pub(super) struct SeenMembers {
    hashes: HashSet<u128>,
    seed: u64,
    capacity: usize,
}

impl SeenMembers {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            hashes: HashSet::new(),
            // The seed protects against names that are chosen to collide. Without randomness, there is no protection.
            seed: getrandom::u64().unwrap_or_default(),
            capacity,
        }
    }

    /// Inserts a text. Returns whether it is new. It is an error if the set is full.
    pub(super) fn insert(&mut self, text: &str) -> Result<bool, Halt> {
        let hash = XxHash3_128::oneshot_with_seed(self.seed, text.as_bytes());
        if self.hashes.len() < self.capacity {
            Ok(self.hashes.insert(hash))
        } else if self.hashes.contains(&hash) {
            Ok(false)
        } else {
            let capacity = self.capacity;
            Err(Halt::Failed(format!(
                "more than {capacity} members in one window"
            )))
        }
    }

    pub(super) fn len(&self) -> usize {
        self.hashes.len()
    }
}
