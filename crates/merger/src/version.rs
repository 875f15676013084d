//! Versions of a board: what each of its shards has taken in.
//!
//! A [`Version`] is the vector of shard versions of one read. Its text holds the board's incarnation, the epochs, the
//! sum of the counters and a digest of it all, the rank style and the hidden members included: the same text is the
//! same board, ranks and all, on every server.
//!
//! **Invariant:** what is shown of a board never goes back. A snapshot replaces another only if no shard's counter is
//! smaller ([`Version::follows`]), unless the store lost data: then the shard's epoch is another one.

use std::fmt;

use board::{Incarnation, RankStyle};
use shard_store::ShardVersion;
use twox_hash::XxHash3_64;

/// What a read saw of every shard.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Version {
    incarnation: Option<Incarnation>,
    ranks: RankStyle,
    /// Whom the kind hides, as a digest.
    hidden: u64,
    shards: Vec<ShardVersion>,
}

impl Version {
    /// The version of a board that nobody has contributed to.
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

    /// The same without the members of this digest.
    pub(crate) const fn without(mut self, hidden: u64) -> Self {
        self.hidden = hidden;
        self
    }

    /// Whether members may have been in the window of this board, or of one of its name before: not
    /// where nothing was ever written to it.
    pub(crate) fn may_have_had_members(&self) -> bool {
        self.incarnation.is_none() || self.shards.iter().any(|shard| shard.counter > 0)
    }

    /// The board's incarnation; none before the first.
    pub(crate) const fn incarnation(&self) -> Option<Incarnation> {
        self.incarnation
    }

    /// How positions became ranks.
    pub(crate) const fn ranks(&self) -> RankStyle {
        self.ranks
    }

    /// Whom the kind hid, as [`Hidden::digest`](board::Hidden::digest) tells it.
    pub(crate) const fn hidden(&self) -> u64 {
        self.hidden
    }

    /// What was seen of every shard, in order.
    pub(crate) fn shards(&self) -> &[ShardVersion] {
        &self.shards
    }

    pub(crate) fn shard(&self, shard: u16) -> Option<ShardVersion> {
        self.shards.get(usize::from(shard)).copied()
    }

    /// Bytes that the vector takes.
    pub(crate) const fn bytes(&self) -> usize {
        self.shards.len() * size_of::<ShardVersion>()
    }

    /// Whether it may be shown after `older`: no shard has gone back, unless it lost data, which its
    /// epoch tells.
    pub(crate) fn follows(&self, older: &Self) -> bool {
        self.incarnation != older.incarnation
            || self.shards.len() != older.shards.len()
            || self
                .shards
                .iter()
                .zip(&older.shards)
                .all(|(new, old)| new.epoch != old.epoch || new.counter >= old.counter)
    }

    /// As [`Version::follows`], for what another server saw: a changed epoch does not tell here which
    /// of the two was first.
    pub(crate) fn continues(&self, older: &Self) -> bool {
        self.follows(older)
            && self.incarnation == older.incarnation
            && self
                .shards
                .iter()
                .map(|shard| shard.epoch)
                .eq(older.shards.iter().map(|shard| shard.epoch))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(incarnation) = self.incarnation else {
            return f.write_str("0");
        };
        let sum = self
            .shards
            .iter()
            .fold(0u64, |sum, shard| sum.wrapping_add(shard.counter));
        let mut bytes = Vec::with_capacity(24 * self.shards.len() + 1);
        for shard in &self.shards {
            for word in [shard.epoch, shard.counter, shard.digest] {
                bytes.extend_from_slice(&word.to_le_bytes());
            }
        }
        bytes.push(u8::from(self.ranks == RankStyle::Competition));
        if self.hidden != 0 {
            bytes.extend_from_slice(&self.hidden.to_le_bytes());
        }
        let digest = XxHash3_64::oneshot_with_seed(incarnation.0, &bytes);
        let mut epochs: Vec<u64> = self.shards.iter().map(|shard| shard.epoch).collect();
        epochs.dedup();
        let epoch = epochs
            .iter()
            .fold(0u64, |all, epoch| all.rotate_left(1) ^ epoch);
        write!(f, "{incarnation}.{epoch:016x}.{sum}.{digest:016x}")
    }
}

#[cfg(test)]
mod tests {
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
    fn only_what_has_not_gone_back_follows() {
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

    #[test]
    fn texts_tell_vectors_of_one_sum_apart() {
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
        .map(|version| version.to_string());
        for (i, text) in texts.iter().enumerate() {
            assert!(!texts[..i].contains(text), "{texts:?}");
        }
    }
}
