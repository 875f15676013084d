//! The one total order, as bytes.
//!
//! A standing has one rank key: a word for each field, flipped for sign and direction, then a tie
//! word (absent where ties are broken by member), then the member id. The id comes last, so that
//! its varying length needs no escape. A greater key is better. A word is a `u64` whose big-endian
//! bytes are those of the key: comparing words is comparing bytes. Where the lower member id is
//! better ([`NameOrder::Lower`]: ties by member in a kind whose first field is `asc`, see
//! `docs/decisions/0011-names-of-ascending-kinds.md`), its bytes are complemented.
//!
//! A [`Bound`] cuts the order at any position: below a key, or below everything that starts with a prefix. Score
//! ranges, counts, shared ranks and the rank of a score that no member has are bounds.
//!
//! **Invariant:** nothing else compares standings. No comparator is written twice, and no caller
//! checks a direction.
//!
//! **Invariant:** null is the word 0, below every value in both directions.

mod name_order;
mod rank_words;

use std::cmp::Ordering;

pub use name_order::NameOrder;
pub use rank_words::{RANK_WORDS_MAX, RankWords};

use crate::calendar::Timestamp;
use crate::ident::Member;
use crate::rules::Rules;
use crate::ties::{Direction, Ties};
use crate::value::{Value, Values};

const SIGN: u64 = 1 << 63;

/// The rank key of one standing. Greater is better; no two members of a window have the same key.
/// Made by [`Rules::rank_key`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RankKey {
    /// All words of the kind's key.
    pub words: RankWords,
    /// The member, which breaks the remaining ties.
    pub member: Member,
    /// How it breaks ties: the same for all keys of a kind.
    pub names: NameOrder,
}

impl Ord for RankKey {
    fn cmp(&self, other: &Self) -> Ordering {
        let names = || {
            self.names
                .compare(self.member.as_bytes(), other.member.as_bytes())
        };
        self.words.cmp(&other.words).then_with(names)
    }
}

impl PartialOrd for RankKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl RankKey {
    /// Returns the key's bytes: the words big-endian, then the member's.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let words = self
            .words
            .as_slice()
            .iter()
            .flat_map(|word| word.to_be_bytes());
        let name = self.names.key_bytes(self.member.as_bytes());
        words.chain(name.iter().copied()).collect()
    }
}

/// A cut in the order: "better than this".
///
/// Without a member the words are a prefix, and every key that starts with them is better than the
/// bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// All words of a key, or its first few.
    pub words: RankWords,
    /// The member of the key; requires all words.
    pub member: Option<Member>,
}

impl Bound {
    /// Returns the bound below which this key and all worse keys are.
    #[must_use]
    pub fn key(key: &RankKey) -> Self {
        Self {
            words: key.words,
            member: Some(key.member.clone()),
        }
    }

    /// Returns the bound that has every key that starts with these words, or is greater, above it.
    #[must_use]
    pub const fn prefix(words: RankWords) -> Self {
        Self {
            words,
            member: None,
        }
    }

    /// Returns whether the key is better than this bound.
    #[must_use]
    pub fn is_below(&self, key: &RankKey) -> bool {
        match key.words.cmp(&self.words) {
            Ordering::Greater => true,
            Ordering::Less => false,
            Ordering::Equal => self.member.as_ref().is_none_or(|member| {
                let order = key.names.compare(key.member.as_bytes(), member.as_bytes());
                order.is_gt()
            }),
        }
    }
}

impl Rules {
    /// Returns the number of words in a rank key of these rules.
    #[must_use]
    pub fn rank_words_len(&self) -> usize {
        self.fields().len() + usize::from(self.ties() != Ties::Member)
    }

    /// Returns which of two members ranks higher where all words of their keys are equal.
    #[must_use]
    pub fn name_order(&self) -> NameOrder {
        match (self.ties(), self.fields()[0].order) {
            (Ties::Member, Direction::Asc) => NameOrder::Lower,
            _ => NameOrder::Higher,
        }
    }

    /// Returns the rank key of a member with these words.
    #[must_use]
    pub fn rank_key(&self, words: RankWords, member: Member) -> RankKey {
        RankKey {
            words,
            member,
            names: self.name_order(),
        }
    }

    /// Returns the rank words of a standing with these fields, reached at `reached_at`.
    #[must_use]
    pub fn rank_words(&self, values: &Values, reached_at: Timestamp) -> RankWords {
        self.rank_words_with(|index| values.get(index), reached_at)
    }

    /// Returns the same of the values of each field.
    pub(crate) fn rank_words_with(
        &self,
        value: impl Fn(usize) -> Option<Value>,
        reached_at: Timestamp,
    ) -> RankWords {
        let mut words = RankWords::default();
        for (index, field) in self.fields().iter().enumerate() {
            words.push(field_word(value(index), field.order));
        }
        // An i64 cast to u64 and back keeps every bit.
        let time = reached_at.micros().cast_unsigned() ^ SIGN;
        match self.ties() {
            Ties::Earliest => words.push(!time),
            Ties::Latest => words.push(time),
            Ties::Member => {}
        }
        words
    }

    /// Returns the fields that rank words encode.
    #[must_use]
    pub fn values_of(&self, words: &RankWords) -> Values {
        let mut values = Values::default();
        for (index, (field, word)) in self.fields().iter().zip(words.as_slice()).enumerate() {
            if let Some(value) = field_value(*word, field.order) {
                values.set(index, value);
            }
        }
        values
    }

    /// Returns when the standing of these words was reached, if the words encode it.
    #[must_use]
    pub fn reached_at_of(&self, words: &RankWords) -> Option<Timestamp> {
        let word = *words.as_slice().get(self.fields().len())?;
        let time = if self.ties() == Ties::Earliest {
            !word
        } else {
            word
        };
        Some(Timestamp::from_micros((time ^ SIGN).cast_signed()))
    }

    /// Returns the words of the fields alone: equal for standings that share a competition rank.
    #[must_use]
    pub fn field_words(&self, words: &RankWords) -> RankWords {
        words.prefix(self.fields().len())
    }

    /// Returns the bound above which are all keys whose first field is at least as good as `value`.
    #[must_use]
    pub fn at_least(&self, value: Value) -> Bound {
        Bound::prefix(RankWords::new(&[field_word(
            Some(value),
            self.fields()[0].order,
        )]))
    }

    /// Returns the bound above which are all keys whose first field is better than `value`.
    #[must_use]
    pub fn better_than(&self, value: Value) -> Bound {
        let word = field_word(Some(value), self.fields()[0].order);
        // A value's word is never u64::MAX: its magnitude stays below 2^53.
        Bound::prefix(RankWords::new(&[word + 1]))
    }
}

/// Null is the word 0, below every value's word.
fn field_word(value: Option<Value>, order: Direction) -> u64 {
    let Some(value) = value else { return 0 };
    let directed = match order {
        Direction::Desc => value.get(),
        Direction::Asc => -value.get(),
    };
    directed.cast_unsigned() ^ SIGN
}

fn field_value(word: u64, order: Direction) -> Option<Value> {
    let directed = (word ^ SIGN).cast_signed();
    match order {
        Direction::Desc => Value::new(directed),
        Direction::Asc => directed.checked_neg().and_then(Value::new),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ident::FieldName;
    use crate::limits::VALUE_MAX;
    use crate::rules::{FieldRule, Mode};

    fn rules(orders: &[Direction], ties: Ties) -> Rules {
        let fields = orders.iter().enumerate().map(|(i, order)| FieldRule {
            order: *order,
            ..FieldRule::sum(FieldName::new(&format!("f{i}")).unwrap())
        });
        Rules::new(fields.collect(), Mode::Accumulate, ties).unwrap()
    }

    fn value(number: i64) -> Option<Value> {
        Value::new(number)
    }

    #[test]
    fn words_convert_back_to_values_and_time() {
        for ties in [Ties::Earliest, Ties::Latest] {
            let rules = rules(&[Direction::Desc, Direction::Asc], ties);
            for number in [-VALUE_MAX, -1, 0, 1, VALUE_MAX] {
                let values = Values::from([value(number), None]);
                let words = rules.rank_words(&values, Timestamp::from_millis(1_234_567_890_123));
                assert_eq!(rules.values_of(&words), values);
                let swapped = Values::from([None, value(number)]);
                let words = rules.rank_words(&swapped, Timestamp::from_millis(1_234_567_890_123));
                assert_eq!(rules.values_of(&words), swapped);
                assert_eq!(
                    rules.reached_at_of(&words).unwrap().millis(),
                    1_234_567_890_123
                );
            }
        }
    }

    #[test]
    fn nulls_are_worst_in_both_directions() {
        for order in [Direction::Desc, Direction::Asc] {
            for number in [-VALUE_MAX, 0, VALUE_MAX] {
                assert!(field_word(value(number), order) > field_word(None, order));
            }
        }
    }

    #[test]
    fn bytes_compare_like_keys() {
        let (desc, asc) = (Direction::Desc, Direction::Asc);
        for (first, ties) in [
            (asc, Ties::Latest),
            (desc, Ties::Member),
            (asc, Ties::Member),
        ] {
            let rules = rules(&[first], ties);
            let times = if ties == Ties::Member { 1 } else { 2 };
            let mut keys = Vec::new();
            for number in [-5, 0, 7] {
                for time in 0..times {
                    for member in ["a", "ab", "b", "é"] {
                        let values = Values::from([value(number)]);
                        let words = rules.rank_words(&values, Timestamp::from_millis(time));
                        keys.push(rules.rank_key(words, Member::new(member).unwrap()));
                    }
                }
            }
            keys.sort();
            for pair in keys.windows(2) {
                assert!(pair[0] < pair[1] && pair[0].to_bytes() < pair[1].to_bytes());
                assert!(Bound::key(&pair[0]).is_below(&pair[1]));
                assert!(!Bound::key(&pair[1]).is_below(&pair[0]));
                assert!(!Bound::key(&pair[0]).is_below(&pair[0]));
            }
        }
    }

    #[test]
    fn names_are_decoded_from_the_bytes_of_a_key() {
        for names in [NameOrder::Higher, NameOrder::Lower] {
            for name in ["a", "ab", "\u{10ffff}"] {
                let bytes = names.key_bytes(name.as_bytes());
                assert_eq!(names.name_of(&bytes).unwrap(), name.as_bytes());
            }
        }
        assert_eq!(NameOrder::Lower.name_of(b""), None);
        assert_eq!(NameOrder::Lower.name_of(b"a"), None);
    }

    #[test]
    fn words_compare_like_slices() {
        let of_len = |len: u32| {
            (0..3u64.pow(len)).map(move |n| {
                let words = (0..len).map(|at| n / 3u64.pow(at) % 3);
                words.collect::<Vec<u64>>()
            })
        };
        let all: Vec<Vec<u64>> = (0..=4).flat_map(of_len).collect();
        for a in &all {
            for b in &all {
                let (ours, other) = (RankWords::new(a), RankWords::new(b));
                assert_eq!(ours.cmp(&other), a.cmp(b));
                assert_eq!(ours.partial_cmp(&other), Some(a.cmp(b)));
            }
        }
    }

    #[test]
    fn a_successor_is_the_next_prefix() {
        assert_eq!(
            RankWords::new(&[1, u64::MAX]).successor(),
            Some(RankWords::new(&[2, 0]))
        );
        assert_eq!(RankWords::new(&[u64::MAX]).successor(), None);
        assert_eq!(RankWords::new(&[]).successor(), None);
    }

    #[test]
    fn bounds_of_a_field_hold_in_both_directions() {
        for (order, better) in [(Direction::Desc, 1), (Direction::Asc, -1)] {
            let rules = rules(&[order], Ties::Earliest);
            let key = |number| {
                let values = Values::from([value(number)]);
                let words = rules.rank_words(&values, Timestamp::from_millis(0));
                rules.rank_key(words, Member::new("u").unwrap())
            };
            let five = Value::new(5).unwrap();
            assert!(rules.at_least(five).is_below(&key(5)));
            assert!(rules.at_least(five).is_below(&key(5 + better)));
            assert!(!rules.at_least(five).is_below(&key(5 - better)));
            assert!(!rules.better_than(five).is_below(&key(5)));
            assert!(rules.better_than(five).is_below(&key(5 + better)));
        }
    }
}
