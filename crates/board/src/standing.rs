//! [`Standing`]: a member's fields in one window, as a packed record.
//!
//! The words are what a store keeps: in mode accumulate a value and a time for each field (a sum's
//! time carries a bit that says whether a delta other than 0 was ever applied), in modes best and
//! latest the values and one time. Only [`Rules`] can decode them; how contributions change them is
//! in `fold`.

use crate::calendar::Timestamp;
use crate::limits::FIELDS_MAX;
use crate::order::RankWords;
use crate::rules::{Mode, Op, Rules};
use crate::value::{Value, Values};

/// Maximum words of a standing: a value and a time for each of four fields.
pub const STANDING_WORDS_MAX: usize = 2 * FIELDS_MAX;

/// The word of a null value; no value is that small.
const NULL: u64 = i64::MIN.cast_unsigned();

/// A packed standing. Its length and encoding depend on the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    pub(crate) words: [u64; STANDING_WORDS_MAX],
}

impl Standing {
    /// Returns the words to store: the first `len`, which is [`Rules::standing_len`].
    #[must_use]
    #[inline]
    pub fn words(&self, len: usize) -> &[u64] {
        &self.words[..len]
    }
}

impl Rules {
    /// Returns the number of words in a standing of these rules.
    #[must_use]
    #[inline]
    pub fn standing_len(&self) -> usize {
        match self.mode() {
            Mode::Accumulate => 2 * self.fields().len(),
            Mode::Best | Mode::Latest => self.fields().len() + 1,
        }
    }

    /// Returns the standing that was stored as these words.
    #[must_use]
    #[inline]
    pub fn standing_from(&self, words: &[u64]) -> Standing {
        let mut standing = Standing {
            words: [0; STANDING_WORDS_MAX],
        };
        standing.words[..words.len()].copy_from_slice(words);
        standing
    }

    /// Returns the words to store, [`Rules::standing_len`] of them.
    #[must_use]
    #[inline]
    pub fn standing_words<'a>(&self, standing: &'a Standing) -> &'a [u64] {
        standing.words(self.standing_len())
    }

    /// Returns the fields of a standing.
    #[must_use]
    pub fn values(&self, standing: &Standing) -> Values {
        let mut values = Values::default();
        for index in 0..self.fields().len() {
            if let Some(value) = self.value(standing, index) {
                values.set(index, value);
            }
        }
        values
    }

    /// Returns when the standing was reached, by the rule of its mode.
    #[must_use]
    pub fn reached_at(&self, standing: &Standing) -> Timestamp {
        if self.mode() != Mode::Accumulate {
            return self.attempt_time(standing);
        }
        let times = (0..self.fields().len())
            .filter(|index| self.value(standing, *index).is_some())
            .map(|index| self.field_time(standing, index).0);
        times.max().unwrap_or(Timestamp::from_millis(0))
    }

    /// Returns the words of the standing's rank key.
    #[must_use]
    pub fn rank_words_of(&self, standing: &Standing) -> RankWords {
        self.rank_words_with(
            |index| self.value(standing, index),
            self.reached_at(standing),
        )
    }

    pub(crate) fn value(&self, standing: &Standing, index: usize) -> Option<Value> {
        let word = standing.words[self.value_index(index)];
        if word == NULL {
            None
        } else {
            Value::new(word.cast_signed())
        }
    }

    pub(crate) fn put_value(&self, standing: &mut Standing, index: usize, value: Option<Value>) {
        standing.words[self.value_index(index)] =
            value.map_or(NULL, |value| value.get().cast_unsigned());
    }

    /// Returns the time of one field, and whether a sum has had a delta other than 0.
    pub(crate) fn field_time(&self, standing: &Standing, index: usize) -> (Timestamp, bool) {
        let word = standing.words[2 * index + 1].cast_signed();
        if self.fields()[index].op == Op::Sum {
            (Timestamp::from_micros(word >> 1), word & 1 == 1)
        } else {
            (Timestamp::from_micros(word), false)
        }
    }

    pub(crate) fn put_field_time(
        &self,
        standing: &mut Standing,
        index: usize,
        at: Timestamp,
        moved: bool,
    ) {
        let word = if self.fields()[index].op == Op::Sum {
            (at.micros() << 1) | i64::from(moved)
        } else {
            at.micros()
        };
        standing.words[2 * index + 1] = word.cast_unsigned();
    }

    pub(crate) fn attempt_time(&self, standing: &Standing) -> Timestamp {
        Timestamp::from_micros(standing.words[self.fields().len()].cast_signed())
    }

    pub(crate) fn put_attempt_time(&self, standing: &mut Standing, at: Timestamp) {
        standing.words[self.fields().len()] = at.micros().cast_unsigned();
    }

    fn value_index(&self, index: usize) -> usize {
        if self.mode() == Mode::Accumulate {
            2 * index
        } else {
            index
        }
    }
}
