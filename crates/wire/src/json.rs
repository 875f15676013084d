//! [`EntryText`]: writes entries. serde writes all other JSON.
//!
//! A page has a hundred entries of four members each. Here a member costs two copies, of its key with the punctuation
//! around it, a literal, and of its value. Nothing is formatted. The text is byte for byte what serde writes of
//! [`EntryShape`](crate::EntryShape), which a test compares.

use board::{Kind, Timestamp};
use merger::RankedEntry;

use crate::entry::{has_own_position, is_points};
use crate::profile::ShownProfiles;

/// Entries, with commas between them.
#[derive(Debug)]
pub(crate) struct EntryText(Vec<u8>);

impl EntryText {
    /// Creates an empty text with space for so many bytes.
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self(Vec::with_capacity(bytes))
    }

    /// Returns the number of bytes that are written.
    pub(crate) const fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the text.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// Appends an entry, with the profile of its member if that is shown.
    #[inline]
    pub(crate) fn push(&mut self, kind: &Kind, ranked: &RankedEntry, profiles: &ShownProfiles) {
        let key = &ranked.entry.key;
        self.put(if self.0.is_empty() {
            "{\"rank\":"
        } else {
            ",{\"rank\":"
        });
        self.integer(ranked.rank);
        if has_own_position(kind) {
            self.put(",\"position\":");
            self.integer(ranked.position);
        }
        self.put(",\"member\":");
        self.string(key.member.as_str());
        let rules = kind.rules();
        let values = rules.values_of(&key.words);
        let value = |index| values.get(index).map(board::Value::get);
        if is_points(rules) {
            self.put(",\"points\":");
            self.integer_or_null(value(0));
        } else {
            for (index, field) in rules.fields().iter().enumerate() {
                self.put(if index == 0 { ",\"values\":{" } else { "," });
                self.string(field.name.as_str());
                self.put(":");
                self.integer_or_null(value(index));
            }
            self.put("}");
        }
        self.put(",\"reached_at\":");
        self.time(ranked.entry.reached_at);
        if let Some(profile) = profiles.of(&key.member) {
            self.put(",\"profile\":");
            self.put(profile.as_json());
        }
        self.put("}");
    }

    #[inline]
    fn put(&mut self, json: &str) {
        self.0.extend_from_slice(json.as_bytes());
    }

    #[inline]
    fn integer(&mut self, number: impl itoa::Integer) {
        let mut digits = itoa::Buffer::new();
        self.put(digits.format(number));
    }

    #[inline]
    fn integer_or_null(&mut self, number: Option<i64>) {
        match number {
            Some(number) => self.integer(number),
            None => self.put("null"),
        }
    }

    #[inline]
    fn string(&mut self, text: &str) {
        if is_plain(text) {
            self.0.push(b'"');
            self.put(text);
            self.0.push(b'"');
        } else {
            serde_json::to_writer(&mut self.0, text).expect("a text is JSON");
        }
    }

    #[inline]
    fn time(&mut self, time: Timestamp) {
        let mut string = [b'"'; 29];
        string[1..28].copy_from_slice(&time.to_rfc3339());
        self.0.extend_from_slice(&string);
    }
}

/// Returns whether nothing of a text is escaped in a string: no quote, no backslash, no control character.
#[inline]
fn is_plain(text: &str) -> bool {
    let (words, rest) = text.as_bytes().as_chunks::<8>();
    let rest = rest
        .iter()
        .fold(SPACES, |word, byte| (word << 8) | u64::from(*byte));
    let all = words.iter().map(|word| u64::from_le_bytes(*word));
    all.chain([rest]).all(|word| !has_escaped(word))
}

const ONES: u64 = 0x0101_0101_0101_0101;
const SPACES: u64 = 0x20 * ONES;

/// Returns whether a byte of a word is escaped. What is subtracted from each byte sets its highest bit if it is less.
#[inline]
const fn has_escaped(word: u64) -> bool {
    let (quotes, backslashes) = (word ^ (0x22 * ONES), word ^ (0x5c * ONES));
    let control = word.wrapping_sub(SPACES) & !word;
    let quote = quotes.wrapping_sub(ONES) & !quotes;
    let backslash = backslashes.wrapping_sub(ONES) & !backslashes;
    (control | quote | backslash) & (0x80 * ONES) != 0
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use board::{Member, Value, Values};
    use proptest::collection::vec;
    use proptest::option;
    use proptest::prelude::*;
    use shard_store::ShardEntry;

    use super::*;
    use crate::{EntryShape, KindShape, render};

    /// Kinds of all forms of fields, with and without times in their order.
    static KINDS: LazyLock<Vec<Kind>> = LazyLock::new(|| {
        let kinds = [
            "{}",
            r#"{"fields": [{"name": "points", "order": "asc"}], "ties": "member", "rank": "competition"}"#,
            r#"{"mode": "best", "fields": [{"name": "laps"}]}"#,
            r#"{"fields": [{"name": "points"}, {"name": "best", "op": "min", "order": "asc"}], "ties": "latest"}"#,
            r#"{"fields": [{"name": "z", "op": "max"}, {"name": "a"}, {"name": "c_1"}, {"name": "b", "op": "last"}]}"#,
            r#"{"windows": ["day"], "packed": {"most": 1000000}}"#,
        ];
        let shape = |text| serde_json::from_str::<KindShape>(text).unwrap();
        kinds
            .map(|text| shape(text).into_kind("gifts").unwrap())
            .into()
    });

    /// Names as boards store them, and some that no contribution may have.
    fn members() -> impl Strategy<Value = Member> {
        let escaped = "[\"\\\\/<'u1 é漢😀\u{2028}]{1,30}";
        let stored = prop_oneof![escaped, "[a-z0-9]{1,40}", any::<String>()];
        stored.prop_map(|text| Member::from_stored(text.as_bytes()))
    }

    /// Values of the fields of a kind, some missing, and a tie word.
    fn entries(kind: usize) -> impl Strategy<Value = RankedEntry> {
        let value = prop_oneof![
            0..1_000_i64,
            -board::limits::VALUE_MAX..=board::limits::VALUE_MAX
        ];
        let values = vec(option::weighted(0.8, value), 4);
        let ms = prop_oneof![any::<i64>(), 0..253_402_300_799_999_i64];
        let number = || prop_oneof![0..20_u64, any::<u64>()];
        (members(), values, ms, number(), number()).prop_map(
            move |(member, numbers, ms, rank, position)| {
                let (rules, reached_at) = (KINDS[kind].rules(), Timestamp::from_millis(ms));
                let mut values = Values::default();
                for (index, number) in numbers.into_iter().enumerate().take(rules.fields().len()) {
                    if let Some(value) = number.and_then(Value::new) {
                        values.set(index, value);
                    }
                }
                let key = rules.rank_key(rules.rank_words(&values, reached_at), member);
                RankedEntry {
                    rank,
                    position,
                    entry: ShardEntry { key, reached_at },
                }
            },
        )
    }

    fn kinds_and_entries() -> impl Strategy<Value = (usize, Vec<RankedEntry>)> {
        (0..KINDS.len()).prop_flat_map(|kind| (Just(kind), vec(entries(kind), 0..8)))
    }

    proptest! {
        #[test]
        fn entries_are_written_like_serde((kind, ranked) in kinds_and_entries()) {
            let kind = &KINDS[kind];
            let profiles = ShownProfiles::none();
            let rendered = render(kind, &ranked);
            let mut begin = 0;
            for (entry, end) in ranked.iter().zip(&rendered.ends) {
                let end = *end as usize;
                let shape = EntryShape::of_ranked(kind, entry, &profiles);
                prop_assert_eq!(&rendered.bytes[begin..end], serde_json::to_vec(&shape).unwrap());
                begin = end + 1;
            }
            prop_assert_eq!(rendered.ends.len(), ranked.len());
        }
    }

    #[test]
    fn every_byte_is_escaped_like_serde() {
        for byte in 0..0x80_u8 {
            for at in 0..20 {
                let mut text = "x".repeat(20);
                text.replace_range(at..=at, &char::from(byte).to_string());
                for text in [&text[..], &text[..=at], &text[at..]] {
                    let mut json = EntryText::with_capacity(0);
                    json.string(text);
                    assert_eq!(json.into_bytes(), serde_json::to_vec(text).unwrap());
                }
            }
        }
    }
}
