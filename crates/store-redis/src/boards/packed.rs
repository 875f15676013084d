//! Packed standings in Redis: one number is both score and standing, beside the member's bare name.
//! `library/packed.lua` is the same in Lua.
//!
//! The upper bits are the value, inverted if lower is better; the lower bits the time, in units
//! from the start of the window, inverted if earlier is better. So the order of Redis is that of
//! rank keys, and no score KV is needed.

use board::limits::VALUE_MAX;
use board::{Bound, Direction, Packing, Rules, Ties, Timestamp, Value, Values, Window};

use super::standing::{Cut, SIGN, member_of, no_longer_than_keys};
use super::wire::Garbled;
use shard_store::ShardEntry;

/// The layout of the packed standings of one window.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Packed<'a> {
    rules: &'a Rules,
    packing: &'a Packing,
    /// The time from which times are counted, in microseconds.
    base: i64,
}

/// Returns the time from which times of a window are counted, in microseconds, as functions receive it: the start of
/// the window, except for the window without bounds of a packed kind.
pub(crate) fn base(rules: &Rules, window: Window) -> i64 {
    let base = rules.packing().map(|packing| packing.base(window));
    base.unwrap_or(window.start()).micros()
}

impl<'a> Packed<'a> {
    /// Returns the layout; `None` if standings of these rules are not packed.
    pub(crate) fn of(rules: &'a Rules, window: Window) -> Option<Self> {
        rules.packing().map(|packing| Self {
            rules,
            packing,
            base: base(rules, window),
        })
    }

    fn is_ascending(&self) -> bool {
        self.rules.fields()[0].order == Direction::Asc
    }

    fn is_earliest(&self) -> bool {
        self.rules.ties() == Ties::Earliest
    }

    /// Returns the maximum of the upper bits.
    fn upper_max(&self) -> i64 {
        (1 << self.packing.value_bits()) - 1
    }

    /// Returns the maximum of the lower bits.
    fn lower_max(&self) -> i64 {
        (1 << self.packing.time_bits()) - 1
    }

    fn joined(&self, upper: i64, lower: i64) -> i64 {
        upper << self.packing.time_bits() | lower
    }

    /// Returns the entry of a score and a name.
    pub(crate) fn entry(&self, score: &str, name: &[u8]) -> Result<ShardEntry, Garbled> {
        let (value, reached_at) = self.value_and_time(score)?;
        let words = self.rules.rank_words(&Values::from(value), reached_at);
        Ok(ShardEntry {
            key: self.rules.rank_key(words, member_of(name)?),
            reached_at,
        })
    }

    fn value_and_time(&self, score: &str) -> Result<(Value, Timestamp), Garbled> {
        const GARBLED: Garbled = Garbled("no packed score");
        let score: f64 = score.parse().map_err(|_| GARBLED)?;
        // The conversion saturates, and the range check rejects the result.
        #[expect(clippy::cast_possible_truncation)]
        let whole = score as i64;
        if score.fract() != 0.0 || !(0..=VALUE_MAX).contains(&whole) {
            return Err(GARBLED);
        }
        let (upper, lower) = (whole >> self.packing.time_bits(), whole & self.lower_max());
        let value = if self.is_ascending() {
            self.upper_max() - upper
        } else {
            upper
        };
        let units = if self.is_earliest() {
            self.lower_max() - lower
        } else {
            lower
        };
        let value = Value::new(value).ok_or(GARBLED)?;
        let at = Timestamp::from_micros(
            units
                .saturating_mul(self.packing.unit_us())
                .saturating_add(self.base),
        );
        Ok((value, at))
    }

    /// Returns the cut at a bound.
    pub(crate) fn cut(&self, bound: &Bound) -> Cut {
        let Some(bound) = no_longer_than_keys(self.rules, bound) else {
            return Cut::AboveAll;
        };
        let Some((first, others)) = bound.words.as_slice().split_first() else {
            return Cut::BelowAll;
        };
        // As in rank keys: greater is better, of negated values if lower is better.
        let directed = (first ^ SIGN).cast_signed();
        let upper = if self.is_ascending() {
            directed.saturating_add(self.upper_max())
        } else {
            directed
        };
        if upper < 0 {
            return Cut::BelowAll;
        }
        if upper > self.upper_max() {
            return Cut::AboveAll;
        }
        match others.first() {
            None => at_least(self.joined(upper, 0)),
            Some(word) => self.cut_at(upper, *word, &bound),
        }
    }

    /// Returns the cut at a time among the entries of one value.
    fn cut_at(&self, upper: i64, word: u64, bound: &Bound) -> Cut {
        let word = if self.is_earliest() { !word } else { word };
        let since = i128::from((word ^ SIGN).cast_signed()) - i128::from(self.base);
        let unit = i128::from(self.packing.unit_us());
        // Better is what is no later, or no earlier, than this.
        let units = if self.is_earliest() {
            since.div_euclid(unit)
        } else {
            -(-since).div_euclid(unit)
        };
        let max = self.lower_max();
        let lower = if self.is_earliest() {
            i128::from(max) - units
        } else {
            units
        };
        let is_kept = lower >= 0 && since.rem_euclid(unit) == 0;
        if lower > i128::from(max) {
            // No member has this value.
            return if upper == self.upper_max() {
                Cut::AboveAll
            } else {
                at_least(self.joined(upper + 1, 0))
            };
        }
        // Below 0: all of this value.
        let lower = i64::try_from(lower.max(0)).unwrap_or(max);
        let score = self.joined(upper, lower);
        match &bound.member {
            Some(member) if is_kept => Cut::At {
                score,
                rest: member.as_bytes().to_vec(),
                strict: true,
            },
            _ => at_least(score),
        }
    }
}

/// Returns the cut above which are the entries with at least this score.
fn at_least(score: i64) -> Cut {
    Cut::At {
        score,
        rest: Vec::new(),
        strict: false,
    }
}

#[cfg(test)]
mod tests;
