//! [`Version`]: the version of a board, the vector of shard versions of one read.
//!
//! Its text has the board's incarnation, the epochs, the sum of the counters and a digest of
//! everything, including the rank style and the hidden members: equal texts mean equal boards,
//! including ranks, on every server.
//!
//! **Invariant:** what is shown of a board never goes back. A snapshot replaces another only if no
//! shard's counter is smaller ([`Version::follows`]), unless the store lost data: then the shard
//! has another epoch.

use board::{Incarnation, RankStyle};
use serde::{Deserialize, Serialize};
use shard_store::ShardVersion;
use twox_hash::XxHash3_64;

/// The version of every shard in a read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Version {
    incarnation: Option<Incarnation>,
    ranks: RankStyle,
    /// A digest of the members that the kind hides.
    hidden: u64,
    shards: Vec<ShardVersion>,
}

impl Version {
    /// The version of a board without contributions.
    pub(crate) const UNCREATED: Self = Self {
        incarnation: None,
        ranks: RankStyle::Ordinal,
        hidden: 0,
        shards: Vec::new(),
    };

    pub(crate) const fn new(
        incarnation: Incarnation,
        ranks: RankStyle,
        shards: Vec<ShardVersion>,
    ) -> Self {
        Self {
            incarnation: Some(incarnation),
            ranks,
            hidden: 0,
            shards,
        }
    }

    /// Sets the digest of the hidden members.
    pub(crate) const fn without(mut self, hidden: u64) -> Self {
        self.hidden = hidden;
        self
    }

    /// Returns whether the window of this board, or of an earlier board of its name, may have had
    /// members. False if nothing was ever written to it.
    pub(crate) fn may_have_had_members(&self) -> bool {
        self.incarnation.is_none() || self.shards.iter().any(|shard| shard.counter > 0)
    }

    /// Returns the board's incarnation; `None` before the first.
    pub(crate) const fn incarnation(&self) -> Option<Incarnation> {
        self.incarnation
    }

    /// Returns the rank style.
    pub(crate) const fn ranks(&self) -> RankStyle {
        self.ranks
    }

    /// Returns the hidden members, as a [`Hidden::digest`](board::Hidden::digest).
    pub(crate) const fn hidden(&self) -> u64 {
        self.hidden
    }

    /// Returns the version of every shard, in order.
    pub(crate) fn shards(&self) -> &[ShardVersion] {
        &self.shards
    }

    pub(crate) fn shard(&self, shard: u16) -> Option<ShardVersion> {
        self.shards.get(usize::from(shard)).copied()
    }

    /// Returns the bytes of the vector.
    pub(crate) const fn bytes(&self) -> usize {
        self.shards.len() * size_of::<ShardVersion>()
    }

    /// Returns whether it may be shown after `older`: no shard has gone back, unless it lost data,
    /// which its epoch shows.
    pub(crate) fn follows(&self, older: &Self) -> bool {
        self.incarnation != older.incarnation
            || self.shards.len() != older.shards.len()
            || self
                .shards
                .iter()
                .zip(&older.shards)
                .all(|(new, old)| new.epoch != old.epoch || new.counter >= old.counter)
    }

    /// Like [`Version::follows`], for a version that another server saw: a changed epoch does not
    /// show here which of the two came first.
    pub(crate) fn continues(&self, older: &Self) -> bool {
        self.follows(older)
            && self.incarnation == older.incarnation
            && self
                .shards
                .iter()
                .map(|shard| shard.epoch)
                .eq(older.shards.iter().map(|shard| shard.epoch))
    }

    /// Returns the text: letters, digits and points.
    #[must_use]
    pub fn text(&self) -> String {
        /// Three words of 16 digits, a sum of at most 20, and the points between them.
        const TEXT_BYTES: usize = 3 * 16 + 20 + 3;
        let Some(incarnation) = self.incarnation else {
            return "0".to_owned();
        };
        let (mut sum, mut epoch, mut last) = (0u64, 0u64, None);
        let mut bytes = Vec::with_capacity(24 * self.shards.len() + 9);
        for shard in &self.shards {
            sum = sum.wrapping_add(shard.counter);
            if last != Some(shard.epoch) {
                epoch = epoch.rotate_left(1) ^ shard.epoch;
                last = Some(shard.epoch);
            }
            for word in [shard.epoch, shard.counter, shard.digest] {
                bytes.extend_from_slice(&word.to_le_bytes());
            }
        }
        bytes.push(self.ranks as u8);
        if self.hidden != 0 {
            bytes.extend_from_slice(&self.hidden.to_le_bytes());
        }
        let digest = XxHash3_64::oneshot_with_seed(incarnation.0, &bytes);
        let mut text = Vec::with_capacity(TEXT_BYTES);
        text.extend_from_slice(&hexadecimal(incarnation.0));
        text.push(b'.');
        text.extend_from_slice(&hexadecimal(epoch));
        text.push(b'.');
        text.extend_from_slice(itoa::Buffer::new().format(sum).as_bytes());
        text.push(b'.');
        text.extend_from_slice(&hexadecimal(digest));
        String::from_utf8(text).expect("digits and points are ASCII")
    }
}

/// Returns the 16 digits of a word.
fn hexadecimal(word: u64) -> [u8; 16] {
    let bytes = word.to_be_bytes();
    std::array::from_fn(|digit| {
        let byte = bytes[digit / 2];
        let half = if digit % 2 == 0 { byte >> 4 } else { byte & 15 };
        b"0123456789abcdef"[usize::from(half)]
    })
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn version(incarnation: u64, shards: &[(u64, u64)]) -> Version {
        let shards = shards.iter().map(|(epoch, counter)| ShardVersion {
            epoch: *epoch,
            counter: *counter,
            digest: 0,
        });
        Version::new(
            Incarnation(incarnation),
            RankStyle::Ordinal,
            shards.collect(),
        )
    }

    #[test]
    fn only_versions_that_have_not_gone_back_follow() {
        let old = version(1, &[(7, 5), (7, 3)]);
        assert!(old.follows(&old));
        assert!(version(1, &[(7, 5), (7, 4)]).follows(&old));
        assert!(!version(1, &[(7, 6), (7, 2)]).follows(&old));
        assert!(version(1, &[(8, 1), (8, 0)]).follows(&old));
        assert!(version(2, &[(7, 0), (7, 0)]).follows(&old));
        assert!(version(1, &[(7, 5), (7, 4)]).continues(&old));
        assert!(!version(1, &[(7, 6), (7, 2)]).continues(&old));
        assert!(!version(1, &[(8, 9), (7, 9)]).continues(&old));
        assert!(!version(2, &[(7, 9), (7, 9)]).continues(&old));
    }

    /// The text, formatted.
    fn formatted(version: &Version) -> String {
        let Some(incarnation) = version.incarnation else {
            return "0".to_owned();
        };
        let shards = &version.shards;
        let words = shards
            .iter()
            .flat_map(|it| [it.epoch, it.counter, it.digest]);
        let mut bytes: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
        bytes.push(match version.ranks {
            RankStyle::Ordinal => 0,
            RankStyle::Competition => 1,
            RankStyle::Dense => 2,
        });
        if version.hidden != 0 {
            bytes.extend(version.hidden.to_le_bytes());
        }
        let digest = XxHash3_64::oneshot_with_seed(incarnation.0, &bytes);
        let mut epochs: Vec<u64> = shards.iter().map(|shard| shard.epoch).collect();
        epochs.dedup();
        let epoch = epochs
            .iter()
            .fold(0u64, |all, epoch| all.rotate_left(1) ^ epoch);
        let sum = shards.iter().map(|shard| shard.counter);
        let sum = sum.fold(0, u64::wrapping_add);
        format!("{incarnation}.{epoch:016x}.{sum}.{digest:016x}")
    }

    proptest! {
        #[test]
        fn texts_are_as_formatted(
            incarnation: u64,
            shards in vec((0..3_u64, any::<u64>(), any::<u64>()), 0..20),
            ranks in prop_oneof![
                Just(RankStyle::Ordinal),
                Just(RankStyle::Competition),
                Just(RankStyle::Dense),
            ],
            hidden in prop_oneof![Just(0), any::<u64>()],
        ) {
            let shard = |(epoch, counter, digest)| ShardVersion { epoch, counter, digest };
            let shards = shards.into_iter().map(shard).collect();
            let version = Version::new(Incarnation(incarnation), ranks, shards).without(hidden);
            prop_assert_eq!(version.text(), formatted(&version));
        }
    }

    #[test]
    fn texts_distinguish_vectors_with_the_same_sum() {
        let mut shared_ranks = version(1, &[(7, 5), (7, 3)]);
        shared_ranks.ranks = RankStyle::Competition;
        let texts = [
            shared_ranks,
            version(1, &[(7, 5), (7, 3)]).without(9),
            version(1, &[(7, 5), (7, 3)]).without(10),
            version(1, &[(7, 5), (7, 3)]),
            version(1, &[(7, 4), (7, 4)]),
            version(2, &[(7, 5), (7, 3)]),
            version(1, &[(8, 5), (8, 3)]),
        ]
        .map(|version| version.text());
        for (i, text) in texts.iter().enumerate() {
            assert!(!texts[..i].contains(text), "{texts:?}");
        }
    }
}
