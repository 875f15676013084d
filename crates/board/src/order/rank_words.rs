//! [`RankWords`]: the words of a rank key, ordered lexicographically.

use std::cmp::Ordering;

use crate::limits::FIELDS_MAX;

/// Maximum words of a rank key: four fields and a tie word.
pub const RANK_WORDS_MAX: usize = FIELDS_MAX + 1;

/// The words of a rank key, or a prefix of them. Ordered lexicographically: a prefix is less than
/// what it starts.
#[derive(Clone, Copy)]
pub struct RankWords {
    /// Words beyond `len` are zero.
    words: [u64; RANK_WORDS_MAX],
    len: u8,
}

impl RankWords {
    /// Creates rank words from up to five words.
    #[must_use]
    pub fn new(words: &[u64]) -> Self {
        let mut taken = [0; RANK_WORDS_MAX];
        taken[..words.len()].copy_from_slice(words);
        Self {
            words: taken,
            len: u8::try_from(words.len()).expect("at most five words"),
        }
    }

    /// Creates rank words from the first `len` of five words; the others are 0.
    #[must_use]
    pub fn padded(words: [u64; RANK_WORDS_MAX], len: usize) -> Self {
        debug_assert!(words[len..].iter().all(|word| *word == 0));
        Self {
            words,
            len: u8::try_from(len).expect("at most five words"),
        }
    }

    /// Returns the words.
    #[must_use]
    pub fn as_slice(&self) -> &[u64] {
        &self.words[..usize::from(self.len)]
    }

    /// Returns the first `len` words.
    #[must_use]
    pub fn prefix(&self, len: usize) -> Self {
        Self::new(&self.as_slice()[..len])
    }

    /// Returns the least prefix of the same length that is greater: keys at or above it are better
    /// than every key that starts with these words. `None` if no prefix is greater.
    #[must_use]
    pub fn successor(&self) -> Option<Self> {
        let mut next = *self;
        for word in next.words[..usize::from(self.len)].iter_mut().rev() {
            let (sum, carry) = word.overflowing_add(1);
            *word = sum;
            if !carry {
                return Some(next);
            }
        }
        None
    }

    pub(super) fn push(&mut self, word: u64) {
        self.words[usize::from(self.len)] = word;
        self.len += 1;
    }
}

impl Default for RankWords {
    fn default() -> Self {
        Self {
            words: [0; RANK_WORDS_MAX],
            len: 0,
        }
    }
}

impl PartialEq for RankWords {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl Eq for RankWords {}

impl Ord for RankWords {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        // Zeros are no greater than the words that follow a prefix.
        let words = self.words.cmp(&other.words);
        words.then_with(|| self.len.cmp(&other.len))
    }
}

impl PartialOrd for RankWords {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl std::fmt::Debug for RankWords {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list()
            .entries(self.as_slice().iter().map(|word| format!("{word:016x}")))
            .finish()
    }
}
