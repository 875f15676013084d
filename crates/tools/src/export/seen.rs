//! Who was met already: [`SeenMembers`], in bounded memory.
//!
//! What is kept of a member is 16 bytes, a keyed hash: that two of 50 million members share one is as
//! likely as 1 in 10^23.

use std::collections::HashSet;

use twox_hash::XxHash3_128;

/// Members of one window.
pub(super) const SEEN_MEMBERS_MAX: usize = 50_000_000;

/// A set of texts, by their hashes. A text costs 17 bytes, up to 34 when the table has just grown.
pub(super) struct SeenMembers {
    hashes: HashSet<u128>,
    seed: u64,
    most: usize,
}

/// More texts than the set takes.
#[derive(Debug, Eq, PartialEq, thiserror::Error)]
#[error("more than {0} members in one window")]
pub(super) struct Full(usize);

impl SeenMembers {
    pub(super) fn new(most: usize) -> Self {
        Self {
            hashes: HashSet::new(),
            // Without a source of randomness who names members could aim for a collision; no more.
            seed: getrandom::u64().unwrap_or_default(),
            most,
        }
    }

    /// Whether the text is new.
    pub(super) fn insert(&mut self, text: &str) -> Result<bool, Full> {
        let hash = XxHash3_128::oneshot_with_seed(self.seed, text.as_bytes());
        if self.hashes.len() < self.most {
            Ok(self.hashes.insert(hash))
        } else if self.hashes.contains(&hash) {
            Ok(false)
        } else {
            Err(Full(self.most))
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
    fn a_text_is_new_once_and_the_set_has_an_end() {
        let mut seen = SeenMembers::new(2);
        let told = ["a", "b", "a", "b"].map(|text| seen.insert(text));
        assert_eq!(told, [Ok(true), Ok(true), Ok(false), Ok(false)]);
        assert_eq!(seen.insert("c"), Err(Full(2)));
        assert_eq!(seen.len(), 2);
    }
}
