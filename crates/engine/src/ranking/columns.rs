//! [`Columns`]: rank words packed into fewer words, in the same order.
//!
//! A rank word has 64 bits, but the words of one ranking span far fewer: points up to a million and
//! times within ten years take 20 and 39. Each word gets a column of bits for its distance from the
//! column's first word, and neighbouring columns share a word where they fit into it:
//!
//! ```text
//!   | points | time |      instead of      | points | | time |
//! ```
//!
//! Packed words compare like the words, so the tree needs not know. A column has a few bits to
//! spare on both sides. A key outside of its columns needs new ones, and the whole order is packed
//! again: its range has more than doubled, so this happens a few times in the life of a ranking.
//!
//! The word 0 (a field without a value) is far below all others. It is the code 0 of every column.
//!
//! Deliberately not here: the tree, and when to pack it again (in `packed_order`).

use board::{RANK_WORDS_MAX, RankWords};

/// Minimum bits to spare of a column that shares its word: its range may double before it is packed
/// again.
const SPARE_BITS_MIN: u32 = 2;

/// The least and the greatest word at each position, without zeros.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranges {
    len: usize,
    of: [(u64, u64); RANK_WORDS_MAX],
}

impl Ranges {
    /// Creates the ranges of keys of `len` words.
    pub(super) const fn new(len: usize) -> Self {
        Self {
            len,
            of: [(u64::MAX, 0); RANK_WORDS_MAX],
        }
    }

    pub(super) fn add(&mut self, words: &[u64]) {
        debug_assert_eq!(words.len(), self.len);
        for ((least, greatest), word) in self.of.iter_mut().zip(words) {
            if *word != 0 {
                *least = (*least).min(*word);
                *greatest = (*greatest).max(*word);
            }
        }
    }
}

/// The bits of one rank word: the code 0 for the word 0, and codes from 1 for the words after
/// `before`.
#[derive(Clone, Copy, Debug, Default)]
struct Column {
    before: u64,
    /// The greatest code.
    mask: u64,
    /// The packed word that holds the column, and its position in it.
    word: usize,
    shift: u32,
}

impl Column {
    /// Creates a column of `bits` bits around a range.
    fn around((least, greatest): (u64, u64), bits: u32, word: usize, shift: u32) -> Self {
        let mask = u64::MAX >> (u64::BITS - bits);
        let spare = mask.saturating_sub(greatest.saturating_sub(least));
        let before = least.saturating_sub(1).saturating_sub(spare / 2);
        Self {
            before: before.min(u64::MAX - mask),
            mask,
            word,
            shift,
        }
    }

    /// Returns the code of a word, if it has one.
    fn code(&self, word: u64) -> Option<u64> {
        let code = word.wrapping_sub(self.before);
        if code.wrapping_sub(1) < self.mask {
            Some(code)
        } else if word == 0 {
            Some(0)
        } else {
            None
        }
    }
}

/// How the words of a ranking's keys are packed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns {
    /// The ranges for which the columns were made.
    ranges: Ranges,
    /// By position in the key.
    list: [Column; RANK_WORDS_MAX],
    packed_len: usize,
}

impl Columns {
    /// Creates columns for these ranges.
    pub(super) fn of(ranges: &Ranges) -> Self {
        let mut columns = Self {
            ranges: *ranges,
            list: [Column::default(); RANK_WORDS_MAX],
            packed_len: 0,
        };
        let mut rest = &ranges.of[..ranges.len];
        while !rest.is_empty() {
            let mut taken = 0;
            let in_word = rest.iter().take_while(|range| {
                taken += bits_of(range) + SPARE_BITS_MIN;
                taken <= u64::BITS
            });
            let (word, after) = rest.split_at(in_word.count().max(1));
            let first = ranges.len - rest.len();
            columns.push_word(first, word);
            rest = after;
        }
        columns
    }

    /// Adds a packed word of the columns from `first` on, which share its bits to spare.
    fn push_word(&mut self, first: usize, ranges: &[(u64, u64)]) {
        let taken: u32 = ranges.iter().map(bits_of).sum();
        let spare = u64::BITS.saturating_sub(taken);
        let mut shift = u64::BITS;
        for (index, range) in ranges.iter().enumerate() {
            let bits = if index + 1 == ranges.len() {
                shift
            } else {
                bits_of(range) + spare / narrow(ranges.len())
            };
            shift -= bits;
            self.list[first + index] = Column::around(*range, bits, self.packed_len, shift);
        }
        self.packed_len += 1;
    }

    /// Returns the ranges for which the columns were made.
    pub(super) const fn ranges(&self) -> Ranges {
        self.ranges
    }

    /// Number of words of a packed key.
    pub(super) const fn packed_len(&self) -> usize {
        self.packed_len
    }

    /// Packs a key, if it fits.
    pub(super) fn pack<const W: usize>(&self, words: &RankWords) -> Option<[u64; W]> {
        let mut packed = [0; W];
        for (column, word) in self.list.iter().zip(words.as_slice()) {
            packed[column.word] |= column.code(*word)? << column.shift;
        }
        Some(packed)
    }

    /// Returns the key that was packed.
    pub(super) fn unpack(&self, packed: &[u64]) -> RankWords {
        let mut words = [0; RANK_WORDS_MAX];
        let columns = &self.list[..self.ranges.len];
        for (word, column) in words.iter_mut().zip(columns) {
            let code = packed[column.word] >> column.shift & column.mask;
            *word = if code == 0 { 0 } else { column.before + code };
        }
        RankWords::padded(words, columns.len())
    }

    /// Returns a prefix of packed words that cuts packed keys where `words`, a prefix of a key's,
    /// cuts keys, and whether it is the packed form of these words; `None` if all keys are less.
    pub(super) fn cut(&self, words: &[u64]) -> Option<(RankWords, bool)> {
        let mut packed = [0; RANK_WORDS_MAX];
        for (column, word) in self.list.iter().zip(words) {
            let end = column.word + 1;
            if let Some(code) = column.code(*word) {
                packed[column.word] |= code << column.shift;
            } else if *word <= column.before {
                // Less than all words of the column, except 0.
                packed[column.word] |= 1 << column.shift;
                return Some((RankWords::new(&packed[..end]), false));
            } else {
                // Greater than all words of the column.
                packed[column.word] |= column.mask << column.shift | ((1 << column.shift) - 1);
                let above = RankWords::new(&packed[..end]).successor();
                return above.map(|words| (words, false));
            }
        }
        Some((RankWords::new(&packed[..self.packed_len]), true))
    }
}

/// Returns the bits of the codes of a range.
fn bits_of((least, greatest): &(u64, u64)) -> u32 {
    let codes = greatest.saturating_sub(*least).saturating_add(1);
    u64::BITS - codes.leading_zeros()
}

fn narrow(len: usize) -> u32 {
    u32::try_from(len).expect("a key has few words")
}

#[cfg(test)]
mod tests;
