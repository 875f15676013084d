//! [`JsonText`]: writes the responses of reads: envelopes, entries, members. serde writes all other JSON.
//!
//! A page has a hundred entries of four members each. Here a member costs two copies, of its key with the punctuation
//! around it, a literal, and of its value. Nothing is formatted, and no key is searched for what has to be escaped.

use board::{Kind, Member, Timestamp};
use merger::RankedEntry;
use shard_store::ShardEntry;

use crate::entry::{has_own_position, is_points};
use crate::profile::ShownProfiles;

/// JSON that is being written.
#[derive(Debug)]
pub(crate) struct JsonText(Vec<u8>);

impl JsonText {
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

    /// Appends the comma between two entries of a list.
    #[inline]
    pub(crate) fn separate(&mut self) {
        if !self.0.is_empty() {
            self.put(",");
        }
    }

    /// Appends a ranked entry without its last brace.
    #[inline]
    pub(crate) fn open_ranked(
        &mut self,
        kind: &Kind,
        ranked: &RankedEntry,
        profiles: &ShownProfiles,
    ) {
        let position = has_own_position(kind).then_some(ranked.position);
        self.open_entry(kind, (Some(ranked.rank), position), &ranked.entry, profiles);
    }

    /// Appends an entry with this rank and, if there is one, this position, without its last brace.
    #[inline]
    pub(crate) fn open_entry(
        &mut self,
        kind: &Kind,
        (rank, position): (Option<u64>, Option<u64>),
        entry: &ShardEntry,
        profiles: &ShownProfiles,
    ) {
        let key = &entry.key;
        self.put("{\"rank\":");
        self.integer_or_null(rank);
        if let Some(position) = position {
            self.put(",\"position\":");
            self.integer(position);
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
        self.time(entry.reached_at);
        self.profile(&key.member, profiles);
    }

    /// Appends a member without a standing, without its last brace.
    pub(crate) fn open_unknown(&mut self, member: &Member, profiles: &ShownProfiles) {
        self.put("{\"rank\":null,\"member\":");
        self.string(member.as_str());
        self.profile(member, profiles);
    }

    #[inline]
    fn profile(&mut self, member: &Member, profiles: &ShownProfiles) {
        if let Some(profile) = profiles.of(member) {
            self.put(",\"profile\":");
            self.put(profile.as_json());
        }
    }

    /// Appends JSON.
    #[inline]
    pub(crate) fn put(&mut self, json: &str) {
        self.0.extend_from_slice(json.as_bytes());
    }

    /// Appends rendered JSON.
    pub(crate) fn put_bytes(&mut self, json: &[u8]) {
        self.0.extend_from_slice(json);
    }

    #[inline]
    pub(crate) fn integer(&mut self, number: impl itoa::Integer) {
        let mut digits = itoa::Buffer::new();
        self.put(digits.format(number));
    }

    #[inline]
    pub(crate) fn integer_or_null(&mut self, number: Option<impl itoa::Integer>) {
        match number {
            Some(number) => self.integer(number),
            None => self.put("null"),
        }
    }

    pub(crate) fn number(&mut self, number: f64) {
        serde_json::to_writer(&mut self.0, &number).expect("memory is no file");
    }

    #[inline]
    pub(crate) fn string(&mut self, text: &str) {
        self.put("\"");
        self.escaped(text);
        self.put("\"");
    }

    /// Appends a part of a string.
    #[inline]
    pub(crate) fn escaped(&mut self, text: &str) {
        if is_plain(text) {
            self.put(text);
        } else {
            let quoted = serde_json::to_string(text).expect("a text is JSON");
            self.put(&quoted[1..quoted.len() - 1]);
        }
    }

    #[inline]
    pub(crate) fn time(&mut self, time: Timestamp) {
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

    use board::{Member, RankStyle, Value, Values};
    use proptest::collection::vec;
    use proptest::option;
    use proptest::prelude::*;
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::{KindShape, render};

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

    /// What an entry says, field by field.
    fn naive(kind: &Kind, ranked: &RankedEntry) -> Json {
        let (key, rules) = (&ranked.entry.key, kind.rules());
        let values = rules.values_of(&key.words);
        let value = |index| values.get(index).map(Value::get);
        let mut entry = json!({
            "rank": ranked.rank,
            "member": key.member.as_str(),
            "reached_at": ranked.entry.reached_at.to_string(),
        });
        if kind.rank_style() != RankStyle::Ordinal {
            entry["position"] = json!(ranked.position);
        }
        if is_points(rules) {
            entry["points"] = json!(value(0));
        } else {
            for (index, field) in rules.fields().iter().enumerate() {
                entry["values"][field.name.as_str()] = json!(value(index));
            }
        }
        entry
    }

    proptest! {
        #[test]
        fn entries_say_the_same_as_serde((kind, ranked) in kinds_and_entries()) {
            let kind = &KINDS[kind];
            let rendered = render(kind, &ranked);
            let mut begin = 0;
            for (entry, end) in ranked.iter().zip(&rendered.ends) {
                let end = *end as usize;
                let read: Json = serde_json::from_slice(&rendered.bytes[begin..end]).unwrap();
                prop_assert_eq!(read, naive(kind, entry));
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
                    let mut json = JsonText::with_capacity(0);
                    json.string(text);
                    assert_eq!(json.into_bytes(), serde_json::to_vec(text).unwrap());
                }
            }
        }
    }
}
