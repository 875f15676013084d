//! Standings and rank keys as Redis holds them; `library/standings.lua` is the same in Lua.
//!
//! The score KV holds a standing as packed bytes ([`standing_of`]). In the sorted set the score is
//! the first word of a rank key, and the member is its other words and the member's name as the key
//! has it. So Redis's order is the order of rank keys ([`entry_of`]). A [`Cut`] is a bound in those
//! terms.

use std::borrow::Cow;

use board::limits::VALUE_MAX;
use board::{
    Bound, Member, Mode, NameOrder, RANK_WORDS_MAX, RankWords, Rules, STANDING_WORDS_MAX, Standing,
    Ties, Timestamp,
};

use super::wire::Garbled;
use shard_store::ShardEntry;

/// The value of a field that was never named: below every value, and exact in a double.
pub(crate) const NULL: i64 = -VALUE_MAX - 1;

/// Null in a word of a [`Standing`].
const NULL_WORD: u64 = i64::MIN.cast_unsigned();

/// The bit that converts between a signed number and a word that compares as the number does.
pub(super) const SIGN: u64 = 1 << 63;

/// Bytes of a time.
const TIME_BYTES: usize = 7;

/// Returns the standing of these bytes.
pub(crate) fn standing_of(rules: &Rules, bytes: &[u8]) -> Result<Standing, Garbled> {
    const GARBLED: Garbled = Garbled("no standing of these rules");
    let fields = rules.fields().len();
    let len = rules.standing_len();
    let without_times = bytes.len().checked_sub(TIME_BYTES * (len - fields));
    let value_bytes = match without_times {
        Some(all) if all == 4 * fields => 4,
        Some(all) if all == 8 * fields => 8,
        _ => return Err(GARBLED),
    };
    let mut words = [0; STANDING_WORDS_MAX];
    let mut left = bytes;
    for (place, word) in words[..len].iter_mut().enumerate() {
        let is_time = match rules.mode() {
            Mode::Accumulate => place % 2 == 1,
            Mode::Best | Mode::Latest => place == fields,
        };
        let width = if is_time { TIME_BYTES } else { value_bytes };
        let (own, others) = left.split_at_checked(width).ok_or(GARBLED)?;
        left = others;
        *word = if is_time {
            unsigned(own)
        } else {
            value_word(signed(own)).ok_or(GARBLED)?
        };
    }
    Ok(rules.standing_from(&words[..len]))
}

fn value_word(value: i64) -> Option<u64> {
    match value {
        NULL => Some(NULL_WORD),
        value if value.abs() <= VALUE_MAX => Some(value.cast_unsigned()),
        _ => None,
    }
}

/// Returns a big-endian number of up to eight bytes.
fn unsigned(bytes: &[u8]) -> u64 {
    let fold = |number, byte: &u8| (number << 8) | u64::from(*byte);
    bytes.iter().fold(0, fold)
}

/// Returns a signed big-endian number of up to eight bytes, in two's complement.
fn signed(bytes: &[u8]) -> i64 {
    let unused = 64 - 8 * bytes.len();
    (unsigned(bytes) << unused).cast_signed() >> unused
}

/// Returns the entry of a score and a member of the sorted set. `kept` is the member's value in the
/// score KV: if ties are broken by member, only that has the time when the standing was reached.
pub(crate) fn entry_of(
    rules: &Rules,
    score: &str,
    bytes: &[u8],
    kept: Option<&[u8]>,
) -> Result<ShardEntry, Garbled> {
    let len = rules.rank_words_len();
    let mut words = [0; RANK_WORDS_MAX];
    words[0] = first_word(score)?;
    let mut left = bytes;
    for word in &mut words[1..len] {
        let (own, others) = left
            .split_at_checked(8)
            .ok_or(Garbled("too short an entry"))?;
        *word = unsigned(own);
        left = others;
    }
    let words = RankWords::new(&words[..len]);
    let reached_at = match (rules.reached_at_of(&words), kept) {
        (Some(time), _) => time,
        (None, Some(kept)) => rules.reached_at(&standing_of(rules, kept)?),
        // An entry without a score, which `verify` reports.
        (None, None) => Timestamp::from_millis(0),
    };
    let member = ranked_member(rules.name_order(), left)?;
    Ok(ShardEntry {
        key: rules.rank_key(words, member),
        reached_at,
    })
}

/// Returns the member of an entry of a sorted set, from the bytes after the words.
pub(super) fn ranked_member(names: NameOrder, bytes: &[u8]) -> Result<Member, Garbled> {
    let name = names
        .name_of(bytes)
        .ok_or(Garbled("a name without its end"))?;
    member_of(&name)
}

/// Returns the member of these bytes.
pub(crate) fn member_of(bytes: &[u8]) -> Result<Member, Garbled> {
    let text = std::str::from_utf8(bytes).map_err(|_| Garbled("a member that is not UTF-8"))?;
    Member::new(text).map_err(|_| Garbled("a name that no member has"))
}

/// Parses a score. Redis writes whole numbers as `5`, and from version 7.2 on some as `1e+9`.
fn first_word(score: &str) -> Result<u64, Garbled> {
    let number: f64 = score.parse().map_err(|_| Garbled("no score"))?;
    // The conversion saturates, and the range check rejects the result.
    #[expect(clippy::cast_possible_truncation)]
    let whole = number as i64;
    match whole {
        _ if number.fract() != 0.0 => Err(Garbled("a score that is not an integer")),
        NULL => Ok(0),
        whole if whole.abs() <= VALUE_MAX => Ok(whole.cast_unsigned() ^ SIGN),
        _ => Err(Garbled("a score out of range")),
    }
}

/// A cut in the order of a sorted set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Everything is better.
    BelowAll,
    /// Nothing is better.
    AboveAll,
    /// Better is what has a greater score; of equal scores, members whose bytes are greater than
    /// `rest` or, unless `strict`, equal.
    At {
        /// The score.
        score: i64,
        /// The first bytes of a member, or all.
        rest: Vec<u8>,
        /// Whether an equal member is not better.
        strict: bool,
    },
}

impl Cut {
    /// Returns the cut at a bound.
    pub(crate) fn of(rules: &Rules, bound: &Bound) -> Self {
        let Some(bound) = no_longer_than_keys(rules, bound) else {
            return Self::AboveAll;
        };
        let is_whole = bound.words.as_slice().len() == rules.rank_words_len();
        let member = bound.member.as_ref().filter(|_| is_whole);
        let name = member.map(|member| rules.name_order().key_bytes(member.as_bytes()));
        Self::at(&bound.words, name.as_deref())
    }

    /// Returns the cut at these words, followed by the bytes of a name.
    fn at(words: &RankWords, name: Option<&[u8]>) -> Self {
        let Some((first, others)) = words.as_slice().split_first() else {
            return Self::BelowAll;
        };
        let score = match (first ^ SIGN).cast_signed() {
            _ if *first == 0 => NULL,
            score if score > VALUE_MAX => return Self::AboveAll,
            // No member is between null and the least value.
            score if score < -VALUE_MAX => {
                return Self::At {
                    score: -VALUE_MAX,
                    rest: Vec::new(),
                    strict: false,
                };
            }
            score => score,
        };
        let mut rest: Vec<u8> = others.iter().flat_map(|word| word.to_be_bytes()).collect();
        rest.extend_from_slice(name.unwrap_or_default());
        Self::At {
            score,
            rest,
            strict: name.is_some(),
        }
    }
}

/// Returns the bound with at most as many words as keys have; `None` if no key is better.
pub(super) fn no_longer_than_keys<'a>(rules: &Rules, bound: &'a Bound) -> Option<Cow<'a, Bound>> {
    let len = rules.rank_words_len();
    if bound.words.as_slice().len() <= len {
        return Some(Cow::Borrowed(bound));
    }
    // A key that has all its words in common with the bound's is the shorter of the two.
    let words = bound.words.prefix(len).successor()?;
    Some(Cow::Owned(Bound::prefix(words)))
}

/// Returns whether the sorted set's entries lack the time when a standing was reached.
pub(crate) fn needs_scores(rules: &Rules) -> bool {
    rules.ties() == Ties::Member
}

#[cfg(test)]
mod tests;
