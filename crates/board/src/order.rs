//! The one total order, as bytes.
//!
//! A standing has one rank key: a word for each field, flipped for sign and direction, then a tie word (absent
//! where ties are broken by member), then the member id. The id comes last, so that its varying length needs no
//! escape. A greater key is better. A word is a `u64` whose big-endian bytes are the key's: comparing words is
//! comparing bytes. Where the lower member id is better ([`NameOrder::Lower`]: ties by member in a kind whose first
//! field is `asc`, see `docs/decisions/0011-names-of-ascending-kinds.md`), its bytes are complemented.
//!
//! A [`Bound`] cuts the order at any position: below a key, or below everything that starts with a prefix. Score
//! ranges, counts, shared ranks and the rank of a score that no member has are bounds.
//!
//! **Invariant:** nothing else compares standings. No comparator is written twice, no caller checks a direction.
//!
//! **Invariant:** null is the word 0, below every value in both directions.

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::ident::Member;
use crate::limits::FIELDS_MAX;
use crate::rules::{Direction, Rules, Ties};
use crate::timestamp::Timestamp;
use crate::value::{Value, Values};

/// Words of the longest rank key: four fields and a tie word.
pub const RANK_WORDS_MAX: usize = FIELDS_MAX + 1;

const SIGN: u64 = 1 << 63;

/// The words of a rank key, or a prefix of them. Ordered as text is: a prefix before what it starts.
#[derive(Clone, Copy)]
pub struct RankWords {
    words: [u64; RANK_WORDS_MAX],
    len: u8,
}

impl RankWords {
    /// Takes up to five words.
    #[must_use]
    pub fn new(words: &[u64]) -> Self {
        let mut taken = [0; RANK_WORDS_MAX];
        taken[..words.len()].copy_from_slice(words);
        Self {
            words: taken,
            len: u8::try_from(words.len()).expect("at most five words"),
        }
    }

    /// The words.
    #[must_use]
    pub fn as_slice(&self) -> &[u64] {
        &self.words[..usize::from(self.len)]
    }

    /// The first `len` words.
    #[must_use]
    pub fn prefix(&self, len: usize) -> Self {
        Self::new(&self.as_slice()[..len])
    }

    /// The least prefix of the same length that is greater: what lies at or above it is better than
    /// everything that starts with these words. `None` where nothing is greater.
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

    fn push(&mut self, word: u64) {
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
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_slice().cmp(other.as_slice())
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

/// Which of two member ids is better where all words of their keys are equal. Ids compare by bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NameOrder {
    /// The higher one, as a sorted set of Redis read in reverse has it.
    #[default]
    Higher,
    /// The lower one, as a sorted set of Redis read forward has it.
    Lower,
}

/// Ends a complemented name, above all of its bytes: no name has a byte 0.
const NAME_END: u8 = u8::MAX;

impl NameOrder {
    /// Compares two names: greater is better.
    #[must_use]
    pub fn compare(self, a: &[u8], b: &[u8]) -> Ordering {
        match self {
            Self::Higher => a.cmp(b),
            Self::Lower => b.cmp(a),
        }
    }

    /// Returns the bytes of a name in a key: they compare as the names do, greater is better.
    #[must_use]
    pub fn key_bytes(self, name: &[u8]) -> Cow<'_, [u8]> {
        match self {
            Self::Higher => Cow::Borrowed(name),
            Self::Lower => name.iter().map(|byte| !byte).chain([NAME_END]).collect(),
        }
    }

    /// Returns the name that these bytes of a key stand for, `None` where they lack their end.
    #[must_use]
    pub fn name_of(self, bytes: &[u8]) -> Option<Cow<'_, [u8]>> {
        match self {
            Self::Higher => Some(Cow::Borrowed(bytes)),
            Self::Lower => {
                let (end, name) = bytes.split_last()?;
                (*end == NAME_END).then(|| name.iter().map(|byte| !byte).collect())
            }
        }
    }
}

/// The rank key of one standing. Greater is better; no two members of a window share one.
/// [`Rules::rank_key`] makes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RankKey {
    /// All words of the kind's key.
    pub words: RankWords,
    /// The member, which settles what still ties.
    pub member: Member,
    /// How it does: the same for all keys of a kind.
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
    /// The key's bytes: the words big-endian, then the member's.
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
/// Without a member the words are a prefix, and everything that starts with them is better.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// All words of a key, or its first few.
    pub words: RankWords,
    /// With all words: the member of the key.
    pub member: Option<Member>,
}

impl Bound {
    /// Better than this key.
    #[must_use]
    pub fn key(key: &RankKey) -> Self {
        Self {
            words: key.words,
            member: Some(key.member.clone()),
        }
    }

    /// At or above whatever starts with these words.
    #[must_use]
    pub const fn prefix(words: RankWords) -> Self {
        Self {
            words,
            member: None,
        }
    }

    /// Whether the key is better than this bound.
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
    /// Words in a rank key of these rules.
    #[must_use]
    pub fn rank_words_len(&self) -> usize {
        self.fields().len() + usize::from(!self.ties().is_by_member())
    }

    /// Which of two members is better where all words of their keys are equal.
    #[must_use]
    pub fn name_order(&self) -> NameOrder {
        match self.ties() {
            Ties::Earliest | Ties::Latest | Ties::Member => NameOrder::Higher,
            Ties::LowerMember => NameOrder::Lower,
        }
    }

    /// The rank key of a member with these words.
    #[must_use]
    pub fn rank_key(&self, words: RankWords, member: Member) -> RankKey {
        RankKey {
            words,
            member,
            names: self.name_order(),
        }
    }

    /// The words of the rank key of a standing with these fields, reached then.
    #[must_use]
    pub fn rank_words(&self, values: &Values, reached_at: Timestamp) -> RankWords {
        let mut words = RankWords::default();
        for (index, field) in self.fields().iter().enumerate() {
            words.push(field_word(values.get(index), field.order));
        }
        // An i64 cast to u64 and back keeps every bit.
        let time = reached_at.millis().cast_unsigned() ^ SIGN;
        match self.ties() {
            Ties::Earliest => words.push(!time),
            Ties::Latest => words.push(time),
            Ties::Member | Ties::LowerMember => {}
        }
        words
    }

    /// The fields that rank words stand for.
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

    /// When the standing of these words was reached, where the words hold it.
    #[must_use]
    pub fn reached_at_of(&self, words: &RankWords) -> Option<Timestamp> {
        let word = *words.as_slice().get(self.fields().len())?;
        let time = if self.ties() == Ties::Earliest {
            !word
        } else {
            word
        };
        Some(Timestamp::from_millis((time ^ SIGN).cast_signed()))
    }

    /// The words that the fields alone take: equal for standings that share a competition rank.
    #[must_use]
    pub fn field_words(&self, words: &RankWords) -> RankWords {
        words.prefix(self.fields().len())
    }

    /// What has a first field at least as good as `value` is better than this bound.
    #[must_use]
    pub fn at_least(&self, value: Value) -> Bound {
        Bound::prefix(RankWords::new(&[field_word(
            Some(value),
            self.fields()[0].order,
        )]))
    }

    /// What has a first field better than `value` is better than this bound.
    #[must_use]
    pub fn better_than(&self, value: Value) -> Bound {
        let word = field_word(Some(value), self.fields()[0].order);
        // A value's word never is u64::MAX: its magnitude stays below 2^53.
        Bound::prefix(RankWords::new(&[word + 1]))
    }
}

/// Null is 0, below every value's word.
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
    fn words_go_back_to_what_they_were_made_of() {
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
    fn bytes_compare_as_keys_do() {
        for ties in [Ties::Latest, Ties::Member, Ties::LowerMember] {
            let rules = rules(&[Direction::Asc], ties);
            let times = if ties.is_by_member() { 1 } else { 2 };
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
    fn names_come_back_from_the_bytes_of_a_key() {
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
