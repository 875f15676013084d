//! Cursors: the position of an entry in a board's order, as text. A page that begins after it does not depend on what
//! has changed before it.
//!
//! Clients pass a cursor on as it is. It is base64url, without padding, of the version (1), the entry's rank words, 8
//! bytes each, and its member.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use board::{Member, RANK_WORDS_MAX, RankKey, RankWords, Rules};

const VERSION: u8 = 1;

/// Bytes of a rank word.
const WORD_BYTES: usize = size_of::<u64>();

/// Returns the cursor of an entry.
#[must_use]
pub fn cursor_of(key: &RankKey) -> String {
    let mut bytes = vec![VERSION];
    for word in key.words.as_slice() {
        bytes.extend(word.to_be_bytes());
    }
    bytes.extend(key.member.as_bytes());
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Parses the cursor of an entry of a board with these rules. `None`: it is not one.
#[must_use]
pub fn parse_cursor(rules: &Rules, text: &str) -> Option<RankKey> {
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    let rest = bytes.strip_prefix(&[VERSION])?;
    let count = rules.rank_words_len();
    let (head, member) = rest.split_at_checked(count * WORD_BYTES)?;
    let mut words = [0; RANK_WORDS_MAX];
    let (chunks, _) = head.as_chunks::<WORD_BYTES>();
    for (word, chunk) in words.iter_mut().zip(chunks) {
        *word = u64::from_be_bytes(*chunk);
    }
    let member = Member::new(str::from_utf8(member).ok()?).ok()?;
    Some(rules.rank_key(RankWords::padded(words, count), member))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::KindShape;

    fn rules(fields: &str) -> Rules {
        let shape: KindShape = serde_json::from_str(fields).unwrap();
        shape.into_kind("gifts").unwrap().rules().clone()
    }

    proptest! {
        #[test]
        fn a_cursor_is_read_back(words in any::<[u64; 3]>(), member in "[a-z0-9 ü👍]{1,20}") {
            let rules = rules(r#"{"fields": [
                {"name": "points", "op": "sum", "order": "desc"},
                {"name": "time", "op": "min", "order": "asc"}
            ]}"#);
            let key = rules.rank_key(RankWords::new(&words), Member::new(&member).unwrap());
            let text = cursor_of(&key);
            prop_assert_eq!(parse_cursor(&rules, &text), Some(key));
            prop_assert!(text.bytes().all(|it| it.is_ascii_alphanumeric() || b"-_".contains(&it)));
        }

        #[test]
        fn any_text_is_a_cursor_or_none(text in ".{0,80}") {
            let rules = rules("{}");
            if let Some(key) = parse_cursor(&rules, &text) {
                prop_assert_eq!(cursor_of(&key), text);
            }
        }
    }

    #[test]
    fn cursors_of_other_rules_versions_and_members_are_refused() {
        let one = rules("{}");
        let key = one.rank_key(RankWords::new(&[7, 8]), Member::new("u1").unwrap());
        let text = cursor_of(&key);
        assert_eq!(text, "AQAAAAAAAAAHAAAAAAAAAAh1MQ");
        assert_eq!(parse_cursor(&one, &text), Some(key));
        let longer = rules(r#"{"fields": [{"name": "a"}, {"name": "b"}]}"#);
        let wrong = [
            "",
            "!",
            "AQAAAAAAAAAHAAAAAAAAAAg",
            "AgAAAAAAAAAHAAAAAAAAAAh1MQ",
            "AQAAAAAAAAAH",
        ];
        for wrong in wrong {
            assert_eq!(parse_cursor(&one, wrong), None, "{wrong}");
        }
        assert_eq!(parse_cursor(&longer, &text), None);
    }
}
